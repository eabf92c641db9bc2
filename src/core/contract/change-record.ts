import type { ProgressRecord } from "./learn-progress.js";
import type { LineEnds } from "../tree/change.js";
import type { MemoryActor, ChangeOrigin } from "../values/actor.js";

/** A command of a memory that changes something. */
export type ChangeCommand = "append" | "write" | "update" | "edit" | "delete" | "rename";

/** The options of a change under which it is refused, or that decide its text. */
export interface ChangeConditions {
  create?: boolean;
  ifExists?: "replace" | "fail";
  ifMissing?: "create" | "fail";
  ifDirectory?: "delete" | "fail";
  keeps?: readonly string[];
  lineEnds?: LineEnds;
}

/** The effect that a change would have on the present memory. The paths contain no mount point. */
export interface PlannedChange {
  command: ChangeCommand;
  path: string;
  /** rename: the new path. */
  to: string | null;
  /** append: the text to add. update: the text that replaces another. write and edit: the whole text. */
  content: string | null;
  /** update: the text to replace. */
  oldContent: string | null;
  /** The text of the file before the change. Null if there is no file, and for delete and rename. */
  before: string | null;
  /** The text of the file after the change. Null for delete and rename. */
  after: string | null;
  isDirectory: boolean;
  /** Records of earlier versions have none. */
  conditions?: ChangeConditions;
  /** The digest of the state that the change was planned for (`digestTree`). */
  base: string;
  /** The diff that people are shown. */
  diff: string;
  /** The counts that the command returns. */
  counts: { replaced?: number; files?: number; dirs?: number };
}

/**
 * `pending`: nobody has decided. `applying`: approved, and the change is being made, or a crash has interrupted it.
 * `approved`: the change is made. `rejected`: the change is never made.
 */
export const changeStatuses = ["pending", "applying", "approved", "rejected"] as const;

export type ChangeStatus = (typeof changeStatuses)[number];

/** A change whose approval was requested. */
export interface ChangeRecord extends PlannedChange {
  /** Present in changes of programs that learn. */
  origin?: ChangeOrigin;
  id: string;
  kind: "interrupt" | "proposal";
  status: ChangeStatus;
  /** Id of the attempt that may make the change now. */
  token: string | null;
  /** Id of the approval in progress. It stays the same if another process takes over. */
  claim: string | null;
  /** The number of the interrupt of its task that requested the approval, from 0. */
  askedAt: number | null;
  /** The content that the approving person wrote instead, the text of the file after the change, and its diff. */
  edited: { content: string; after: string; diff: string } | null;
  actor: MemoryActor | null;
  at: Date;
  decidedBy: MemoryActor | null;
  decidedAt: Date | null;
  reason: string | null;
}

/** What an approval changes in its record: the content of the person, or its own content as the guards allow it. */
export type ApprovedTexts = Pick<ChangeRecord, "edited"> & Partial<Pick<ChangeRecord, "content" | "after" | "diff">>;

/**
 * `changed`: the memory no longer fits the change that was shown. `raced`: another change or another attempt came
 * first.
 */
export type ApplyOutcome = "applied" | "changed" | "raced";

/** The records of one memory for changes that runs wait for. */
export interface InterruptRecords {
  now(): Date;
  find(id: string): Promise<ChangeRecord | null>;
  /** Stores a pending record, also over a pending one of the same id. @returns the record that is stored afterwards */
  put(record: ChangeRecord): Promise<ChangeRecord>;
  /** Removes a record that still waits, as if it was never made. */
  withdraw(id: string): Promise<void>;
  /**
   * Changes fields in one step, if the record has the expected status, and the expected token if one is given. @returns
   * the changed record, or null
   */
  swap(
    id: string,
    expected: { status: ChangeStatus; token?: string | null },
    fields: Partial<ChangeRecord>,
  ): Promise<ChangeRecord | null>;
  /**
   * Makes the change if its base is unchanged, and stores the record's id in the memory in the same step. If the memory
   * has the id already, only returns `applied`.
   * @param isCurrent whether this attempt may still make the change; called after the memory was read
   */
  apply(record: ChangeRecord, isCurrent: () => Promise<boolean>): Promise<ApplyOutcome>;
  /** Removes the id from the memory, and also the ids that crashes have left. */
  unmark(id: string): Promise<void>;
}

/** The position after a page of records. */
export type RecordPageEnd = Pick<ChangeRecord, "at" | "id">;

export interface RecordPage {
  records: ChangeRecord[];
  /** Null if nothing follows. */
  end: RecordPageEnd | null;
}

/** The records of one memory, including proposals. */
export interface ChangeRecords extends InterruptRecords {
  /** Reads the next records, oldest first. Keeps nothing open. @param after the end of the page before */
  page(kind: ChangeRecord["kind"], statuses: readonly ChangeStatus[], after: RecordPageEnd | null): Promise<RecordPage>;
}

/** The records of one memory, for programs that learn from it. */
export interface LearningRecords extends ChangeRecords {
  /** What was learnt from: of the memory, or of the messages of a thread. */
  progress(thread: string | null): ProgressRecord;
  /** Returns the newest proposals of a client, oldest first. */
  newest(client: string, status: ChangeStatus, limit: number): Promise<ChangeRecord[]>;
}
