import type { LearningRecords } from "./change-record.js";
import type { HistoryBackend } from "../history/history-backend.js";
import type {
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
  VersionedFile,
  VersionedSnapshot,
} from "../tree/snapshot.js";
import type { CallContext } from "../runtime/call.js";
import type { AddedFile, AddSettings, DatedFile } from "../tree/add-files.js";
import { type Change, type ChangeOptions, type ChangeResult, type ChangeScope, getScope } from "../tree/change.js";
import { MemoryTree } from "../tree/memory-tree.js";
import { getObjectId } from "../values/object-ids.js";

/**
 * The contract of a storage for one memory. Arguments arrive checked and normalised: paths are absolute, texts are
 * well-formed strings. So a backend only stores.
 *
 * Every method is atomic and isolated against the others. A refusal changes nothing. A failure of the storage is a
 * MemoryError EIO whose message names no host or path, and says "the outcome is unknown" if a change may have been
 * made. The backend enforces the limits, because only the backend sees the old and the new size in the same step.
 *
 * The last argument of every method is the call. When the call is aborted, its caller has already received the error,
 * so the backend only has to stop: no step begins after `call.throwIfAborted()` throws.
 */
export interface MemoryBackend {
  /** Returns the text of a file. @throws ENOENT, EISDIR */
  read(path: string, call: CallContext): Promise<string>;
  /** Returns immediate children in any order. A memory never written is an empty root. @throws ENOENT, ENOTDIR */
  list(path: string, call: CallContext): Promise<MemoryEntry[]>;
  /** Returns null for a missing path. The root is always a directory. */
  stat(path: string, call: CallContext): Promise<MemoryStat | null>;
  /** Returns every file and directory but the root, at one moment, in any order. */
  snapshot(call: CallContext): Promise<MemorySnapshot>;
  /**
   * Returns a snapshot without times. Leaves out the contents if they add up to more than `maxContentBytes` bytes of
   * UTF-8. If `leadChars` is not 0, adds the start of each text: at least so many UTF-16 units; the caller cuts them.
   */
  outline(options: Required<OutlineOptions>, call: CallContext): Promise<MemoryOutline>;
  /**
   * Makes or refuses a change in one step, with the result of `applyChange`.
   * @throws the refusals of `applyChange`, ENOSPC, ECONFLICT
   */
  change(change: Change, options: ChangeOptions, call: CallContext): Promise<ChangeResult>;
  /** A feature that is missing has a slower replacement or none. */
  readonly features?: BackendFeatures;
}

/** Optional powers of a storage. */
export interface BackendFeatures {
  /** An object that all backends of one storage share. They then share the word indexes of searches. */
  readonly storage?: object;
  /**
   * Returns a text that changes whenever the memory changes, and is never used again for other contents. Null if the
   * storage keeps no count. The call takes about as long as a read.
   */
  version?(call: CallContext): Promise<string | null>;
  /** Returns the part of the memory that a change needs, at one moment. @internal */
  load?: (scope: ChangeScope, call: CallContext) => Promise<MemorySnapshot>;
  /**
   * Returns every file and directory but the root, at one moment. Leaves out a text if `known` has the version of the
   * file for its path. So a search reads only the texts that have changed.
   */
  snapshotSince?(known: ReadonlyMap<string, string>, call: CallContext): Promise<VersionedSnapshot>;
  /** Returns the embeddings for passages of the memory. @internal */
  embeddings?(call: CallContext): Embeddings;
  /**
   * Whether the storage makes a change with a `changeId` once, and returns the first result afterwards. Otherwise such
   * a change is made once in this process. @default false
   */
  readonly makesOnce?: boolean;
  /** Brings in files with their times, as one change. @internal */
  addFiles?: (files: readonly DatedFile[], settings: AddSettings, call: CallContext) => Promise<AddedFile[]>;
  /** Returns the stored history, for one call. Missing if changes are not recorded. @internal */
  history?(call: CallContext): HistoryBackend;
  /** Returns the records of changes that wait for a person, for one call. @internal */
  approvals?(call: CallContext): LearningRecords;
}

/** The limits of one memory, which its backend enforces. */
export interface BackendLimits {
  /** Largest file, in bytes of UTF-8. A larger file is EFBIG. */
  maxFileBytes: number;
  /**
   * Largest memory, in stored bytes. A larger one is ENOSPC. A backend that cannot measure a memory ignores the limit.
   */
  maxMemoryBytes: number;
}

/** The meaning of a text. Only the storage that made it can read it. */
export type Vector = Uint8Array;

/** The embeddings of a storage, for the passages of one memory. Errors of the embeddings client are not changed. */
export interface Embeddings {
  /** The most texts of a memory that may have a vector. */
  readonly maxTexts: number;
  /** Returns the stored vectors, by their texts. */
  stored(texts: readonly string[]): Promise<ReadonlyMap<string, Vector>>;
  /** Embeds texts in one call of the client. */
  embed(texts: readonly string[]): Promise<ReadonlyMap<string, Vector>>;
  /** Stores vectors by their texts. */
  store(vectors: ReadonlyMap<string, Vector>): Promise<void>;
  /**
   * Removes the vectors that these embeddings have stored for all other texts. Vectors of other models are removed only
   * if the memory no longer has their text.
   * @param all returns every text of the memory; called only if other models have stored vectors
   */
  keepOnly(texts: Iterable<string>, all: () => Promise<Iterable<string>>): Promise<void>;
  /** Embeds a query. The returned function gives the similarity of a text's vector to the query, from -1 to 1. */
  createSimilarity(query: string): Promise<(vector: Vector) => number>;
}

/**
 * Names the storage of a backend in keys of this process. A backend that names no storage may be opened anew for each
 * call of one memory, so all of these have one name.
 */
export function nameStorage({ features }: MemoryBackend): string {
  return features?.storage === undefined ? "" : String(getObjectId(features.storage));
}

/**
 * Reads a snapshot without the known texts, or with all texts if the backend cannot leave any out. @param known
 * versions of texts, by path
 */
export async function snapshotSince(
  backend: MemoryBackend,
  known: ReadonlyMap<string, string>,
  call: CallContext,
): Promise<VersionedSnapshot> {
  if (backend.features?.snapshotSince !== undefined) return backend.features.snapshotSince(known, call);
  return withoutVersions(await backend.snapshot(call));
}

/** Reads what a change needs of a memory: a part of it, or all of it if the backend cannot leave anything out. */
export async function loadTree(backend: MemoryBackend, change: Change, call: CallContext): Promise<MemoryTree> {
  const snapshot = await (backend.features?.load?.(getScope(change), call) ?? backend.snapshot(call));
  return new MemoryTree(snapshot);
}

/** Converts the snapshot of a storage that keeps no versions of texts. */
export function withoutVersions({ files, directories }: MemorySnapshot): VersionedSnapshot {
  return {
    files: files.map(({ path, content, updatedAt }) => ({ path, version: null, content, updatedAt })),
    directories,
  };
}

/** Returns the versions by path. A text without a version is read again each time. */
export function getVersions(files: readonly VersionedFile[]): Map<string, string> {
  return new Map(files.flatMap(({ path, version }): [string, string][] => (version === null ? [] : [[path, version]])));
}
