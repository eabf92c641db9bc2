import type { Command } from "commander";
import { normalizePath } from "../../core/values/paths.js";
import { newCommand } from "../command.js";
import { about } from "../fault.js";
import type { CliContext } from "../context.js";
import { addMountOption } from "../targets/mount-options.js";
import { withMemory } from "../targets/open-target.js";
import { addActorOption, addTargetOptions, type TargetOptions } from "../targets/target-options.js";

interface MvOptions extends TargetOptions {
  json?: boolean;
}

export function addMv(program: Command, context: CliContext): void {
  const command = newCommand(program, "mv <from> <to>", "Move or rename a file or a directory. It never overwrites.", [
    "mv /notes/today /notes/monday --node assistant",
    "mv /notes /archive/notes --dir ./memory",
  ]);
  addActorOption(addMountOption(addTargetOptions(command))).action(
    async (from: string, to: string, options: MvOptions) => {
      await withMemory(context, options, "change", async ({ memory }) => {
        await about(`${from} to ${to}`, () => memory.rename(from, to));
        if (options.json) await context.out.json({ ok: true, from: normalizePath(from), to: normalizePath(to) });
      });
    },
  );
}
