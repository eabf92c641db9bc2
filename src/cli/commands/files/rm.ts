import { Option } from "commander";
import { fileNotFound } from "../../../core/values/errors.js";
import { normalizePath, ROOT } from "../../../core/values/paths.js";
import { usageError } from "../../errors.js";
import { memoryCommand } from "../../memory-command.js";
import { changeOptions } from "../../targets/target-options.js";
import { countText } from "../../terminal/format.js";

export const rm = memoryCommand<{ path: string; all?: boolean }>({
  usage: "rm <path>",
  description: "Remove a file, or a directory with everything below it, in one step. It does not ask.",
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
