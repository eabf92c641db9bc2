import type { MemoryActor } from "../values/actor.js";

/** A command of a memory that changes something. */
export type ChangeCommand = "append" | "write" | "update" | "edit" | "delete" | "rename";

/** A change as it would be made to what was found. Paths are those of the memory. */
export interface PlannedChange {
  command: ChangeCommand;
  path: string;
  /** rename: the new path. */
  to: string | null;
  /** append: the text to add. update: the text that replaces another. write and edit: the whole text. */
  content: string | null;
  /** update: the text to replace. */
  oldContent: string | null;
  /** The text of the file. Null if there is no file, and for delete and rename. */
  before: string | null;
  /** Its text afterwards, null for delete and rename. */
  after: string | null;
  isDirectory: boolean;
  /** What it was made against: a digest. */
  base: string;
  /** As people are shown it. */
  diff: string;
  /** What the command answers. */
  counts: { replaced?: number; files?: number; dirs?: number };
}

/**
 * `pending`: nobody has decided. `applying`: approved, and the change is being made, or a crash has left it so.
 * `approved`: the change is made. `rejected`: it never will be.
 */
export type ChangeStatus = "pending" | "applying" | "approved" | "rejected";

/** A change that a person was asked about. */
export interface ChangeRecord extends PlannedChange {
  id: string;
  kind: "interrupt" | "proposal";
  status: ChangeStatus;
  /** Of the attempt that may make the change now. */
  token: string | null;
  /** Of the approval that is being carried out, whoever does that. */
  claim: string | null;
  /** Which interrupt of its task asked, from 0. */
  askedAt: number | null;
  /** What the person who approved it has made of the content. */
  edited: { content: string; after: string } | null;
  actor: MemoryActor | null;
  at: Date;
  decidedBy: MemoryActor | null;
  decidedAt: Date | null;
  reason: string | null;
}

/**
 * `changed`: the memory no longer fits the change that was shown. `raced`: another change or another attempt came
 * first.
 */
export type ApplyOutcome = "applied" | "changed" | "raced";

/** Where the records of one memory are kept. */
export interface ChangeRecords {
  now(): Date;
  find(id: string): Promise<ChangeRecord | null>;
  /** Keeps a pending record, in place of a pending one of the same id. Answers the one that is kept then. */
  put(record: ChangeRecord): Promise<ChangeRecord>;
  /**
   * Changes fields in one step, if the status, and the token where it is given, are those. Answers the record as it is
   * then, or null.
   */
  swap(
    id: string,
    expected: { status: ChangeStatus; token?: string | null },
    fields: Partial<ChangeRecord>,
  ): Promise<ChangeRecord | null>;
  /** Oldest first. */
  list(kind: ChangeRecord["kind"], statuses: readonly ChangeStatus[]): AsyncIterable<ChangeRecord>;
  /**
   * Makes the change if its base holds, and marks the memory with the id in the same step. Of a memory with the mark it
   * only says `applied`.
   * @param isCurrent whether this attempt may still make it; asked after the memory was read
   */
  apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome>;
  /** Takes the mark away, and those that earlier crashes left. */
  unmark(id: string): Promise<void>;
}
