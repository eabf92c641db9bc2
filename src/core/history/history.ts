import type { MemoryActor } from "../values/actor.js";
import type { MemorySnapshot } from "../tree/snapshot.js";

/** The kind of a version: the change of the file. */
export type VersionOperation = "created" | "modified" | "deleted" | "renamed";

/** One change of one file. */
export interface MemoryVersion {
  /** Names the version in its memory. No id is used twice. */
  id: string;
  /** The path of the file after the change, or before it was deleted. "" if it is redacted. */
  path: string;
  /** The earlier path of a renamed file. */
  from?: string;
  operation: VersionOperation;
  at: Date;
  /** The author of the change. Null if unknown. */
  actor: MemoryActor | null;
  /**
   * The size of the text after the change, in bytes of UTF-8. Null if the file was deleted or text of the version is
   * redacted.
   */
  sizeBytes: number | null;
  /** The SHA-256 of the same text, in lowercase hex. */
  sha256: string | null;
  /** The sources of its text, if a program such as `learn` wrote it: `version:` and `message:` with ids. */
  sources?: string[];
  /** The lowest trust of the sources, by who wrote them. */
  trust?: "unknown" | "agent" | "person";
  /** The time when its text, or a part of it, was redacted. */
  redactedAt?: Date;
  redactedBy?: MemoryActor;
}

/** Selects the versions that match all fields. */
export interface VersionFilter {
  /**
   * A file, with its versions under earlier names, or a directory with everything below it. If the path was both, what
   * is there now counts. @default the whole memory
   */
  path?: string;
  /** Selects the versions whose actor has all of these fields. @default any */
  actor?: Partial<MemoryActor>;
  /** Created, modified, deleted or renamed. @default any */
  operation?: VersionOperation;
  /** Selects the versions that rest on at least one of these, such as `version:12`. */
  sources?: string[];
  /** Selects the versions whose text was redacted, or a part of it. */
  redacted?: true;
  /** Made later than this. */
  after?: Date;
  /** Made earlier than this. */
  before?: Date;
  /** The largest number of versions. @default all */
  limit?: number;
}

/** A line of a file as it is now. */
export interface BlamedLine {
  /** The number of the line, from 1. */
  line: number;
  /** The line without its newline. */
  text: string;
  /** The version that wrote the line. Null if that version is no longer kept, or its whole text is redacted. */
  version: MemoryVersion | null;
  /** Set if a version wrote the line whose whole text is redacted. */
  redacted?: true;
}

/** The places of a memory and its history that contain a text. */
export interface TextOccurrences {
  /** The versions whose text or paths contain it, newest first. */
  versions: MemoryVersion[];
  /**
   * The ids of the proposals that contain it, or that wait and rest on a version that contains it, and of the changes
   * that contain it and wait for a person in a run.
   */
  proposals: string[];
  /**
   * The present paths that contain it, and the paths of the present files whose text contains it. Also the path of a
   * removed file, if the storage still names it, although no version does.
   */
  files: string[];
}

/** A text to redact everywhere in a memory and its history. */
export interface RedactedText {
  text: string;
  /** Also covers the text in the present files, as a change. @default false: EINVAL if a present file has the text */
  cut?: boolean;
}

/** A file, whose earlier versions are redacted. */
export interface RedactedPath {
  path: string;
}

/** Restores a path as it was after a version, or undoes a run or a tool call. */
export type RevertTarget = { path: string; to: string } | { runId: string } | { toolCallId: string };

/**
 * The history of a memory: each change of a file makes a version. Versions of one memory have one order.
 *
 * A call rejects with a MemoryError: EINVAL for a bad argument, ENOENT for a version that does not exist or is no
 * longer kept, EIO if the storage failed, and the codes named at each method. Bad options are a TypeError.
 */
export interface MemoryHistory {
  /** Newest first, read in pages. */
  list(filter?: VersionFilter): AsyncIterable<MemoryVersion>;
  /** A version with its text. `content` is null if the file was deleted or the whole text is redacted. */
  read(id: string): Promise<MemoryVersion & { content: string | null }>;
  /**
   * The whole tree right after that version, or as it was at that time, without redacted texts. `updatedAt` is the last
   * known change of a file before that time. Before the first version, the tree is the tree that the first version
   * changed.
   */
  at(when: string | Date): Promise<MemorySnapshot>;
  /**
   * The exact difference between two versions as a unified diff, or "" if they are equal. Texts that differ in more
   * than 500 lines, or have more than 50,000 lines together, are not compared line by line. The diff then removes and
   * adds everything, and says so behind the numbers of its hunk.
   * @param to default: the file now
   */
  diff(from: string, to?: string): Promise<string>;
  /** For each line of a file, the version that wrote it. It follows renames. @throws ENOENT, EISDIR */
  blame(path: string): Promise<BlamedLine[]>;
  /**
   * Restores a file or directory as it was right after a version, or undoes all changes of a run or of a tool call, in
   * one step. It makes new versions.
   * @param options.force also undoes later changes of the same files. Without it they are ECONFLICT, and the message
   * names one.
   * @returns the new versions; none if nothing had to change
   * @throws ECONFLICT, EACCES, EISDIR, ENOTDIR, EFBIG, ENOSPC
   */
  revert(what: RevertTarget, options?: { force?: boolean }): Promise<MemoryVersion[]>;
  /**
   * Finds a text in all versions, proposals and present files. It must be exactly as it is written, but several lines
   * may have other line ends, or be indented by a conversation log. Use it to see what `redact({ text })` changes.
   * @param text 1 to 1,000,000 characters
   */
  findText(text: string): Promise<TextOccurrences>;
  /**
   * Removes text for good. It keeps who made the versions and when.
   *
   * With `{ text }`, covers the text everywhere with a text of the same length, such as `[redacted---]`: in versions,
   * their paths, differences and names of actors, in proposals and vectors, also while a proposal is approved. The rest
   * can still be read, compared and blamed. A proposal that contains the text loses its texts, and is rejected if it
   * waits. The same happens to a waiting proposal that rests on a version with the text. If a present file contains the
   * text, the call is EINVAL without `cut`. If a present path contains it, the call is always EINVAL.
   *
   * With `{ path }`, removes the texts, paths, sizes and hashes of all earlier versions of the file at that path, also
   * under its other names, and of files that were there before. The text that the file has now stays, with its last
   * version. Proposals for the file lose their texts, and are rejected if they wait. EISDIR for a directory.
   *
   * Both reject waiting deletes and renames of what they redact, because a digest could show the text.
   *
   * Approved texts that rest on a version stay: `list({ sources })` finds them.
   *
   * All rights are checked before the first change. After a failure call it again: finished work stays.
   * @returns the number of versions that this call redacted
   */
  redact(what: RedactedText | RedactedPath): Promise<number>;
}
