import type { ArchivedFile, ArchivedHistory, ArchivedText } from "../../core/history/archived-version.js";
import type { Memory } from "../../core/memory.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { MemoryError } from "../../core/values/errors.js";
import { normalizePath, getParents, ROOT } from "../../core/values/paths.js";
import { compareCodeUnits, shorten } from "../../core/values/text.js";
import type { MemoryMoment } from "../../mongodb/admin/memory-database.js";
import { about, inputError, usageError } from "../errors.js";
import type { OpenTarget } from "../targets/open-target.js";
import { readAhead } from "./read-ahead.js";

export type FileContent = ArchivedText;
/** Folders and archives are read file by file, snapshots of a database in batches. */
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

/** A tree that is read from a memory. Nothing of it can be loaded after it is closed. */
export interface OpenTree extends Tree {
  close: () => Promise<void>;
}

/** Reads a memory of a database at once, as it is at one moment. Reads a folder file by file. */
export async function readTree({ memory, stored }: OpenTarget): Promise<OpenTree> {
  if (stored === null)
    return { ...(await readFolder(memory)), address: null, history: null, close: async () => undefined };
  const { files, directories } = await memory.snapshot();
  return {
    address: stored.address,
    directories: directories.toSorted(compareCodeUnits),
    files: files
      .toSorted((a, b) => compareCodeUnits(a.path, b.path))
      .map((file) => ({ ...file, load: async () => file })),
    history: null,
    close: async () => undefined,
  };
}

async function readFolder(memory: Memory): Promise<Pick<Tree, "files" | "directories">> {
  const { files, directories } = await memory.outline();
  const load = async (path: string): Promise<FileContent> => {
    const content = await memory.read(path);
    const { createdAt, updatedAt } = (await memory.stat(path)) ?? {};
    return { content, createdAt: createdAt ?? new Date(0), updatedAt: updatedAt ?? new Date(0) };
  };
  return { directories, files: files.map(({ path, sizeBytes }) => ({ path, sizeBytes, load: () => load(path) })) };
}

/** The same with its history, if it has one. @throws CommandError EUSAGE for a folder, which keeps none */
export async function readTreeWithHistory(open: OpenTarget): Promise<OpenTree> {
  const { stored, name } = open;
  if (stored === null) throw usageError(`--history: ${name} keeps no history; leave it out`);
  return (await readArchived(stored, name)) ?? readTree(open);
}

/** Null where there is no memory. */
export async function readArchived(
  { database, address }: NonNullable<OpenTarget["stored"]>,
  name: string,
): Promise<OpenTree | null> {
  const archived = await database.archived(address);
  return archived && { ...createTree(archived, name), address, history: archived.history };
}

function createTree(moment: MemoryMoment, name: string): Pick<OpenTree, "files" | "directories" | "close"> {
  const files = moment.files.toSorted((a, b) => compareCodeUnits(a.path, b.path));
  return {
    files: readAhead(files, (paths) => about(name, () => moment.read(paths))),
    directories: moment.directories.toSorted(compareCodeUnits),
    close: () => moment.close(),
  };
}

/** Closes a tree after `run`. */
export async function withTree<T>(tree: OpenTree, run: (tree: Tree) => Promise<T>): Promise<T> {
  try {
    return await run(tree);
  } finally {
    await tree.close();
  }
}

/** Refuses what is not the tree of a memory, before anything of it is used. @throws CommandError EINPUT */
export function checkTree({ directories, files }: Pick<Tree, "directories" | "files">, where: string): void {
  const filePaths = new Set<string>();
  for (const { path } of files) {
    checkPath(path, where);
    if (filePaths.has(path)) throw inputError(`${where}: ${path} is there twice; export it again`);
    filePaths.add(path);
  }
  for (const path of directories) {
    checkPath(path, where);
    if (filePaths.has(path)) throw inputError(`${where}: ${path} is both a file and a directory; export it again`);
  }
  for (const path of [...filePaths, ...directories]) {
    const parent = getParents(path).find((directory) => filePaths.has(directory));
    if (parent !== undefined)
      throw inputError(`${where}: ${path} lies below ${parent}, which is a file; export it again`);
  }
}

/** @throws CommandError EINPUT */
export function checkPath(path: string, where: string): void {
  const fail = (reason: string): never => {
    throw inputError(
      `${where}: ${JSON.stringify(shorten(path, 200))} is no path of a memory (${reason}); it must be as export ` +
        `writes it, such as "/notes/today"`,
    );
  };
  try {
    if (normalizePath(path) !== path || path === ROOT) fail("another spelling");
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    fail(error.message);
  }
}
