import type {
  MemoryVersion,
  RedactedPath,
  RedactedText,
  RevertTarget,
  TextOccurrences,
  VersionFilter,
} from "./history.js";
import type { OlderText } from "./older-text.js";
import type { MemorySnapshot } from "../tree/snapshot.js";

/**
 * The history of a backend. Arguments are checked: ids have the form of an id, paths are normalised. A version that
 * does not exist, or is no longer kept, is ENOENT.
 */
export interface HistoryBackend {
  /** @param olderThan the last version of the page before */
  page(filter: Omit<VersionFilter, "limit">, limit: number, olderThan: string | null): Promise<MemoryVersion[]>;
  read(id: string): Promise<MemoryVersion & { content: string | null }>;
  /** Returns the versions after one, oldest first. @param newerThan null for the oldest */
  after(newerThan: string | null, limit: number): Promise<MemoryVersion[]>;
  readChange(id: string): Promise<VersionChange>;
  /** Reads what versions changed. Reads the later versions of each of their files once. */
  readChanges(ids: readonly string[]): Promise<VersionChange[]>;
  at(when: string | Date): Promise<MemorySnapshot>;
  /**
   * Reads two texts of files at one point in time; null for a missing file. @param to null for the present text of the
   * file of `from`
   */
  texts(from: string, to: string | null): Promise<{ from: VersionText; to: VersionText }>;
  /** @throws ENOENT, EISDIR */
  lineage(path: string): Promise<FileLineage>;
  /** @param checkPath null if every file may be changed. @param guard returns the text that is restored instead */
  revert(
    what: RevertTarget,
    force: boolean,
    checkPath: CheckPath | null,
    guard: (path: string, text: string) => Promise<string>,
  ): Promise<MemoryVersion[]>;
  findText(text: string): Promise<TextOccurrences>;
  /** @returns the number of redacted versions */
  redact(what: RedactionTarget, checkPath: CheckPath | null): Promise<number>;
}

/** Throws if the file at a path may not be changed. */
export type CheckPath = (path: string) => void;

export type RedactionTarget = Required<RedactedText> | RedactedPath;

/** A version with the texts of its file. */
export type VersionChange = MemoryVersion & {
  content: string | null;
  /** The text that the version replaced. Null if there was none, undefined if it is redacted or no longer kept. */
  before: string | null | undefined;
};

export interface VersionText {
  path: string;
  /** The id of the version. Null for the present file. */
  id: string | null;
  content: string | null;
}

/** A file as it is now, and its earlier texts. */
export interface FileLineage {
  text: string;
  /** Newest first, in groups. A reader stops when it knows enough. */
  steps: AsyncIterable<readonly LineageStep[]>;
}

export interface LineageStep {
  version: MemoryVersion;
  /**
   * The text before the version. "none": there was no file. "same": the version did not change the text. Null: the text
   * is redacted or no longer kept.
   */
  before: OlderText | "none" | "same" | null;
}
