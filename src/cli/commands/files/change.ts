import { Option } from "commander";
import { fileNotFound } from "../../../core/values/errors.js";
import { normalizePath, ROOT } from "../../../core/values/paths.js";
import { programName } from "../../command.js";
import { usageError } from "../../errors.js";
import { memoryCommand } from "../../memory-command.js";
import { changeOptions } from "../../targets/target-options.js";
import { countText } from "../../../core/display/count-text.js";
import { readText } from "../../terminal/text-input.js";

export const append = memoryCommand<{ path: string; text?: string }>({
  usage: "append <path> [text]",
  description:
    "Add text to the end of a file, on a new line. Creates the file and its directories. Without a text, or with -, " +
    "it reads the standard input.",
  examples: ['append /notes/today "buy milk" --node assistant', `date | ${programName} append /log --node assistant`],
  options: changeOptions,
  access: "write",
  missing: "report",
  run: async ({ memory }, { path, text }, { io }) => {
    await memory.append(path, await readText(text, io.stdin));
    return { json: { path: normalizePath(path) } };
  },
});

export const write = memoryCommand<{ path: string; text?: string; ifExists: "replace" | "fail" }>({
  usage: "write <path> [text]",
  description:
    "Set the whole text of a file. Creates the file and its directories. Without a text, or with -, it reads the " +
    "standard input.",
  examples: [
    'write "/house rules" "Be brief." --node assistant',
    "write /notes.md --if-exists fail --node a < notes.md",
  ],
  options: [
    new Option("--if-exists <what>", "what to do if the file exists").choices(["replace", "fail"]).default("replace"),
    ...changeOptions,
  ],
  access: "write",
  missing: "report",
  run: async ({ memory }, { path, text, ifExists }, { io }) => {
    const content = await readText(text, io.stdin);
    const { sizeBytes, createdAt, updatedAt } = await memory.write(path, content, { ifExists });
    return { json: { path: normalizePath(path), sizeBytes, createdAt, updatedAt } };
  },
});

export const rm = memoryCommand<{ path: string; all?: boolean }>({
  usage: "rm <path>",
  description: "Remove a file, or a directory with all below it. It is one step, and does not ask.",
  examples: ["rm /notes/today --node assistant", "rm / --all --node assistant --thread ada@example.com"],
  options: [new Option("--all", "needed to empty a whole memory (rm /)"), ...changeOptions],
  access: "write",
  run: async ({ memory }, { path, all }) => {
    const target = normalizePath(path);
    if (target === ROOT && all !== true)
      throw usageError("rm / would empty the whole memory; pass --all if that is meant");
    const { files, dirs } = await memory.delete(target);
    if (target !== ROOT && files + dirs === 0) throw fileNotFound();
    return {
      json: { path: target, files, dirs },
      text: `removed ${countText(files, "file")} and ${countText(dirs, "directory")}\n`,
    };
  },
});

export const mv = memoryCommand<{ from: string; to: string }>({
  usage: "mv <from> <to>",
  description: "Move or rename a file or a directory. It never overwrites.",
  examples: ["mv /notes/today /notes/monday --node assistant", "mv /notes /archive/notes --node assistant"],
  options: changeOptions,
  access: "write",
  subject: ({ from, to }) => `${from} to ${to}`,
  run: async ({ memory }, { from, to }) => {
    await memory.rename(from, to);
    return { json: { from: normalizePath(from), to: normalizePath(to) } };
  },
});
