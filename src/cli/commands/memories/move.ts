import { Option } from "commander";
import { checkMemoryFilter } from "../../../mongodb/admin/checks.js";
import { getField } from "../../../core/values/unknown-values.js";
import { type ImportedMemories, type ImportedMemory, openArchive } from "../../archive/read-archive.js";
import { readFolder, type SkippedEntry } from "../../archive/read-folder.js";
import { transferMemories, type TransferSettings } from "../../archive/transfer.js";
import { type OpenTargets, writeArchive, writeWholeFile } from "../../archive/write-archive.js";
import { createCommand, programName, type Report } from "../../command.js";
import { moveInFrom, type MoveInInput, moveInOptions, printLosses, refuseMoveInOptions } from "./move-in.js";
import type { CliContext } from "../../context.js";
import { about, CommandError, usageError, withFile } from "../../errors.js";
import { openFolder } from "../../targets/open-folder.js";
import {
  openMemoryIn,
  type OpenTarget,
  transferSettings,
  withDatabase,
  withMemories,
  withMemory,
} from "../../targets/open-target.js";
import {
  actorOption,
  checkPatterns,
  getDatabaseTarget,
  getOptionalAddress,
  getOwner,
  memoryFlags,
  memoryOptions,
  refuseOptions,
  type TargetOptions,
} from "../../targets/target-options.js";
import { countText } from "../../../core/display/count-text.js";

interface ExportOptions extends TargetOptions {
  file?: string;
  toDir?: string;
  all?: boolean;
  overwrite?: boolean;
}

export const exportMemories = createCommand<ExportOptions>({
  usage: "export [file]",
  description:
    "Save memories into a file or a folder. Saves a memory, all memories of a user or a thread, or all memories of a " +
    "database. Writes JSONL into a file or to the standard output (-). With --to-dir, writes the files of one memory " +
    "into a folder. The file appears when it is complete. With -, the summary goes to the standard error.",
  examples: [
    "export assistant.jsonl --node assistant --user ada",
    "export ada.jsonl --user ada@example.com",
    "export - --all | gzip > memories.jsonl.gz",
    "export --to-dir ./memory --node assistant",
  ],
  options: [
    new Option("--all", "all memories of the database, instead of --node"),
    new Option("--to-dir <folder>", "write the files of one memory into a folder, where people can read and edit them"),
    new Option("--overwrite", "replace the file, or files of the folder that have other contents"),
    ...memoryOptions,
  ],
  run: async (input, context) => {
    const { file, toDir, overwrite = false, json } = input;
    if (toDir !== undefined && file === undefined) return exportToFolder(toDir, input, context);
    if (toDir !== undefined || file === undefined)
      throw usageError("export takes a file, - for the standard output, or --to-dir; pass one of them");
    const { out, err } = context;
    const counts = await withTargets(input, context, (memories) =>
      file === "-"
        ? writeArchive(memories, (text) => out.write(text))
        : writeWholeFile(file, overwrite, (handle) => writeArchive(memories, (text) => handle.writeFile(text))),
    );
    const { memories, files } = counts;
    const text = `exported ${countText(memories, "memory")}: ${countText(files, "file")} written\n`;
    if (file !== "-") return { json: counts, text };
    if (json === true) await err.json({ ok: true, ...counts });
    else if (err.isTerminal) await err.write(text);
    return undefined;
  },
});

function exportToFolder(toDir: string, input: ExportOptions, context: CliContext): Promise<Report> {
  const { paths, overwrite } = input;
  refuseOptions(input, ["all"], "does not go with --to-dir, as a folder is one memory; leave one out");
  return withMemory(context, input, { access: "read" }, async ({ memory, name, address }) => {
    const { files } = await about(name, () => memory.snapshot());
    const folder = await openFolder("--to-dir", toDir, { paths }, transferSettings.maxFileBytes);
    return transferMemories([{ address, files }], {
      verb: "exported",
      open: () => folder,
      isOne: true,
      note: (sentence) => context.err.note(sentence, input.json === true),
      overwrite,
    });
  });
}

/** Opens the memories that the options name, one after another. */
function withTargets<T>(
  input: ExportOptions,
  context: CliContext,
  run: (memories: OpenTargets) => Promise<T>,
): Promise<T> {
  const { all, node, thread, user } = input;
  if (all === true) refuseOptions(input, memoryFlags, "does not go with --all; leave one of the two out");
  else if (node !== undefined || (thread ?? user) === undefined)
    return withMemory(context, input, { access: "read" }, (open) => run([open]));
  const ranges = checkMemoryFilter(getOwner(input));
  return withMemories(context, input, (database) => {
    async function* openEach(): AsyncGenerator<OpenTarget> {
      let isEmpty = all !== true;
      for await (const { address } of database.summaries(ranges)) {
        isEmpty = false;
        yield openMemoryIn(database, address, { access: "read" });
      }
      if (isEmpty) throw new CommandError("ENOENT", "no memory was found; `memories` lists those that there are");
    }
    return run(openEach());
  });
}

export const importMemories = createCommand<MoveInInput>({
  usage: "import [file]",
  description:
    "Restore an export, or bring in a folder of texts. Reads a JSONL file or the standard input (-), or with --dir a " +
    "folder. Name the memory that receives everything; without a name, each memory is restored to its own address. Of several " +
    "memories, --node or --user takes only those of this name. It checks " +
    "each memory before it writes, and deletes nothing. If it ends early, run it again: it skips files that are " +
    "already equal. With --from it moves in the memories of another program: see docs/move-in.md.",
  examples: [
    "import memories.jsonl",
    "import assistant.jsonl --node assistant --user ada",
    "import --dir ./memory --node assistant --overwrite",
    `gunzip -c memories.jsonl.gz | ${programName} import -`,
    "import --dir ./vault --include '/**/*.md' --node a",
    "import mem0.json --from mem0 --node a --user ada",
  ],
  options: [
    new Option(
      "--dir <folder>",
      "bring in the texts of a folder, instead of an archive; says what it skips, such as pictures and links",
    ),
    new Option("--include <pattern...>", 'with --dir: take only these files, such as "/**/*.md"'),
    new Option("--to-dir <folder>", "write the files into a folder, instead of a memory of a database"),
    new Option("--overwrite", "replace files that exist with other contents"),
    new Option("--dry-run", "only check, and say what it would write"),
    ...moveInOptions,
    ...memoryOptions,
    actorOption,
  ],
  renamed: { namespace: "fromNamespace" },
  run: async (input, context) => {
    const { file, dir, from } = input;
    if (from !== undefined) return moveInFrom(from, input, context);
    refuseMoveInOptions(input);
    if (dir === undefined) refuseOptions(input, ["include"], "goes with --dir");
    checkPatterns("--include", input.include);
    if (dir !== undefined && file === undefined) return importFolder(dir, input, context);
    if (dir !== undefined || file === undefined)
      throw usageError("import takes an archive, - for the standard input, or --dir; pass one of them");
    // Reads the archive while it is imported. All other errors of the file system are those of a memory.
    return withFile(file, "read", async () => importFrom(await openArchive(file, context.io.stdin), input, context));
  },
});

async function importFolder(dir: string, input: MoveInInput, context: CliContext): Promise<Report> {
  const { memory, skipped } = await readFolder(dir, input.include);
  const report = await importFrom([memory], input, context);
  return reportSkipped(report, skipped, input.json === true, context);
}

async function reportSkipped(
  { json, text = "" }: Report,
  skipped: readonly SkippedEntry[],
  asJson: boolean,
  context: CliContext,
): Promise<Report> {
  const losses = skipped.map(({ path, reason }) => ({ result: "skipped", what: path, why: reason }) as const);
  if (!asJson) await printLosses("skipped", losses, skipped.length, context);
  const count = skipped.length === 0 ? "" : `, ${skipped.length} skipped`;
  const parts = skipped.map(({ path, reason }) => ({ path, reason }));
  return { json: { ...json, skipped: parts }, text: text.replace(/\n$/, `${count}\n`) };
}

async function importFrom(given: ImportedMemories, input: MoveInInput, context: CliContext): Promise<Report> {
  const { toDir, paths, as, overwrite, dryRun } = input;
  const transfer = (memories: ImportedMemories, open: TransferSettings["open"], isOne: boolean): Promise<Report> =>
    transferMemories(memories, {
      verb: "imported",
      open,
      isOne,
      note: (sentence) => context.err.note(sentence, input.json === true),
      overwrite,
      dryRun,
    });
  if (toDir !== undefined) {
    const folder = await openFolder("--to-dir", toDir, input, transferSettings.maxFileBytes);
    return transfer(takeOne(given), () => folder, true);
  }
  const named = input.node === undefined ? undefined : getOptionalAddress(input);
  return withDatabase(getDatabaseTarget(input, context.io.env), (database) =>
    transfer(
      confine(given, named ?? getOwner(input)),
      (from, access) => {
        const address = named ?? from;
        if (address !== null) return openMemoryIn(database, address, { ...transferSettings, access, paths, as });
        throw usageError("no memory was named for the files of the folder; pass --node, or --to-dir");
      },
      named !== undefined,
    ),
  );
}

/** @throws CommandError EUSAGE before the first write if there are several memories */
async function* takeOne(given: ImportedMemories): AsyncGenerator<ImportedMemory> {
  let only: ImportedMemory | null = null;
  for await (const memory of given) {
    if (only !== null) throw usageError("there are several memories; pass --node for one of them, and no --to-dir");
    only = memory;
  }
  if (only !== null) yield only;
}

/**
 * Leaves out the memories of others: of an archive of several memories, or if only a user or a thread is named. The only
 * memory of an archive goes into the memory that `--node` names.
 * @param wanted the fields of an address that a memory must have. @throws CommandError ENOENT, EINPUT
 */
async function* confine(given: ImportedMemories, wanted: object): AsyncGenerator<ImportedMemory> {
  let [count, found] = [0, 0];
  let only: ImportedMemory | null = null;
  for await (const memory of given) {
    count += 1;
    const { address } = memory;
    const isWanted = Object.entries(wanted).every(([field, value]) => getField(address, field) === value);
    only = count === 1 ? memory : null;
    // The first memory waits for the second one, or for the end.
    if (!isWanted && address !== null) continue;
    found += 1;
    yield memory;
  }
  if (found > 0 || count === 0) return;
  if (only !== null && "nodeId" in wanted) yield only;
  else
    throw new CommandError(
      "ENOENT",
      `none of the ${countText(count, "memory")} is of this name; leave --node, --user and --thread out, and each is restored to ` +
        "its own address",
    );
}
