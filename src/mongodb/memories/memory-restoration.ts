import type { CallContext } from "../../core/runtime/call.js";
import { noEdits } from "../../core/tree/memory-tree.js";
import { getRestorationScope, restoreTree } from "../../core/tree/restore-tree.js";
import type { Restoration } from "../history/history-source.js";
import type { RecordedChange } from "../history/outbox.js";
import { recordEdits } from "../history/record-edits.js";
import type { StoredMemory } from "./contract/stored-memory.js";

export interface RestorationSettings {
  /** The times of files, if they differ from the time of the change. */
  fileClock?: (() => Date) | undefined;
  clock: () => Date;
  /** Whether the revert changes nothing and only returns what it would record. */
  isReader: boolean;
}

/**
 * Applies a planned revert in one step.
 * @returns the recorded change; null if the memory has changed since the revert was planned
 */
export function restoreMemory(
  stored: StoredMemory,
  { restoration, revision }: { restoration: Restoration; revision: number },
  { fileClock, clock, isReader }: RestorationSettings,
  call: CallContext,
): Promise<RecordedChange | null> {
  return stored.transact<RecordedChange | null>(
    { ...getRestorationScope(restoration), needsTexts: true },
    (tree, { at }) => {
      const edits = restoreTree(tree, restoration, { revision, now: fileClock?.() ?? at });
      if (edits === null) return { edits: noEdits, result: null };
      const recorded = { files: [], directories: {}, ...recordEdits(tree, edits) };
      const result = { revision: revision + 1, at: isReader ? clock() : at, actor: call.actor, ...recorded };
      return { edits: isReader ? noEdits : edits, result };
    },
    call,
  );
}
