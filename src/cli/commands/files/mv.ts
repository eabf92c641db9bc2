import { normalizePath } from "../../../core/values/paths.js";
import { memoryCommand } from "../../memory-command.js";
import { changeOptions } from "../../targets/target-options.js";

export const mv = memoryCommand<{ from: string; to: string }>({
  usage: "mv <from> <to>",
  description: "Move or rename a file or a directory. It never overwrites.",
  examples: ["mv /notes/today /notes/monday --node assistant", "mv /notes /archive/notes --dir ./memory"],
  options: changeOptions,
  access: "write",
  subject: ({ from, to }) => `${from} to ${to}`,
  run: async ({ memory }, { from, to }) => {
    await memory.rename(from, to);
    return { json: { from: normalizePath(from), to: normalizePath(to) } };
  },
});
