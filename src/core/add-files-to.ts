import type { Memory } from "./memory.js";
import type { AddedFile, DatedFile } from "./tree/add-files.js";
import { withPath } from "./values/error-paths.js";
import { alreadyExists, MemoryError, type MemoryErrorCode } from "./values/errors.js";

/** Reason for a symbol: the other build of this package has its own classes. */
export const addFilesSymbol: unique symbol = Symbol.for("langgraph-mongo-memory.addFiles");

/** A memory that can bring in files with their times, in one change. */
export interface AddingMemory extends Memory {
  /** Null: the storage cannot, or each change must be checked alone by a policy. */
  [addFilesSymbol](files: readonly DatedFile[]): Promise<AddedFile[]> | null;
}

/**
 * Brings in files, each path once: in MongoDB in one change and with their times, elsewhere one after another. Several
 * thousand small files, or one MB, are as much as one change should bring.
 * @returns what became of each file. @throws EIO, ENOSPC, ECONFLICT; then some files may have been written
 */
export async function addFilesTo(memory: Memory, files: readonly DatedFile[]): Promise<AddedFile[]> {
  const added = isAdding(memory) ? memory[addFilesSymbol](files) : null;
  if (added !== null) return added;
  const result: AddedFile[] = [];
  for (const file of files) result.push(await addFile(memory, file));
  return result;
}

function isAdding(memory: Memory): memory is AddingMemory {
  return addFilesSymbol in memory;
}

const refusals: readonly MemoryErrorCode[] = ["EINVAL", "EACCES", "EEXIST", "EISDIR", "ENOTDIR", "EFBIG"];

async function addFile(memory: Memory, { path, content, ifExists }: DatedFile): Promise<AddedFile> {
  try {
    await memory.write(path, content, { ifExists: "fail" });
    return "written";
  } catch (error) {
    if (!MemoryError.isInstance(error) || !refusals.includes(error.code)) throw error;
    if (error.code !== "EEXIST") return withPath(error, path);
  }
  if ((await memory.read(path)) === content) return "unchanged";
  if (ifExists === "fail") return withPath(alreadyExists(), path);
  try {
    await memory.write(path, content);
    return "written";
  } catch (error) {
    if (MemoryError.isInstance(error) && refusals.includes(error.code)) return withPath(error, path);
    throw error;
  }
}
