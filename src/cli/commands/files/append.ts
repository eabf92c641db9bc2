import { normalizePath } from "../../../core/values/paths.js";
import { programName } from "../../command.js";
import { memoryCommand } from "../../memory-command.js";
import { changeOptions } from "../../targets/target-options.js";
import { readText } from "../../terminal/text-input.js";

export const append = memoryCommand<{ path: string; text?: string }>({
  usage: "append <path> [text]",
  description:
    "Add text to the end of a file, on a new line. Creates the file and its directories. Without a text, or with -, " +
    "it reads the standard input.",
  examples: ['append /notes/today "buy milk" --node assistant', `date | ${programName} append /log --dir ./memory`],
  options: changeOptions,
  access: "write",
  missing: "report",
  run: async ({ memory }, { path, text }, { io }) => {
    await memory.append(path, await readText(text, io.stdin));
    return { json: { path: normalizePath(path) } };
  },
});
