import type { Command } from "commander";
import { normalizePath } from "../../core/values/paths.js";
import { newCommand } from "../command.js";
import { about } from "../fault.js";
import type { CliContext } from "../context.js";
import { addMountOption } from "../targets/mount-options.js";
import { withMemory } from "../targets/open-target.js";
import { addTargetOptions, type TargetOptions } from "../targets/target-options.js";

interface CatOptions extends TargetOptions {
  json?: boolean;
}

export function addCat(program: Command, context: CliContext): void {
  const command = newCommand(program, "cat <path>", "Print a file, byte for byte.", [
    "cat /notes/today --node assistant",
    "cat /notes/today --dir ./memory > today.txt",
  ]);
  addMountOption(addTargetOptions(command)).action(async (path: string, options: CatOptions) => {
    await withMemory(context, options, "read", async ({ memory }) => {
      const content = await about(path, () => memory.read(path));
      if (options.json) await context.out.json({ ok: true, path: normalizePath(path), content });
      else await context.out.write(context.out.foreign(content));
    });
  });
}
