import type { CallContext } from "../../../core/runtime/call.js";
import { retryLostRace } from "../../../core/runtime/lost-race.js";
import { noEdits } from "../../../core/tree/memory-tree.js";
import type { FormerBound } from "../../history/history-context.js";
import type { PagedMemory } from "../memory-context.js";
import { findFormerBounds } from "../reading/load.js";
import { loadForChange } from "./loaded-change.js";
import { replacePages } from "./replace-pages.js";

/**
 * Joins each page that begins at a former path to the page before it, and closes gaps. What is too large for one page is
 * split at present paths. A new start needs a new page: other processes trust the start of a page that they know.
 */
export async function renewBounds(
  memory: PagedMemory,
  bounds: readonly FormerBound[],
  call: CallContext,
): Promise<void> {
  for (const bound of bounds) await memory.changes.run(memory.key, () => renewBound(memory, bound, call), call);
}

async function renewBound(memory: PagedMemory, { path, before }: FormerBound, call: CallContext): Promise<void> {
  const scope = { paths: [before, path], below: [] };
  await retryLostRace(async () => {
    call.throwIfAborted();
    const loaded = await loadForChange(memory, scope, true, call);
    if (!findFormerBounds(loaded.pages, loaded.tree).some((bound) => bound.path === path)) return true;
    const change = { scope, loaded, edits: noEdits, at: memory.clock() };
    return (await replacePages(memory, change, call)) === "stored" || undefined;
  });
}
