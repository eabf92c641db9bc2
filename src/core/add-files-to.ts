import type { Memory } from "./memory.js";
import { memoryDefaults } from "./memory-options.js";
import type { AddedFile, AddSettings, DatedFile } from "./tree/add-files.js";
import { withPath } from "./values/error-paths.js";
import { alreadyExists, MemoryError, type MemoryErrorCode } from "./values/errors.js";

/** Reason for a symbol: the other build of this package has its own classes. */
export const adding: unique symbol = Symbol.for("langgraph-mongo-memory.adding");

/** A memory that can say how it brings in files. */
export interface AddingMemory extends Memory {
  readonly [adding]: {
    settings: AddSettings;
    /** Adds files in one change. Null if the storage cannot do so, or if a policy must check each change alone. */
    addFiles: ((files: readonly DatedFile[]) => Promise<AddedFile[]>) | null;
  };
}

/** Returns the limits under which a memory brings in files. */
export function getAddSettings(memory: Memory): AddSettings {
  return isAdding(memory) ? memory[adding].settings : { ...memoryDefaults, paths: memory.paths };
}

/**
 * Brings in files, each path once: in MongoDB in one change and with their times, elsewhere one after another. Several
 * thousand small files, or one MB, are as much as one change should bring.
 * @returns what became of each file. @throws EIO, ENOSPC, ECONFLICT; then some files may have been written
 */
export async function addFilesTo(memory: Memory, files: readonly DatedFile[]): Promise<AddedFile[]> {
  const addAtOnce = isAdding(memory) ? memory[adding].addFiles : null;
  if (addAtOnce !== null) return addAtOnce(files);
  const result: AddedFile[] = [];
  for (const file of files) result.push(await addFile(memory, file));
  return result;
}

function isAdding(memory: Memory): memory is AddingMemory {
  return adding in memory;
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
