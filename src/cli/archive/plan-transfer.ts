import type { Memory } from "../../core/memory.js";
import { MemoryError } from "../../core/values/errors.js";
import { utf8Bytes } from "../../core/values/text.js";
import type { DatedFile } from "../../mongodb/admin/memory-database.js";
import { about, CommandError } from "../errors.js";
import type { OpenTarget } from "../targets/open-target.js";
import { planRestoration } from "./plan-restoration.js";
import { TransferCheck } from "./transfer-check.js";
import type { TransferCounts, TransferPlan } from "./transfer-plan.js";
import { readTree, type Tree, type TreeFile, withTree } from "./tree.js";

/**
 * A file in a directory makes the directory, and is then removed. Its name is the shortest, so it fits wherever a
 * directory does.
 */
const placeholderName = "~";
const placeholderText = "Left behind by a copy that was broken off; it may be deleted.\n";
const placeholderBytes = utf8Bytes(placeholderText);

/** @throws CommandError for whatever the memory cannot take */
export async function planTransfer(tree: Tree, open: OpenTarget, overwrite: boolean): Promise<TransferPlan> {
  if (tree.history !== null) return planRestoration(tree, tree.history, open);
  return withTree(await about(open.name, () => readTree(open)), (present) =>
    planAdditions(tree, present, open, overwrite),
  );
}

interface PlannedFile {
  file: TreeFile;
  /** Null for a new file. */
  replaced: TreeFile | null;
}

interface Additions {
  writes: PlannedFile[];
  /** Directories that contain nothing; the others come with their files. */
  directories: string[];
  /** Files of an interrupted run that made a directory. */
  leftovers: string[];
  unchanged: number;
}

async function planAdditions(tree: Tree, present: Tree, open: OpenTarget, overwrite: boolean): Promise<TransferPlan> {
  const check = new TransferCheck(open, present);
  check.directories(tree.directories);
  const filesByPath = new Map(present.files.map((file) => [file.path, file]));
  const presentDirectories = new Set(present.directories);
  const directories = getEmptyDirectories(tree);
  const additions: Additions = {
    writes: [],
    directories: directories.filter((path) => !presentDirectories.has(path)),
    leftovers: await findLeftovers(directories, filesByPath),
    unchanged: 0,
  };
  const { writes } = additions;
  for (const file of tree.files) {
    check.file(file);
    const same = filesByPath.get(file.path);
    if (same !== undefined && (await isEqual(file, same))) additions.unchanged += 1;
    else writes.push({ file, replaced: same ?? null });
  }
  check.tree(tree);
  const replaced = writes.filter((write) => write.replaced !== null).map(({ file }) => file.path);
  if (replaced.length > 0 && !overwrite) throw conflictError(replaced, open);
  check.total(writes.map(({ file }) => file));
  return { files: writes.length, run: (onFile) => writeAdditions(additions, open, onFile) };
}

/** A file appears whole or not at all. After a failure, the next run continues. */
async function writeAdditions(
  { writes, directories, leftovers, unchanged }: Additions,
  open: OpenTarget,
  onFile: () => void,
): Promise<TransferCounts> {
  const counts: TransferCounts = { written: 0, replaced: 0, unchanged, versions: 0 };
  const { memory, name, writeFiles } = open;
  const maxFiles = writeFiles === null ? 1 : maxBatch.files;
  for (let start = 0; start < writes.length;) {
    const batch = takeBatch(writes.slice(start, start + maxFiles));
    await writeBatch(batch, open);
    for (const { replaced } of batch) {
      counts[replaced === null ? "written" : "replaced"] += 1;
      onFile();
    }
    start += batch.length;
  }
  for (const path of directories) await about(`${name}: ${path}`, () => makeDirectory(memory, path));
  for (const path of leftovers) await about(`${name}: ${path}`, () => memory.delete(path));
  return counts;
}

/** What one change brings at most; a larger file comes alone. The texts that it replaces count for a history. */
const maxBatch = { files: 2000, bytes: 1_000_000 };

/** The first of some writes: as many as one change should bring, one at least. */
function takeBatch(writes: readonly PlannedFile[]): PlannedFile[] {
  let bytes = 0;
  const end = writes.findIndex(({ file, replaced }, index) => {
    bytes += file.sizeBytes + (replaced?.sizeBytes ?? 0);
    return index > 0 && bytes > maxBatch.bytes;
  });
  return writes.slice(0, end === -1 ? writes.length : end);
}

async function writeBatch(batch: readonly PlannedFile[], { memory, name, writeFiles }: OpenTarget): Promise<void> {
  const files: DatedFile[] = [];
  for (const { file, replaced } of batch) {
    const ifExists = replaced === null ? "fail" : "replace";
    const text = { path: file.path, ...(await file.load()), ifExists } as const;
    if (writeFiles === null)
      await about(`${name}: ${file.path}`, () => memory.write(file.path, text.content, { ifExists }));
    else files.push(text);
  }
  if (writeFiles === null) return;
  await writeFiles(files).catch((error: unknown) => {
    const path = MemoryError.isInstance(error) ? error.path : undefined;
    return about(path === undefined ? name : `${name}: ${path}`, () => Promise.reject(error));
  });
}

async function makeDirectory(memory: Memory, directory: string): Promise<void> {
  const placeholder = `${directory}/${placeholderName}`;
  await memory.write(placeholder, placeholderText, { ifExists: "fail" });
  await memory.delete(placeholder);
}

function getEmptyDirectories({ directories, files }: Tree): string[] {
  const paths = [...files.map(({ path }) => path), ...directories];
  const parents = new Set(paths.map((path) => path.slice(0, path.lastIndexOf("/"))));
  return directories.filter((path) => !parents.has(path));
}

async function findLeftovers(directories: readonly string[], files: ReadonlyMap<string, TreeFile>): Promise<string[]> {
  const leftovers: string[] = [];
  for (const directory of directories) {
    const file = files.get(`${directory}/${placeholderName}`);
    if (file?.sizeBytes === placeholderBytes && (await file.load()).content === placeholderText)
      leftovers.push(file.path);
  }
  return leftovers;
}

async function isEqual(file: TreeFile, other: TreeFile): Promise<boolean> {
  if (file.sizeBytes !== other.sizeBytes) return false;
  return (await file.load()).content === (await other.load()).content;
}

function conflictError(paths: readonly string[], { name }: OpenTarget): CommandError {
  const others = paths.length === 1 ? "" : ` and ${paths.length - 1} more`;
  return new CommandError(
    "EEXIST",
    `${name}: ${paths[0]}${others} would be replaced by other contents; pass --overwrite if that is meant`,
  );
}
