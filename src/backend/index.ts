export type { MemoryActor } from "../core/values/actor.js";
export type { CheckedAddress, MemoryAddress } from "../core/values/address.js";
export type { BackendFeatures, BackendLimits, MemoryBackend } from "../core/contract/backend.js";
export {
  alreadyExists,
  directoryNotFound,
  fileNotFound,
  fileTooLarge,
  memoryFull,
  parentIsFile,
  pathIsDirectory,
  pathIsFile,
} from "../core/values/errors.js";
export type {
  DeletedCounts,
  FileStat,
  Memory,
  MemoryChange,
  MemoryChanges,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
  SnapshotFile,
  WatchOptions,
} from "../core/memory.js";
export type { MemoryOrigin } from "../core/pipeline.js";
export { type OpenBackend, openMemoryOver } from "../core/open-memory-over.js";
export type { ServerAddress } from "../core/tracing/memory-attributes.js";
export type { CallContext } from "../core/runtime/call.js";
export type { MemoryOptions, MemoryUse } from "../core/memory-options.js";
export type { GrepMatch, GrepOptions, GrepPattern, SearchHit, SearchOptions } from "../core/search/search-options.js";
export type { SearchWords } from "../core/search/words.js";
export type { ChangeListener } from "../core/contract/change-listener.js";
export type { VersionedFile, VersionedSnapshot } from "../core/tree/snapshot.js";
export { type AppliedChange, applyChange, type ApplySettings } from "../core/tree/apply-change.js";
export type { Change, ChangeOptions, ChangeResult } from "../core/tree/change.js";
export { MemoryTree, type TreeEdits } from "../core/tree/memory-tree.js";
