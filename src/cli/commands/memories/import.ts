import { Option } from "commander";
import { openArchive, type ReadMemories } from "../../archive/read-archive.js";
import { readSnapshot } from "../../archive/read-snapshot.js";
import { transferMemories, type TransferSettings } from "../../archive/transfer.js";
import { createCommand, programName, type Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { usageError, withFile } from "../../errors.js";
import { openMemoryIn, transferSettings, withDatabase, withMemory, withTarget } from "../../targets/open-target.js";
import { actorOption, memoryOptions, refuseOptions, type TargetOptions } from "../../targets/target-options.js";
import { getDatabaseTarget, getTarget } from "../../targets/targets.js";

interface ImportOptions extends TargetOptions {
  file?: string;
  toDir?: string;
  overwrite?: boolean;
  dryRun?: boolean;
}

export const importMemories = createCommand<ImportOptions>({
  usage: "import [file]",
  description:
    "Restore an export, from a JSONL file or from the standard input (-), or bring in a folder of texts with --dir. It " +
    "goes into the memory that you name; without a name, each memory goes to where it came from. It checks everything " +
    "before it writes, and deletes nothing. If it is interrupted, run it again: it skips files that are already equal.",
  examples: [
    "import memories.jsonl",
    "import assistant.jsonl --node assistant --user ada",
    "import --dir ./memory --node assistant --overwrite",
    `gunzip -c memories.jsonl.gz | ${programName} import -`,
  ],
  options: [
    new Option("--dir <folder>", "bring in the files of a folder, instead of an archive"),
    new Option("--to-dir <folder>", "write the files into a folder, instead of a memory of a database"),
    new Option("--overwrite", "replace files that exist with other contents"),
    new Option("--dry-run", "only check, and say what it would write"),
    ...memoryOptions,
    actorOption,
  ],
  run: async (input, context) => {
    const { file, dir } = input;
    if ((file === undefined) === (dir === undefined))
      throw usageError("import takes an archive, - for the standard input, or --dir; pass one of them");
    if (file !== undefined)
      // Reads the archive while it is imported. All other errors of the file system are those of a memory.
      return withFile(file, "read", async () => importFrom(await openArchive(file, context.io.stdin), input, context));
    return withMemory(context, { dir }, { access: "read" }, async (open) => {
      const memory = { address: null, ...(await readSnapshot(open)) };
      return importFrom(() => [memory], input, context);
    });
  },
});

function importFrom(read: ReadMemories, input: ImportOptions, context: CliContext): Promise<Report> {
  const { node, toDir, paths = "posix", as, overwrite, dryRun } = input;
  const { env } = context.io;
  const isOne = node !== undefined || toDir !== undefined;
  const transfer = (open: TransferSettings["open"]): Promise<Report> =>
    transferMemories(read, { verb: "imported", open, isOne, overwrite, dryRun }, context);
  const destination = { ...input, dir: toDir };
  const named = isOne ? getTarget(destination, env) : null;
  if (named?.kind === "folder") return withTarget(named, transferSettings, (folder) => transfer(() => folder));
  if (named === null)
    refuseOptions(
      input,
      ["thread", "user"],
      "needs --node; leave both out, and each memory goes to where it came from",
    );
  return withDatabase(named ?? getDatabaseTarget(destination, env), (database) =>
    transfer((from, access) => {
      const address = named?.address ?? from;
      if (address !== null) return openMemoryIn(database, address, { ...transferSettings, access, paths, as });
      throw usageError("the memory was kept in a folder; pass --node, or --to-dir, for where it shall go");
    }),
  );
}
