import type { ChangeRecords } from "../../core/contract/change-record.js";
import type { TextRedactor } from "../../core/history/text-redactor.js";
import type { RecordedChange } from "./outbox.js";
import type { VersionCollection } from "./version-collection.js";
import type { CallContext } from "../../core/runtime/call.js";
import type { ChangeScope } from "../../core/tree/change.js";
import type { MemoryTree } from "../../core/tree/memory-tree.js";
import type { TreeRestoration } from "../../core/tree/restore-tree.js";
import type { OwnerDocument, VersionDocument } from "./version-document.js";

/** The context of the history of one memory. */
export interface HistoryContext {
  source: StoredHistory;
  /**
   * Applies a planned revert in one step, if the pages that it concerns are still at these revisions.
   * @param revisions of the pages, by their ids
   * @returns the recorded change; null if the memory has changed.
   * @throws ENOSPC
   */
  restore: (restoration: TreeRestoration, revisions: PresentMemory["revisions"]) => Promise<RecordedChange | null>;
  /**
   * Covers the forms of a text in a present file, as one change of this file alone. @throws ENOENT, EISDIR, ENOTDIR
   */
  cover: (path: string, redactors: readonly TextRedactor[]) => Promise<void>;
  /** Changes these bounds of pages, so that they name present paths. */
  renewBounds: (bounds: readonly FormerBound[]) => Promise<void>;
  versions: VersionCollection;
  /** The changes that wait or waited for a person. They contain texts too. */
  proposals: ChangeRecords;
  /** Removes the stored embeddings of the texts of the memory. The next search creates them again. */
  removeVectors: () => Promise<void>;
  clock: () => Date;
  maxFileBytes: number;
}

/** The recorded changes of a memory, from which versions come. */
export interface StoredHistory {
  /**
   * Reads the recorded changes of the memory and a part of its files, at one point in time. Null if there is no memory,
   * or if it has expired.
   */
  read(part: PresentPart, call: CallContext): Promise<PresentMemory | null>;
  /** Reads the head, and a part of the files as they are now. Null if there is no memory, or if it has expired. */
  load(scope: ChangeScope, call: CallContext): Promise<LoadedPart | null>;
  /** Removes the changes that have become versions. @returns false if the memory is gone */
  settle(present: PresentMemory, call: CallContext): Promise<boolean>;
  /** Gives the memory a new revision. Then no revert can be made that was planned before. */
  renew(call: CallContext): Promise<void>;
  /**
   * Moves the recorded changes of the memory into the collection of versions, and removes versions that are no longer
   * kept.
   */
  flush(call: CallContext): Promise<void>;
}

/** A bound of a page that names a path at which nothing is any more. */
export interface FormerBound {
  path: string;
  /** The path at the start of the page before. */
  before: string;
}

/** The changes in one page that have not become versions yet. */
export interface Outbox {
  /** The id of the page. */
  pageId: string;
  changes: RecordedChange[];
}

/**
 * The files that are read with the recorded changes. "outbox": the texts that these need. "recorded": the same, without
 * `moved`, and each page at a point in time of its own. "tree": everything. A scope: the texts of its paths, and the names
 * below its directories.
 */
export type PresentPart = "recorded" | "outbox" | "tree" | ChangeScope;

/** A part of a memory, with the revisions of its pages. */
export type LoadedPart = Pick<PresentMemory, "memory" | "revisions" | "texts" | "tree">;

/** A memory at one point in time. */
export interface PresentMemory {
  /** A condition that finds the head of the memory. */
  documentId: object;
  /** The first part of the ids of the versions. */
  memory: string;
  /** The revisions of all pages, by their ids. */
  revisions: ReadonlyMap<string, number>;
  /** The revision of the last change in the order of versions. */
  lastRevision: number;
  /** The outboxes that are not empty. */
  outboxes: readonly Outbox[];
  /**
   * The versions in the collection with a stored id from `start` on. Absent for a memory of one page, whose outbox has
   * its last versions. In one of several, an outbox may have older changes than those that others have moved.
   */
  moved?: {
    start: string;
    versions: readonly VersionDocument[];
    /** Commands make versions with stored ids from this one on, unless they take unusually long. */
    settled: string;
  };
  /** The texts of the requested part, by path. */
  texts: ReadonlyMap<string, string>;
  /** The files and directories of the requested part. */
  tree: MemoryTree;
  /** Present with the whole tree. */
  formerBounds?: readonly FormerBound[];
  owner: OwnerDocument;
}
