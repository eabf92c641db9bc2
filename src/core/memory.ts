import type { CheckedAddress } from "./values/address.js";
import type { MemoryProposals } from "./approval/memory-proposals.js";
import type { MemoryHistory } from "./history/history.js";
import type { MemoryUse } from "./memory-options.js";
import type { PathRule } from "./values/paths.js";
import type { GrepMatch, GrepOptions, SearchHit, SearchOptions } from "./search/search-options.js";
import type { MemoryRights } from "./access/rights.js";
import type {
  DeletedCounts,
  FileStat,
  MadeOnce,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
} from "./tree/snapshot.js";

export type { MemoryRights } from "./access/rights.js";
export type {
  DeletedCounts,
  DirectoryStat,
  FileStat,
  MadeOnce,
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineFile,
  OutlineOptions,
  SnapshotFile,
} from "./tree/snapshot.js";

/** Chooses whether `write` may replace a file, and whether it may create one. */
export interface WriteOptions {
  /** `fail`: a file that exists is EEXIST. @default "replace" */
  ifExists?: "replace" | "fail";
  /** `fail`: a missing file is ENOENT. @default "create" */
  ifMissing?: "create" | "fail";
}

/** Options of `append` and `update`. */
export interface EditOptions {
  /**
   * The treatment of line ends. `exact`: like any other character. `file`: "\n" and "\r\n" match each other, and new
   * lines get the line end that the file has there. The tools of models use `file`, because no model sees a difference.
   * @default "exact"
   */
  lineEnds?: "exact" | "file";
}

/** Options of `delete`. */
export interface DeleteOptions {
  /** Whether to delete a directory with everything below it, or to refuse. @default "delete" */
  ifDirectory?: "delete" | "fail";
}

/**
 * One memory: a small tree of text files.
 *
 * Paths are absolute and `/`-separated; other spellings are normalised. Every call is atomic and isolated: on MongoDB
 * across processes and machines, in a folder across processes, on other stores inside one process.
 *
 * A call rejects with a {@link MemoryError}: EINVAL for a bad argument, EACCES if an access rule, a guard or a person
 * refuses the change, EIO if the storage failed (with "the outcome is unknown" if the change may have been made), and
 * the codes named at each method. A refused call changed nothing. Every call ends within its `timeoutMs`. If a signal
 * given to `with` aborts, the call rejects with the signal's reason.
 */
export interface Memory {
  readonly address: Readonly<CheckedAddress>;
  /** The rule of the names that can be created. */
  readonly paths: PathRule;
  /** The changes that access rules and mounts allow; undefined if they allow everything. */
  readonly rights?: MemoryRights | undefined;
  /**
   * Null if changes are not recorded. A history needs a MongoMemoryStore with the option `history`. A tree of mounts has
   * the history of its memory at "/".
   */
  readonly history: MemoryHistory | null;
  /** The changes that wait for a person. Null in stores other than MongoMemoryStore, and in a tree of mounts. */
  readonly proposals: MemoryProposals | null;
  /** Returns the text of a file. @throws ENOENT, EISDIR */
  read(path: string): Promise<string>;
  /** Lists immediate children by name in code-unit order. @param path default the root. @throws ENOENT, ENOTDIR */
  list(path?: string): Promise<MemoryEntry[]>;
  /**
   * Adds text to the end of a file. Creates the file and its parent directories if they are missing. Puts one newline
   * between old and new text, unless one side has it already or is empty. @throws EISDIR, ENOTDIR, EFBIG, ENOSPC
   */
  append(path: string, content: string, options?: EditOptions): Promise<void>;
  /**
   * Replaces every occurrence of `oldContent`, left to right and not overlapping. Both texts are literal.
   * @returns the number of replaced occurrences; 0 changes nothing. @throws ENOENT, EISDIR, ECONFLICT, EFBIG, ENOSPC
   */
  update(path: string, oldContent: string, content: string, options?: EditOptions): Promise<number>;
  /**
   * Removes a file, or a directory with everything below it. Both counts are 0 if the path is missing. Deleting the
   * root only empties it.
   * @throws EISDIR with `ifDirectory: "fail"`; EACCES if only the conversation log of the node is left
   */
  delete(path: string, options?: DeleteOptions): Promise<DeletedCounts & MadeOnce>;
  /** Sets the whole text of a file. @throws EEXIST or ENOENT (by options), EISDIR, ENOTDIR, EFBIG, ENOSPC */
  write(path: string, content: string, options?: WriteOptions): Promise<FileStat & MadeOnce>;
  /**
   * Reads, changes and writes a file so that no other edit is lost. `change` must be pure: it can run again if another
   * edit came first. If it throws, nothing is written and `edit` rejects with its error. If a guard changed the text,
   * the answer has the stored text as `content`. @throws ENOENT, EISDIR, ECONFLICT, EFBIG, ENOSPC
   */
  edit(path: string, change: (text: string) => string): Promise<FileStat & MadeOnce & { content?: string }>;
  /** Moves a file or a directory. It never overwrites anything. @throws ENOENT, EEXIST, ENOTDIR, ECONFLICT, ENOSPC */
  rename(from: string, to: string): Promise<void>;
  /** Returns null for a missing path. */
  stat(path: string): Promise<MemoryStat | null>;
  /** Returns every file and directory at one moment. */
  snapshot(): Promise<MemorySnapshot>;
  /** Returns paths and sizes of everything at one moment, with texts if you ask for them. */
  outline(options?: OutlineOptions): Promise<MemoryOutline>;
  /**
   * Returns the passages that match a query best, best first. Passages of equal score are sorted by path and line. A
   * passage is a line, the lines of a wrapped paragraph, or a part of a long line. The words of a passage count, and so
   * do words near it, in its headings and in its path. A search sees every earlier change. A query of stop words alone
   * finds nothing. In a MongoMemoryStore with an `index`, meaning counts too: the search then embeds the query and up
   * to 1,000 new passages, and rejects with any error of the embeddings client.
   * @param query 1 to 10,000 characters
   */
  search(query: string, options?: SearchOptions): Promise<SearchHit[]>;
  /**
   * Returns the lines that contain a literal text, sorted by path and line.
   * @param pattern 1 to 10,000 characters
   */
  grep(pattern: string, options?: GrepOptions): Promise<GrepMatch[]>;
  /**
   * Returns the same memory with other settings: a signal that aborts its calls, another time limit, other `paths`,
   * or another actor. Earlier signals and earlier fields of the actor stay in force. An aborted change may have
   * been made. If the signal aborted before the call, nothing is sent.
   * @throws TypeError for bad options
   */
  with(use: MemoryUse): Memory;
}
