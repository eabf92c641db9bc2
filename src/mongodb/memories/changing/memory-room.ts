import type { CallContext } from "../../../core/runtime/call.js";
import type { MemoryTree, TreeEdits } from "../../../core/tree/memory-tree.js";
import { memoryFull, MemoryError } from "../../../core/values/errors.js";
import { reading } from "../../driver/reads.js";
import { measureContent, newMemoryBytes } from "../documents/page-sizes.js";
import { hasTransactions, type PagedMemory } from "../memory-context.js";
import { listPages } from "../reading/known-pages.js";
import type { LoadedPages } from "../reading/load.js";

/**
 * Refuses a change after which the memory would exceed its limit. Without a limit of the caller, only a memory that
 * cannot be split has one.
 * @throws ENOSPC
 */
export async function checkRoom(
  memory: PagedMemory,
  { tree, head, isPaged }: LoadedPages,
  edits: TreeEdits,
  call: CallContext,
): Promise<void> {
  const { address, limits } = memory;
  const growth = getGrowth(tree, edits);
  if (growth <= 0 || (isPaged && limits.isLimited !== true)) return;
  const others = isPaged && head !== undefined ? await reading(() => listPages(memory, head, {}, call)) : [];
  const ownBytes = head?.measuredBytes ?? newMemoryBytes(address, []);
  const sizeBytes = others.reduce((sum, page) => sum + page.sizeBytes, ownBytes + growth);
  if (sizeBytes <= limits.maxMemoryBytes) return;
  const error = memoryFull(sizeBytes, limits.maxMemoryBytes);
  if (limits.isLimited === true) throw error;
  if (await hasTransactions(memory)) return;
  const reason = "a standalone server keeps a memory in one document, and a replica set has no such limit";
  throw new MemoryError("ENOSPC", `${error.message}; ${reason}`);
}

/** Returns how many bytes edits add to the content of a memory, or take from it. */
export function getGrowth(tree: MemoryTree, edits: TreeEdits): number {
  return measureContent(tree.after(edits).snapshot()) - measureContent(tree.snapshot());
}
