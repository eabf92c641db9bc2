export type { MemoryActor } from "../core/actor.js";
export type { CheckedAddress, MemoryAddress } from "../core/address.js";
export type { BackendLimits, MemoryBackend, WriteMode } from "../core/backend.js";
export {
  alreadyExists,
  directoryNotFound,
  fileNotFound,
  fileTooLarge,
  memoryFull,
  parentIsFile,
  pathIsDirectory,
  pathIsFile,
} from "../core/errors.js";
export type {
  DeletedCounts,
  FileStat,
  FoundText,
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
export { type MemoryOrigin, type OpenBackend, openMemoryOver } from "../core/checked-memory.js";
export type { ServerAddress } from "../core/trace/memory-attributes.js";
export type { OngoingCall } from "../core/ongoing-call.js";
export type { MemoryOptions, MemoryUse } from "../core/options.js";
export type { GrepMatch, GrepOptions, GrepPattern, SearchHit, SearchOptions } from "../core/search/search-options.js";
export type { SearchWords } from "../core/search/words.js";
export { parentsOf } from "../core/paths.js";
export type { ChangeListener } from "../core/watch/memory-changes.js";
export { appendText, replaceText } from "../core/text.js";
export type { VersionedFile, VersionedSnapshot } from "../core/snapshot.js";
export { MemoryTree } from "../core/tree.js";
