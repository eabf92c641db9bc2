import type { CallContext } from "../../core/runtime/call.js";
import type { AppliedChange, ApplySettings } from "../../core/tree/apply-change.js";
import type { Change, ChangeResult, ChangeScope } from "../../core/tree/change.js";
import type { MemoryTree } from "../../core/tree/memory-tree.js";

/**
 * How a layout changes one memory. One server command decides whether a change is made; the tree says why it is not.
 * Every layout has these two methods; what a change does stands in `applyChange` alone.
 */
export interface TreeStorage {
  /**
   * Makes a change by one command that decides on the server. It may refuse what is allowed. Null: nothing was changed;
   * `transact` makes the change or says why it is refused.
   */
  attempt(change: Change, settings: ApplySettings, call: CallContext): Promise<ChangeResult | null>;
  /**
   * Loads what the scope names as a tree of one moment, and stores the edits as one step with their versions. Starts again
   * if another change came first.
   * @throws what `apply` throws, ENOSPC, ECONFLICT; then nothing was changed
   */
  transact<Result>(
    scope: StorageScope,
    apply: (tree: MemoryTree) => Applied<Result> | Promise<Applied<Result>>,
    call: CallContext,
  ): Promise<Result>;
}

/** What `transact` loads, and how it stores the change. */
export interface StorageScope extends ChangeScope {
  /** Loads the whole memory. @default false */
  whole?: boolean;
  /** Whether `apply` reads texts below the directories of the scope. @default false */
  needsTexts?: boolean;
  /** Id of an approved change: the memory is marked with it in the same step. A marked memory is not changed again. */
  approvalId?: string;
  /** How many UTF-16 units of text the change brings. */
  chars: number;
}

export type Applied<Result> = Pick<AppliedChange, "edits"> & { result: Result };
