import type { ChangeRecords } from "./change-record.js";
import type { HistoryBackend } from "../history/history-backend.js";
import type { MemoryEntry, MemorySnapshot, MemoryStat, VersionedSnapshot } from "../tree/snapshot.js";
import type { MemoryOutline, OutlineOptions } from "../tree/outline.js";
import type { CallContext } from "../runtime/call.js";
import type { CandidateFiles } from "./candidate-files.js";
import type { Embeddings } from "./embeddings.js";
import type { Change, ChangeOptions, ChangeResult } from "../tree/change.js";
import type { ChangeListener } from "./change-listener.js";

/**
 * The contract of a storage: one memory, already addressed. Arguments arrive checked and normalised: paths are
 * absolute, texts are well-formed strings. So a backend only stores.
 *
 * Every method is atomic and isolated against the others. A refusal changes nothing. A failure of the storage is a
 * MemoryError EIO whose message names no host or path, and says "the outcome is unknown" if a change may have been
 * made. The backend enforces the limits, because only it sees the old size and the new one in the same step.
 *
 * The last argument of every method is the call. Its caller has an answer already when it is aborted, so the backend
 * only has to stop: no step begins after `call.throwIfAborted()` throws.
 */
export interface MemoryBackend {
  /** The text of a file. @throws ENOENT, EISDIR */
  read(path: string, call: CallContext): Promise<string>;
  /** The text of each file at one moment, in the order of `paths`. Null for a missing file and for a directory. */
  readFiles(paths: readonly string[], call: CallContext): Promise<(string | null)[]>;
  /** Immediate children in any order. A memory never written is an empty root. @throws ENOENT, ENOTDIR */
  list(path: string, call: CallContext): Promise<MemoryEntry[]>;
  /** Null for a missing path. The root is always a directory. */
  stat(path: string, call: CallContext): Promise<MemoryStat | null>;
  /** Every file and directory but the root, at one moment, in any order. */
  snapshot(call: CallContext): Promise<MemorySnapshot>;
  /**
   * The same without times. Has no contents if they add up to more than `maxContentBytes` bytes of UTF-8. Has the start
   * of each text if `leadChars` is not 0: as many UTF-16 units or more, because the caller cuts them.
   *
   * A backend may leave out what comes last, with `moreThan`, if the memory has more than 10,000 files and directories,
   * and more than half as many as `maxPathChars`. What it answers then is what comes first, by depth, and of one depth
   * by path with a slash after that of a directory: until their paths, with two units for each, are longer than
   * `maxPathChars`. What lies below a directory whose name begins with a dot does not count; its files are in the
   * outline too, or 10,000 of them and the directory in `uncounted`. So a backend that answers everything is right.
   */
  outline(options: Required<OutlineOptions>, call: CallContext): Promise<MemoryOutline>;
  /**
   * Makes a change in one step, or refuses it, as `applyChange` says.
   * @throws the refusals of `applyChange`, ENOSPC, ECONFLICT
   */
  change(change: Change, options: ChangeOptions, call: CallContext): Promise<ChangeResult>;
  /** What the storage can do beyond that. What is left out has a slower replacement or none. */
  readonly features?: BackendFeatures;
}

/** Optional powers of a storage. */
export interface BackendFeatures {
  /** The same object for all backends of one storage. They then share the indexes of searches. */
  readonly storage?: object;
  /**
   * A text that changes whenever the memory changes, and never comes back for other contents; null if the storage keeps
   * no count. It takes about as long as a read.
   */
  version?(call: CallContext): Promise<string | null>;
  /**
   * Everything but the root at one moment, without the texts that the caller has: those of files whose version is the
   * one that `known` has for their path. With it a search and a watch read only what has changed.
   */
  snapshotSince?(known: ReadonlyMap<string, string>, call: CallContext): Promise<VersionedSnapshot>;
  /**
   * The texts of a large memory that may answer a query, at one moment: all that contain one of its words, in the form
   * in which `englishWords` has them, or the 1,000 most promising. Null if a search must read the whole memory: it is
   * small, or the storage cannot search for these words. @internal
   */
  prefilter?(query: string, path: string, call: CallContext): Promise<CandidateFiles | null>;
  /** The embeddings for its passages. @internal */
  embeddings?(call: CallContext): Embeddings;
  /**
   * Begins to listen for changes. The listener receives every change that is made after this resolves. Null if this
   * storage does not report changes; a watch then polls.
   */
  listen?(call: CallContext): Promise<ChangeListener | null>;
  /** What happened in the memory, for one call. Left out if it is not recorded. @internal */
  history?(call: CallContext): HistoryBackend;
  /** Where changes that wait for a person are kept, for one call. @internal */
  approvals?(call: CallContext): ChangeRecords;
}

/** The limits of one memory, which its backend keeps. */
export interface BackendLimits {
  /** Largest file, in bytes of UTF-8. Over it: EFBIG. */
  maxFileBytes: number;
  /** Largest memory, in bytes as it is stored. Over it: ENOSPC. A backend that cannot measure a memory ignores it. */
  maxMemoryBytes: number;
}
