import type { Command } from "commander";
import { fileNotFound } from "../../core/values/errors.js";
import { normalizePath, ROOT } from "../../core/values/paths.js";
import { newCommand } from "../command.js";
import { about, usageFault } from "../fault.js";
import { countText } from "../terminal/format.js";
import type { CliContext } from "../context.js";
import { addMountOption } from "../targets/mount-options.js";
import { withMemory } from "../targets/open-target.js";
import { addActorOption, addTargetOptions, type TargetOptions } from "../targets/target-options.js";

interface RmOptions extends TargetOptions {
  all?: boolean;
  json?: boolean;
}

export function addRm(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "rm <path>",
    "Remove a file, or a directory with everything below it, in one step. It does not ask.",
    ["rm /notes/today --node assistant", "rm / --all --node assistant --thread ada@example.com"],
  ).option("--all", "needed to empty a whole memory (rm /)");
  addActorOption(addMountOption(addTargetOptions(command))).action(async (path: string, options: RmOptions) => {
    const target = await about(path, async () => normalizePath(path));
    if (target === ROOT && options.all !== true)
      throw usageFault("rm / would empty the whole memory; pass --all if that is meant");
    await withMemory(context, options, "change", async ({ memory }) => {
      const { files, dirs } = await about(path, async () => {
        const counts = await memory.delete(target);
        if (target !== ROOT && counts.files + counts.dirs === 0) throw fileNotFound();
        return counts;
      });
      if (options.json) await context.out.json({ ok: true, path: target, files, dirs });
      else await context.out.line(`removed ${countText(files, "file")} and ${countText(dirs, "directory")}`);
    });
  });
}
