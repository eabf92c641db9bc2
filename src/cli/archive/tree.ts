import type { CheckedAddress } from "../../core/values/address.js";
import { MemoryError } from "../../core/values/errors.js";
import type { ArchivedFile, ArchivedHistory, ArchivedText } from "../../core/history/archived-version.js";
import type { MemorySnapshot } from "../../core/memory.js";
import { normalizePath, parentsOf, ROOT } from "../../core/values/paths.js";
import { compareCodeUnits } from "../../core/values/text.js";
import type { MemoryMoment } from "../../mongodb/admin/memory-database.js";
import { about, inputFault, usageFault } from "../fault.js";
import type { OpenMemory } from "../targets/open-target.js";
import { readAhead } from "./read-ahead.js";

export type FileContent = ArchivedText;
/** Those of folders and archives come one at a time, those of a moment in batches. */
export type TreeFile = ArchivedFile;

/** A memory on its way from one place to another. */
export interface Tree {
  /** Null for a memory kept in a folder. */
  address: CheckedAddress | null;
  /** Sorted, as the files. */
  directories: string[];
  files: TreeFile[];
  /** Null where it has none, or none is wanted. */
  history: ArchivedHistory | null;
}

/** A tree that is read from a memory. Once it is closed, nothing of it is loaded any more. */
export interface OpenTree extends Tree {
  close: () => Promise<void>;
}

const closesNothing = async (): Promise<void> => undefined;

/**
 * A memory of a database at one moment, all at once or, where it may be too large for that, batch by batch. A folder is
 * read file by file.
 */
export async function readTree({ kind, memory, address, name, moment }: OpenMemory): Promise<OpenTree> {
  if (kind === "database") {
    const opened = await moment();
    if (opened !== null) return { ...momentTree(opened, name), address, history: null };
    return { ...treeOf(await memory.snapshot()), address, history: null, close: closesNothing };
  }
  const { files, directories } = await memory.outline();
  const load = async (path: string): Promise<FileContent> => {
    const [content, stat] = [await memory.read(path), await memory.stat(path)];
    const unknown = new Date(0);
    return { content, createdAt: stat?.createdAt ?? unknown, updatedAt: stat?.updatedAt ?? unknown };
  };
  return {
    address,
    directories,
    files: files.map(({ path, sizeBytes }) => ({ path, sizeBytes, load: () => load(path) })),
    history: null,
    close: closesNothing,
  };
}

/** The same with its history, if it has one. @throws CommandFault EUSAGE for a folder, which keeps none */
export async function readTreeWithHistory(open: OpenMemory): Promise<OpenTree> {
  return (await readArchived(open)) ?? readTree(open);
}

/** The same; null where there is no memory. */
export async function readArchived({ archive, address, name }: OpenMemory): Promise<OpenTree | null> {
  if (archive === null) throw usageFault(`--history: ${name} keeps no history; leave it out`);
  const archived = await archive.read();
  return archived && { ...momentTree(archived, name), address, history: archived.history };
}

/** Reads a tree, and closes it after `run`. */
export async function withTree<T>(read: () => Promise<OpenTree>, run: (tree: Tree) => Promise<T>): Promise<T> {
  const tree = await read();
  try {
    return await run(tree);
  } finally {
    await tree.close();
  }
}

function treeOf({ files, directories }: MemorySnapshot): Pick<Tree, "files" | "directories"> {
  const sorted = files.toSorted((a, b) => compareCodeUnits(a.path, b.path));
  return {
    files: sorted.map((file) => ({ ...file, load: async () => file })),
    directories: directories.toSorted(compareCodeUnits),
  };
}

function momentTree(moment: MemoryMoment, name: string): Pick<OpenTree, "files" | "directories" | "close"> {
  const sorted = moment.files.toSorted((a, b) => compareCodeUnits(a.path, b.path));
  const files = readAhead(sorted, (paths) => about(name, () => moment.read(paths)));
  return { files, directories: moment.directories.toSorted(compareCodeUnits), close: () => moment.close() };
}

/** Refuses what is not the tree of a memory, before anything of it is used. @throws CommandFault EINPUT */
export function checkTree({ directories, files }: Pick<Tree, "directories" | "files">, where: string): void {
  const seenFiles = new Set<string>();
  for (const { path } of files) {
    checkPath(path, where);
    if (seenFiles.has(path)) throw inputFault(`${where}: ${path} is there twice; export it again`);
    seenFiles.add(path);
  }
  for (const path of directories) {
    checkPath(path, where);
    if (seenFiles.has(path)) throw inputFault(`${where}: ${path} is both a file and a directory; export it again`);
  }
  for (const path of [...seenFiles, ...directories]) {
    const parent = parentsOf(path).find((directory) => seenFiles.has(directory));
    if (parent !== undefined)
      throw inputFault(`${where}: ${path} lies below ${parent}, which is a file; export it again`);
  }
}

export function checkPath(path: string, where: string): void {
  const fault = (reason: string): Error =>
    inputFault(
      `${where}: ${JSON.stringify(path)} is no path of a memory (${reason}); it must be as export writes it, such as "/notes/today"`,
    );
  let normal: string;
  try {
    normal = normalizePath(path);
  } catch (error) {
    throw MemoryError.isInstance(error) ? fault(error.message) : error;
  }
  if (normal !== path || path === ROOT) throw fault("another spelling");
}
