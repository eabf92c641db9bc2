import type { ChangeRecords } from "../../core/contract/change-record.js";
import type { MemoryActor } from "../../core/values/actor.js";
import type { HistoryBackend } from "../../core/history/history-backend.js";
import type {
  DeletedCounts,
  FileStat,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
} from "../../core/memory.js";
import type { CallContext } from "../../core/runtime/call.js";
import type { MeaningBackend } from "../../core/search/meaning.js";
import type { NarrowedTexts } from "../../core/search/narrowed-texts.js";
import type { VersionedSnapshot } from "../../core/tree/snapshot.js";
import type { ChangeListener } from "../../core/contract/change-listener.js";

/**
 * The contract of a storage: one memory, already addressed. Arguments arrive checked and normalised: paths are
 * absolute, texts are well-formed strings, `oldContent` is not empty. So a backend only stores.
 *
 * Every method is atomic and isolated against the others. A refusal changes nothing and has a code that is named at the
 * method. A failure of the storage is a MemoryError EIO whose message names no host or path, and says "the outcome is
 * unknown" if a change may have been made. The backend enforces the limits, because only it sees the old size and the
 * new one in the same step.
 */
export interface LayoutBackend {
  /** @throws ENOENT, EISDIR */
  read(path: string): Promise<string>;
  /** The text of each file at one moment, in the order of `paths`. Null for a missing file. */
  readFiles(paths: readonly string[]): Promise<(string | null)[]>;
  /** Immediate children in any order. A memory never written is an empty root. @throws ENOENT, ENOTDIR */
  list(path: string): Promise<MemoryEntry[]>;
  /**
   * Joined as `appendText` does. `create: false` refuses a missing file. @throws ENOENT, EISDIR, ENOTDIR, EFBIG, ENOSPC
   */
  append(path: string, content: string, create: boolean): Promise<void>;
  /** As `replaceText` does. Returns how many were replaced. @throws ENOENT, EISDIR, ECONFLICT, EFBIG, ENOSPC */
  replace(path: string, oldContent: string, content: string): Promise<number>;
  /**
   * For a missing path both counts are 0. The root is emptied and never counted. If `checkBelow` is given, it gets the
   * path of everything below a directory in the same step, and throws if one may not be deleted.
   * @throws EISDIR with `ifDirectory: "fail"`, ECONFLICT, and what `checkBelow` throws
   */
  delete(path: string, ifDirectory: "delete" | "fail", checkBelow?: (path: string) => void): Promise<DeletedCounts>;
  /** @throws EEXIST, ENOENT (by mode), EISDIR, ENOTDIR, EFBIG, ENOSPC */
  write(path: string, content: string, mode: WriteMode): Promise<FileStat>;
  /**
   * Replaces the text by `change(text)`. `change` may run again after a lost race. If it throws, nothing changes.
   * @throws ENOENT, EISDIR, ECONFLICT, EFBIG, ENOSPC, and what `change` throws
   */
  edit(path: string, change: (text: string) => string): Promise<FileStat>;
  /**
   * Moves a file, or a directory with everything below it. Creates the parents of `to`. `to` is never below `from`.
   * `checkMoved` gets each new path below a moved directory, and throws if one is illegal.
   * @throws ENOENT (no `from`), EEXIST (`to` is taken), ENOTDIR, ECONFLICT, ENOSPC, and what `checkMoved` throws
   */
  rename(from: string, to: string, checkMoved: (path: string) => void): Promise<void>;
  /** Null for a missing path. The root is always a directory. */
  stat(path: string): Promise<MemoryStat | null>;
  /** Every file and directory but the root, at one moment, in any order. */
  snapshot(): Promise<MemorySnapshot>;
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
  outline(wanted: Required<OutlineOptions>): Promise<MemoryOutline>;
  /**
   * The same object for all backends of one storage. They then share the indexes of searches. Left out: each backend
   * has its own.
   */
  readonly storage?: object;
  /**
   * A text that changes whenever the memory changes, and never comes back for other contents; null if the storage keeps
   * no count. It takes about as long as a read. A backend that cannot tell leaves this out.
   */
  version?(): Promise<string | null>;
  /**
   * Everything but the root at one moment, without the texts that the caller knows: those of files whose version is the
   * one that `known` has for their path. With it a search, and a look of a watch, read only what has changed. A backend
   * that cannot tell leaves this out.
   */
  snapshotSince?(known: ReadonlyMap<string, string>): Promise<VersionedSnapshot>;
  /**
   * Of a large memory the texts that may answer a query, at one moment: all that hold one of its words, in the form in
   * which `englishWords` has them, or the 1,000 that promise most. Null where a search is to read the whole memory: it
   * is small, or the storage cannot tell these words. A backend without an index of words leaves this out. @internal
   */
  narrow?(query: string, path: string): Promise<NarrowedTexts | null>;
  /**
   * The embeddings for its passages; null if there are none. A backend that never has any leaves this out. @internal
   */
  meaning?(): MeaningBackend | null;
  /**
   * Begins to listen for changes. The listener hears of every change that is made after this resolves. Null if this
   * storage does not report changes. A backend that never can leaves it out; a watch then asks again and again.
   */
  listen?(): Promise<ChangeListener | null>;
  /**
   * The same memory for one call, which can be aborted or run out of time. Its caller then has an answer already, so
   * the backend only has to stop. A backend that cannot stop leaves this out.
   */
  forCall?(call: CallContext): LayoutBackend;
  /** The same memory, whose changes an actor makes. A backend that keeps no history leaves this out. */
  forActor?(actor: MemoryActor): LayoutBackend;
  /**
   * What happened in the memory; null where it is not recorded. A backend that never records it leaves this out.
   * @internal
   */
  history?(): HistoryBackend | null;
  /**
   * Where changes are kept that wait for a person. A backend that cannot mark a memory in the step of a change leaves
   * this out. @internal
   */
  records?(): ChangeRecords;
}

/** What `write` does if the file exists, and if it does not. */
export interface WriteMode {
  /** `fail` refuses with EEXIST. */
  ifExists: "replace" | "fail";
  /** `fail` refuses with ENOENT. */
  ifMissing: "create" | "fail";
}

/** What `write` does if the file exists, and if it does not. */
export interface WriteMode {
  /** `fail` refuses with EEXIST. */
  ifExists: "replace" | "fail";
  /** `fail` refuses with ENOENT. */
  ifMissing: "create" | "fail";
}
