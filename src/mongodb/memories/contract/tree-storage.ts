import type { CallContext } from "../../../core/runtime/call.js";
import type { AppliedChange, ApplySettings } from "../../../core/tree/apply-change.js";
import type { Change, ChangeResult, ChangeScope } from "../../../core/tree/change.js";
import type { MemoryTree } from "../../../core/tree/memory-tree.js";

/**
 * How a layout changes one memory. One server command decides whether a change is made; the tree says why it is not.
 * Every layout has these two methods; what a change does stands in `applyChange` alone.
 */
export interface TreeStorage {
  /**
   * Makes a change by one command that decides on the server. It may refuse what is allowed. Null: nothing was changed;
   * `transact` makes the change or says why it is refused.
   */
  attempt(change: Change, settings: AttemptSettings, call: CallContext): Promise<ChangeResult | null>;
  /**
   * Loads what the scope names as a tree of one moment, and stores the edits as one step with their versions. Starts again
   * if another change came first. Without edits it makes nothing, not even a mark.
   * @param apply must not change the tree. It may wait for others, and may run several times
   * @throws what `apply` throws, ENOSPC, ECONFLICT; then nothing was changed
   */
  transact<Result>(
    scope: StorageScope,
    apply: (tree: MemoryTree, moment: StorageMoment) => Applied<Result> | Promise<Applied<Result>>,
    call: CallContext,
  ): Promise<Result>;
}

export interface AttemptSettings extends ApplySettings {
  /** When the memory changes. `now` is the time of its files, which an import sets. */
  at: Date;
}

/** What `transact` knows when it has loaded the tree. */
export interface StorageMoment {
  /** When the memory changes, which its history records. */
  at: Date;
  /** Whether the memory is marked with the `approvalId` of the scope: the change was made already. */
  isApplied: boolean;
}

/** What `transact` loads, and how it stores the change. */
export interface StorageScope extends ChangeScope {
  /** Whether `apply` reads texts below the directories of the scope. Those of its paths are always there. @default false */
  needsTexts?: boolean;
  /** Whether the change leaves every text as it is, as a rename does: a history is told no text then. @default false */
  keepsTexts?: boolean;
  /** Id of an approved change: where there are edits, the memory is marked with it in the same step. */
  approvalId?: string;
  /** How many UTF-16 units of text the change brings. */
  chars: number;
}

export type Applied<Result> = Pick<AppliedChange, "edits"> & { result: Result };
