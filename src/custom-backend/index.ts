import {
  alreadyExists,
  directoryNotFound,
  fileNotFound,
  fileTooLarge,
  memoryFull,
  parentIsFile,
  pathIsDirectory,
  pathIsFile,
} from "../core/values/errors.js";

export type { MemoryAddress } from "../core/values/address.js";
export type { BackendLimits, MemoryBackend } from "../core/contract/backend.js";
export type {
  FileStat,
  Memory,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
} from "../core/memory.js";
export { openMemoryOver } from "../core/open-memory-over.js";
export type { CallContext } from "../core/runtime/call.js";
export type { MemoryOptions } from "../core/memory-options.js";
export { applyChange } from "../core/tree/apply-change.js";
export type { Change, ChangeOptions, ChangeResult } from "../core/tree/change.js";
export { MemoryTree } from "../core/tree/memory-tree.js";

/**
 * The refusals of a backend, with the codes and the words that the tests of backends expect. Each function creates an
 * error.
 */
export const memoryErrors = {
  fileNotFound,
  directoryNotFound,
  pathIsDirectory,
  pathIsFile,
  parentIsFile,
  alreadyExists,
  fileTooLarge,
  memoryFull,
} as const;
