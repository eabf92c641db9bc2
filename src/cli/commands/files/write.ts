import { Option } from "commander";
import { normalizePath } from "../../../core/values/paths.js";
import { memoryCommand } from "../../memory-command.js";
import { changeOptions } from "../../targets/target-options.js";
import { readText } from "../../terminal/text-input.js";

export const write = memoryCommand<{ path: string; text?: string; ifExists: "replace" | "fail" }>({
  usage: "write <path> [text]",
  description:
    "Set the whole text of a file. Creates the file and its directories. Without a text, or with -, it reads the " +
    "standard input.",
  examples: [
    'write "/house rules" "Be brief." --node assistant',
    "write /notes.md --if-exists fail --dir . < notes.md",
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
