import { type Command, Option } from "commander";
import { normalizePath } from "../../core/values/paths.js";
import { newCommand } from "../command.js";
import { about } from "../fault.js";
import type { CliContext } from "../context.js";
import { addMountOption } from "../targets/mount-options.js";
import { withMemory } from "../targets/open-target.js";
import { addActorOption, addTargetOptions, type TargetOptions } from "../targets/target-options.js";
import { noteOn } from "../terminal/note.js";
import { givenText } from "../terminal/text-input.js";

interface WriteOptions extends TargetOptions {
  ifExists: "replace" | "fail";
  json?: boolean;
}

export function addWrite(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "write <path> [text]",
    "Set the whole text of a file. Creates the file and its directories. Without a text, or with -, it reads the standard input.",
    [
      'write "/house rules" "Answer in one sentence." --node assistant',
      "write /notes.md --if-exists fail --dir ./memory < notes.md",
    ],
  ).addOption(
    new Option("--if-exists <what>", "what to do if the file exists").choices(["replace", "fail"]).default("replace"),
  );
  addActorOption(addMountOption(addTargetOptions(command))).action(
    async (path: string, given: string | undefined, options: WriteOptions) => {
      await withMemory(context, options, "write", async ({ memory, tellingOfNew }) => {
        const text = await givenText(given, context.io.stdin);
        const { sizeBytes, createdAt, updatedAt } = await tellingOfNew(noteOn(context, options), () =>
          about(path, () => memory.write(path, text, { ifExists: options.ifExists })),
        );
        if (options.json)
          await context.out.json({ ok: true, path: normalizePath(path), sizeBytes, createdAt, updatedAt });
      });
    },
  );
}
