import type { CallContext } from "../../core/runtime/call.js";
import { noEdits } from "../../core/tree/memory-tree.js";
import { getRestorationScope, restoreTree, type TreeRestoration } from "../../core/tree/restore-tree.js";
import type { RecordedChange } from "../history/outbox.js";
import { recordEdits } from "../history/record-edits.js";
import type { PagedMemory } from "./memory-context.js";
import { transact } from "./changing/transact.js";

/**
 * Applies a planned revert in one step.
 * @returns the recorded change; null if the memory has changed since the revert was planned
 */
export function restoreMemory(
  memory: PagedMemory,
  { restoration, revision }: { restoration: TreeRestoration; revision: number },
  call: CallContext,
): Promise<RecordedChange | null> {
  const { fileClock, clock, isReader } = memory;
  return transact<RecordedChange | null>(
    memory,
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
