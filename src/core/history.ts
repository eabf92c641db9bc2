import type { MemoryActor } from "./actor.js";
import type { MemorySnapshot } from "./snapshot.js";

/** What a change did to a file. */
export type VersionOperation = "created" | "modified" | "deleted" | "renamed";

/** What one change did to one file. */
export interface MemoryVersion {
  /** Names the version in its memory. Later versions have other ids, and none is ever given twice. */
  id: string;
  /** Where the file lay after the change, or before it was deleted. "" in a redacted version. */
  path: string;
  /** Where a renamed file lay before. */
  from?: string;
  operation: VersionOperation;
  at: Date;
  /** Null where nobody is known. */
  actor: MemoryActor | null;
  /** Of the text after the change, in bytes of UTF-8. Null where the file was deleted or the version is redacted. */
  sizeBytes: number | null;
  /** Of the same text, in lowercase hex. */
  sha256: string | null;
  redactedAt?: Date;
  redactedBy?: MemoryActor;
}

/** Which versions are listed: those that fit all of these. */
export interface VersionFilter {
  /** A file, its versions under earlier names included, or a directory with all below it. @default the whole memory */
  path?: string;
  /** Versions whose actor has all of these. */
  actor?: Partial<MemoryActor>;
  operation?: VersionOperation;
  /** Made later than this. */
  after?: Date;
  /** Made earlier than this. */
  before?: Date;
  /** @default all */
  limit?: number;
}

/** A line of a file as it is now. */
export interface BlamedLine {
  /** From 1. */
  line: number;
  /** Without its newline. */
  text: string;
  /** Which version brought the line. Null for a line that is older than all versions that are kept. */
  version: MemoryVersion | null;
}

/** What is undone. */
export type RevertTarget = { path: string; to: string } | { runId: string } | { toolCallId: string };

/**
 * What happened in a memory: each change of a file makes a version. Versions of one memory have one order.
 *
 * Every call rejects with a MemoryError: EINVAL for a bad argument, ENOENT for a version that there is not or that is no longer
 * kept, EIO if the storage failed, and the codes named at each method. Bad options are a TypeError.
 */
export interface MemoryHistory {
  /** Newest first, read in pages. */
  list(filter?: VersionFilter): AsyncIterable<MemoryVersion>;
  /** A version with its text; null where the file was deleted or the version is redacted. */
  read(id: string): Promise<MemoryVersion & { content: string | null }>;
  /** The whole tree right after that version, without redacted texts. `updatedAt` is when a file was last changed by then, as far as is known. */
  at(id: string): Promise<MemorySnapshot>;
  /** The difference between two versions as a unified diff, "" where there is none. @param to default: the file as it is now */
  diff(from: string, to?: string): Promise<string>;
  /** Which version each line of a file comes from. Renames are followed. @throws ENOENT, EISDIR */
  blame(path: string): Promise<BlamedLine[]>;
  /**
   * Makes a file or directory as it was right after a version, or undoes all changes of a run or of a tool call, in one step. What
   * changes by it makes new versions.
   * @param options.force undoes later changes of the same files too. Without it they are ECONFLICT, and the message names one.
   * @returns the new versions; none where all is as it should be
   * @throws ECONFLICT, EACCES, EISDIR, ENOTDIR, EFBIG, ENOSPC
   */
  revert(what: RevertTarget, options?: { force?: boolean }): Promise<MemoryVersion[]>;
  /**
   * Takes text, path, size and hash out of versions for good. Who and when stay. The text that a file has now cannot be redacted: write
   * or delete it first (EINVAL). A text may be in several versions: name all of them.
   * @returns how many versions were redacted by this call
   */
  redact(ids: string | readonly string[]): Promise<number>;
}
