import type { CallContext } from "../../../core/runtime/call.js";
import type { AppliedChange, ApplySettings } from "../../../core/tree/apply-change.js";
import type { Change, ChangeResult, ChangeScope } from "../../../core/tree/change.js";
import type { MemoryTree } from "../../../core/tree/memory-tree.js";

/**
 * How one memory is changed. One server command decides whether a change is made; the tree says why it is not. Only
 * `applyChange` defines what a change does.
 */
export interface TreeStorage {
  /**
   * Makes a change with one command that decides on the server. It may refuse allowed changes. Null: nothing was
   * changed; `transact` makes the change or says why it is refused.
   */
  attempt(change: Change, settings: AttemptSettings, call: CallContext): Promise<ChangeResult | null>;
  /**
   * Loads the part of the memory that the scope names, as a tree of one point in time, and stores the edits with their
   * versions in one step. Starts again if another change came first. Without edits it stores nothing, not even the id
   * of an approval.
   * @param apply must not change the tree. It may wait for others, and may run several times
   * @param attemptAgain makes the change with one command, and is tried when another change came first. Reason: changes
   *   of one command would keep coming before a change that loads first
   * @throws what `apply` throws, ENOSPC, ECONFLICT; then nothing was changed
   */
  transact<Result>(
    scope: StorageScope,
    apply: (tree: MemoryTree, moment: StorageMoment) => Applied<Result> | Promise<Applied<Result>>,
    call: CallContext,
    attemptAgain?: () => Promise<Result | null>,
  ): Promise<Result>;
}

export interface AttemptSettings extends ApplySettings {
  /** The time of the change of the memory. `now` is the time of its files, which an import sets. */
  at: Date;
}

/** The facts about the memory that `transact` passes with the tree. */
export interface StorageMoment {
  /** The time of the change, which the history records. */
  at: Date;
  /** Whether the memory has recorded the `approvalId` of the scope: then the change was made already. */
  isApplied: boolean;
}

/** The part that `transact` loads, and how it stores the change. */
export interface StorageScope extends ChangeScope {
  /**
   * Whether `apply` reads texts below the directories of the scope. Texts of its paths are always loaded. @default
   * false
   */
  needsTexts?: boolean;
  /** Whether the change keeps every text, as a rename does. The history then needs no text. @default false */
  keepsTexts?: boolean;
  /** The id of an approved change. If there are edits, the memory records the id in the same step. */
  approvalId?: string;
}

export type Applied<Result> = Pick<AppliedChange, "edits"> & { result: Result };
