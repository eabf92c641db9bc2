import type { CheckedAddress } from "../../core/address.js";
import { MemoryError } from "../../core/errors.js";
import { normalizePath, parentsOf, ROOT } from "../../core/paths.js";
import { inputFault } from "../fault.js";
import type { OpenMemory } from "../targets/open-target.js";

export interface FileContent {
  content: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface TreeFile {
  path: string;
  /** Bytes of UTF-8. */
  sizeBytes: number;
  /** Files of folders and archives are read one at a time. */
  load: () => Promise<FileContent>;
}

/** A memory on its way from one place to another. */
export interface Tree {
  /** Null for a memory kept in a folder. */
  address: CheckedAddress | null;
  /** Sorted, as the files. */
  directories: string[];
  files: TreeFile[];
}

/** A memory of a database at one moment, all at once. A folder may be too large for that, and is read file by file. */
export async function readTree({ kind, memory, address }: OpenMemory): Promise<Tree> {
  if (kind === "database") {
    const { files, directories } = await memory.snapshot();
    return { address, directories, files: files.map((file) => ({ ...file, load: async () => file })) };
  }
  const { files, directories } = await memory.outline();
  const load = async (path: string): Promise<FileContent> => {
    const [content, stat] = [await memory.read(path), await memory.stat(path)];
    const unknown = new Date(0);
    return { content, createdAt: stat?.createdAt ?? unknown, updatedAt: stat?.updatedAt ?? unknown };
  };
  return { address, directories, files: files.map(({ path, sizeBytes }) => ({ path, sizeBytes, load: () => load(path) })) };
}

/** Refuses what is not the tree of a memory, before anything of it is used. @throws CommandFault EINPUT */
export function checkTree({ directories, files }: Tree, where: string): void {
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
    if (parent !== undefined) throw inputFault(`${where}: ${path} lies below ${parent}, which is a file; export it again`);
  }
}

function checkPath(path: string, where: string): void {
  const fault = (reason: string): Error =>
    inputFault(`${where}: ${JSON.stringify(path)} is no path of a memory (${reason}); it must be as export writes it, such as "/notes/today"`);
  let normal: string;
  try {
    normal = normalizePath(path);
  } catch (error) {
    throw MemoryError.isInstance(error) ? fault(error.message) : error;
  }
  if (normal !== path || path === ROOT) throw fault("another spelling");
}
