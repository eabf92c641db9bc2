import { fileNameFault, foldName } from "../../backends/directory/names.js";
import type { SnapshotFile } from "../../core/tree/snapshot.js";
import { memoryBytesCeiling } from "../../core/memory-options.js";
import { MemoryTree, sumBytes } from "../../core/tree/memory-tree.js";
import { addFilesTo, getAddSettings, splitIntoBatches } from "../../core/bulk.js";
import { commitFiles, type DatedFile } from "../../core/tree/add-files.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { invalid, memoryFull, MemoryError } from "../../core/values/errors.js";
import { getName, getParents } from "../../core/values/paths.js";
import type { Report } from "../command.js";
import { about, type Advice, inputError, nameSubject, storageAdvice } from "../errors.js";
import type { OpenFolder } from "../targets/open-folder.js";
import type { OpenTarget } from "../targets/open-target.js";
import { countText } from "../../core/display/count-text.js";
import { findTwice, type ImportedMemories, type ImportedMemory } from "./read-archive.js";

export interface TransferSettings {
  /** "exported" or "imported", for the report. */
  verb: string;
  /** Opens the memory that receives the files of a memory: first for reading, because writing creates collections. */
  open: (address: CheckedAddress | null, access: "read" | "write") => OpenFolder | OpenTarget;
  /** Whether `open` returns the same memory for each address, so that it is not named. */
  isOne: boolean;
  /** Says something before the first write to a memory. */
  note: (sentence: string) => Promise<void>;
  overwrite?: boolean | undefined;
  dryRun?: boolean | undefined;
}

/**
 * Adds the files of memories to other memories, and deletes nothing. Each memory is checked before its first write.
 * After an interruption, or a fault in a later memory, the next run continues, because it skips equal files.
 * @throws CommandError for anything that the memories cannot take
 */
export async function transferMemories(
  given: ImportedMemories,
  { verb, open, isOne, note, overwrite = false, dryRun = false }: TransferSettings,
): Promise<Report> {
  const counts = { memories: 0, written: 0, replaced: 0, unchanged: 0 };
  const ifExists = overwrite ? "replace" : "fail";
  for await (const memory of given) {
    const plan = await planTransfer(memory, open(memory.address, "read"), ifExists);
    const { target, files, present, renamed } = plan;
    const replaced = files.filter(({ path }) => present.files.has(path)).length;
    counts.memories += 1;
    counts.written += files.length - replaced;
    counts.replaced += replaced;
    counts.unchanged += memory.files.length - files.length;
    if (!isOne) await note(`${target.name}: ${countText(files.length, "file")} to write`);
    for (const [path, to] of renamed)
      await note(`${target.name}: ${path} becomes ${to}, because a name does not begin or end with a blank`);
    if (!dryRun && files.length > 0) await runTransfer({ ...plan, target: open(memory.address, "write") });
  }
  const { memories, written, replaced, unchanged } = counts;
  const parts = [`${countText(written, "file")} written`];
  if (replaced > 0) parts.push(`${countText(replaced, "file")} replaced`);
  if (unchanged > 0) parts.push(`${countText(unchanged, "file")} there already`);
  const done = dryRun ? `checked, not ${verb},` : verb;
  return { json: { dryRun, ...counts }, text: `${done} ${countText(memories, "memory")}: ${parts.join(", ")}\n` };
}

interface TransferPlan {
  target: OpenFolder | OpenTarget;
  present: MemoryTree;
  /** New files, and files with another text. */
  files: (SnapshotFile & DatedFile)[];
  /** The paths that get another name, by their old path. */
  renamed: ReadonlyMap<string, string>;
}

/** Advice by error code. The errors of names and sizes need the source to change. */
const advice: Advice = {
  EEXIST: "pass --overwrite to replace files that have other contents",
  EISDIR: "move or remove the directory",
  ENOTDIR: "move or remove the file",
  EINVAL: "rename it in the source",
  EIO: storageAdvice,
};

/** Makes the changes on a copy of the tree, so that everything is refused before the first write. */
async function planTransfer(
  given: ImportedMemory,
  target: OpenFolder | OpenTarget,
  ifExists: DatedFile["ifExists"],
): Promise<TransferPlan> {
  const { name, database } = target;
  const snapshot = await about(name, () => target.memory.snapshot());
  const [present, after] = [new MemoryTree(snapshot), new MemoryTree(snapshot)];
  const { memory, renamed } = trimNames(given, present, name);
  const files = memory.files
    .filter(({ path, content }) => present.files.get(path)?.content !== content)
    .map((file) => ({ ...file, ifExists }));
  const names = new Map([...present.files.keys(), ...present.directories].map((path) => [foldName(path), path]));
  const { result } = commitFiles(after, files, getAddSettings(target.memory));
  for (const [index, { path }] of files.entries())
    await about(
      `${name}: ${path}`,
      async () => {
        const refusal = result[index];
        if (MemoryError.isInstance(refusal)) throw refusal;
        if (database === null) checkFolderNames(path, names);
      },
      advice,
    );
  const sizeBytes = sumBytes([...after.files.values()]);
  if (database !== null && sizeBytes > memoryBytesCeiling)
    await about(name, async () => {
      if (await database.limitsMemories()) throw memoryFull(sizeBytes, memoryBytesCeiling);
    });
  return { target, present, files, renamed };
}

/**
 * Takes the blanks from the ends of names that the memory does not have. Reason: earlier systems created such names, and
 * nobody can create them now.
 * @throws CommandError EINPUT if two files would have one path
 */
function trimNames(
  memory: ImportedMemory,
  present: MemoryTree,
  name: string,
): { memory: ImportedMemory; renamed: Map<string, string> } {
  const renamed = new Map<string, string>();
  const trim = (path: string): string => {
    const to = path.replaceAll(/[^/]+/g, (segment) => segment.trim() || "_");
    if (to === path || present.files.has(path) || present.isDirectory(path)) return path;
    renamed.set(path, to);
    return to;
  };
  const files = memory.files.map((file) => ({ ...file, path: trim(file.path) }));
  const trimmed = { ...memory, files };
  const twice = renamed.size === 0 ? undefined : findTwice(trimmed);
  if (twice === undefined) return { memory: trimmed, renamed };
  throw inputError(`${name}: ${twice} is there twice without the blanks in its names; rename one, and export it again`);
}

/** @param names all paths so far, by their folded names. @throws MemoryError for a path that a folder cannot contain */
function checkFolderNames(path: string, names: Map<string, string>): void {
  for (const each of [...getParents(path), path]) {
    const known = names.get(foldName(each));
    if (known === each) continue;
    if (known !== undefined) throw invalid(`${each} and ${known} are the same on some file systems`);
    const fault = fileNameFault(getName(each));
    if (fault !== null) throw fault;
    names.set(foldName(each), each);
  }
}

/** After a process was killed, its transaction can block others on the server for a minute. */
const writeTimeoutMs = 120_000;

/** Each file appears whole or not at all. */
async function runTransfer({ target, present, files }: TransferPlan): Promise<void> {
  const { name } = target;
  const memory = target.memory.with({ timeoutMs: writeTimeoutMs });
  // Replaced texts count, because a history stores them.
  const getBytes = ({ path, sizeBytes }: SnapshotFile): number => sizeBytes + (present.files.get(path)?.sizeBytes ?? 0);
  for (const batch of splitIntoBatches(files, getBytes)) {
    const added = await about(name, () => addFilesTo(memory, batch), advice);
    const failure = added.find((each) => typeof each !== "string");
    if (failure !== undefined)
      throw nameSubject(failure.path === undefined ? name : `${name}: ${failure.path}`, failure, advice);
  }
}
