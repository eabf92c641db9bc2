import type { CheckedAddress } from "./address.js";
import type { MemoryProposals } from "./approval/memory-proposals.js";
import type { MemoryHistory } from "./history.js";
import type { MemoryUse } from "./options.js";
import type { PathRule } from "./paths.js";
import type { FileStat, MemorySnapshot } from "./snapshot.js";

export type { FileStat, MemorySnapshot, SnapshotFile } from "./snapshot.js";

/** A file or directory as `list` shows it. */
export interface MemoryEntry {
  name: string;
  kind: "file" | "dir";
}

/** What a memory knows about a directory. The root is a directory too. */
export interface DirectoryStat {
  kind: "dir";
  /** The bytes of UTF-8 of all files below it. */
  sizeBytes: number;
  /** Always null, because no storage keeps the times of directories. */
  createdAt: null;
  updatedAt: null;
}

/** `kind` says which of the two it is. */
export type MemoryStat = FileStat | DirectoryStat;

/** How many files and directories a delete removed. The directory itself counts. */
export interface DeletedCounts {
  files: number;
  dirs: number;
}

/** What `write` does if the file exists, and if it does not. */
export interface WriteOptions {
  /** @default "replace" */
  ifExists?: "replace" | "fail";
  /** @default "create" */
  ifMissing?: "create" | "fail";
}

/** What `delete` does to a directory. */
export interface DeleteOptions {
  /** Whether to delete a directory with everything below it, or to refuse. @default "delete" */
  ifDirectory?: "delete" | "fail";
}

/** A file that `findFiles` has found. */
export interface FoundText {
  path: string;
  content: string;
}

/** What an outline holds beside paths and sizes. */
export interface OutlineOptions {
  /** Includes the contents if all of them together are at most so many bytes of UTF-8. @default 0 */
  maxContentBytes?: number;
  /** Includes the start of each text, at most so many UTF-16 units, up to 10,000. @default 0 */
  leadChars?: number;
}

/** A file with its size, and as much of its text as was asked for. */
export interface OutlineFile {
  path: string;
  /** Bytes of UTF-8. */
  sizeBytes: number;
  /** On every file or on none. */
  content?: string;
  /** The start of the text. Missing on a file that cannot be read. */
  lead?: string;
}

/** A snapshot without times. Its contents may be left out. */
export interface MemoryOutline extends Omit<MemorySnapshot, "files"> {
  files: OutlineFile[];
}

/** What may be done where, as far as it is known without a run. */
export interface MemoryRights {
  /** The most that may be done anywhere. */
  widest: "write" | "append" | "read";
  /** Whether a person is asked about some changes. They count as possible. */
  asks: boolean;
  /** What may be done where, for a model; "" where everything may be done everywhere. @param root goes before each path. Default: "" */
  words: (root?: string) => string;
}

/**
 * One memory: a small tree of text files.
 *
 * Paths are absolute and `/`-separated; other spellings are normalised. Every call is atomic and isolated: on MongoDB
 * across processes and machines, in a folder across processes, on other stores inside one process. Every call rejects
 * with a {@link MemoryError}: EINVAL for a bad argument, EACCES if a rule or a guard refuses it, EIO if the storage failed (with "the outcome is unknown"
 * if a change may have been made), and the codes named at each method. A refused call changed nothing. Every call ends within
 * its `timeoutMs`. If a signal given to `with` aborts, the call rejects with the signal's reason.
 */
export interface Memory {
  readonly address: Readonly<CheckedAddress>;
  /** Which names can be created. */
  readonly paths: PathRule;
  /** What may be done where; undefined where everything may be done everywhere. */
  readonly rights?: MemoryRights | undefined;
  /** What happened in the memory; null where nothing records it: it needs MongoDB, and the option `history` of the store. */
  readonly history: MemoryHistory | null;
  /** The changes that wait for a person. Null where none can: on other stores than MongoMemoryStore, and of several memories in one tree. */
  readonly proposals?: MemoryProposals | null;
  /** The text of a file. @throws ENOENT, EISDIR */
  read(path: string): Promise<string>;
  /** The texts of several files at one moment, in the order of `paths`. Null for a missing file and for a directory. */
  readFiles(paths: readonly string[]): Promise<(string | null)[]>;
  /**
   * The files that hold one of the texts, literally, at one moment, sorted by path.
   * @param texts at most 16, each of 1 to 250 characters
   * @param options.suffix what the path of each file ends with. @default ""
   */
  findFiles(texts: readonly string[], options?: { suffix?: string }): Promise<FoundText[]>;
  /** Immediate children, sorted by name in code-unit order. @param path default the root. @throws ENOENT, ENOTDIR */
  list(path?: string): Promise<MemoryEntry[]>;
  /**
   * Adds text to the end of a file. Creates the file and its parent directories if they are missing. Puts one newline between
   * old and new text, unless one side has it already or is empty. @throws EISDIR, ENOTDIR, EFBIG, ENOSPC
   */
  append(path: string, content: string): Promise<void>;
  /**
   * Appends as `append` does, and returns the whole memory as it was just before, in one step.
   * @throws EISDIR, ENOTDIR, EFBIG, ENOSPC
   */
  snapshotAndAppend(path: string, content: string): Promise<MemorySnapshot>;
  /**
   * Replaces every occurrence of `oldContent`, left to right and not overlapping. Both texts are literal.
   * @returns how many were replaced; 0 changes nothing. @throws ENOENT, EISDIR, ECONFLICT, EFBIG, ENOSPC
   */
  update(path: string, oldContent: string, content: string): Promise<number>;
  /**
   * Removes a file, or a directory with everything below it. A missing path counts 0. The root itself stays, and is empty then.
   * @throws EISDIR with `ifDirectory: "fail"`
   */
  delete(path: string, options?: DeleteOptions): Promise<DeletedCounts>;
  /** Sets the whole text of a file. @throws EEXIST or ENOENT (by options), EISDIR, ENOTDIR, EFBIG, ENOSPC */
  write(path: string, content: string, options?: WriteOptions): Promise<FileStat>;
  /**
   * Reads, changes and writes a file so that no other edit is lost. `change` must be pure: it may run again after a
   * lost race. If it throws, the error is passed on and nothing is written. If a guard has changed the text, the answer has
   * the text that was stored as `content`. @throws ENOENT, EISDIR, ECONFLICT, EFBIG, ENOSPC
   */
  edit(path: string, change: (text: string) => string): Promise<FileStat & { content?: string }>;
  /** Moves a file or a directory. It never overwrites anything. @throws ENOENT, EEXIST, ENOTDIR, ECONFLICT, ENOSPC */
  rename(from: string, to: string): Promise<void>;
  /** Null for a missing path. */
  stat(path: string): Promise<MemoryStat | null>;
  /** Every file and directory at one moment. */
  snapshot(): Promise<MemorySnapshot>;
  /** Paths and sizes of everything at one moment, and texts as far as they are asked for. */
  outline(options?: OutlineOptions): Promise<MemoryOutline>;
  /**
   * The same memory with other settings: a signal that aborts its calls, another time limit, another rule for paths, who makes the
   * changes. A signal is added to the earlier ones, and an actor to what an earlier one said. An aborted change may have been made. If the signal aborted before the call, nothing is sent.
   * @throws TypeError for bad options
   */
  with(use: MemoryUse): Memory;
  /** The same as `with({ paths })`, for dialects that have a rule of their own. */
  withPaths(paths: PathRule): Memory;
}
