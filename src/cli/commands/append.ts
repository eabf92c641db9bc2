import type { Command } from "commander";
import { normalizePath } from "../../core/values/paths.js";
import { newCommand, programName } from "../command.js";
import { about } from "../fault.js";
import type { CliContext } from "../context.js";
import { addMountOption } from "../targets/mount-options.js";
import { withMemory } from "../targets/open-target.js";
import { addActorOption, addTargetOptions, type TargetOptions } from "../targets/target-options.js";
import { noteOn } from "../terminal/note.js";
import { givenText } from "../terminal/text-input.js";

interface AppendOptions extends TargetOptions {
  json?: boolean;
}

export function addAppend(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "append <path> [text]",
    "Add text to the end of a file, on a new line. Creates the file and its directories. Without a text, or with -, it reads the standard input.",
    ['append /notes/today "buy milk" --node assistant', `date | ${programName} append /log --dir ./memory`],
  );
  addActorOption(addMountOption(addTargetOptions(command))).action(
    async (path: string, given: string | undefined, options: AppendOptions) => {
      await withMemory(context, options, "write", async ({ memory, tellingOfNew }) => {
        const text = await givenText(given, context.io.stdin);
        await tellingOfNew(noteOn(context, options), () => about(path, () => memory.append(path, text)));
        if (options.json) await context.out.json({ ok: true, path: normalizePath(path) });
      });
    },
  );
}
