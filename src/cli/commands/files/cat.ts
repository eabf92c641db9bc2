import { normalizePath } from "../../../core/values/paths.js";
import { memoryCommand } from "../../memory-command.js";
import { readOptions } from "../../targets/target-options.js";

export const cat = memoryCommand<{ path: string }>({
  usage: "cat <path>",
  description: "Print a file, byte for byte.",
  examples: ["cat /notes/today --node assistant", "cat /notes/today --dir ./memory > today.txt"],
  options: readOptions,
  access: "read",
  run: async ({ memory }, { path }, { out }) => {
    const content = await memory.read(path);
    return { json: { path: normalizePath(path), content }, text: out.foreign(content) };
  },
});
