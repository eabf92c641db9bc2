import type { CallContext } from "../../../core/runtime/call.js";
import type { MemoryTree, TreeEdits } from "../../../core/tree/memory-tree.js";
import { memoryFull, MemoryError } from "../../../core/values/errors.js";
import { reading } from "../../driver/reads.js";
import { listPages } from "../reading/known-pages.js";
import type { LoadedPage, LoadedPages } from "../reading/load.js";
import type { PagedMemory } from "../memory-context.js";
import { repartition } from "./repartition.js";
import { measureContent, newMemoryBytes } from "../documents/page-sizes.js";

/*
 * Checks of the limit of a memory. Each function throws ENOSPC if the memory would exceed its limit.
 */

/**
 * Checks a change that nobody has stored yet.
 * @param mostGrowth the most bytes by which a memory of one page becomes larger, if the caller knows it already
 */
export async function checkRoom(
  memory: PagedMemory,
  loaded: LoadedPages,
  edits: TreeEdits,
  call: CallContext,
  mostGrowth?: number,
): Promise<void> {
  const { pages, tree, isPaged } = loaded;
  const [head] = pages;
  if (isPaged) await checkRoomOfPages(memory, loaded, edits, call);
  else if (head === undefined) checkRoomOfNew(memory, tree, edits);
  else checkGrowthOfHead(memory, head, mostGrowth ?? getGrowth(tree, edits));
}

/** Checks the first change of a memory, before a head is created. */
export function checkRoomOfNew(memory: PagedMemory, tree: MemoryTree, edits: TreeEdits): void {
  const pages = repartition([{}], tree, edits, memory.pageBytes);
  const { limits, server } = memory;
  if (pages.length > 1 && limits.isLimited !== true && server.hasTransactions !== false) return;
  checkSize(memory, newMemoryBytes(memory.address, edits.files));
}

/** Checks a change of a memory that is its head alone. @param growth the most bytes by which it becomes larger */
export function checkGrowthOfHead(memory: PagedMemory, { measuredBytes = 0 }: LoadedPage, growth: number): void {
  if (growth > 0) checkSize(memory, measuredBytes + growth);
}

function checkSize(memory: PagedMemory, mostBytes: number): void {
  if (mostBytes > memory.limits.maxMemoryBytes) throw createError(memory, mostBytes);
}

/** On a standalone server the error also says where memories have no limit. */
function createError({ limits, server }: PagedMemory, sizeBytes: number): MemoryError {
  const error = memoryFull(sizeBytes, limits.maxMemoryBytes);
  if (limits.isLimited === true || server.hasTransactions !== false) return error;
  const reason = "a standalone server keeps a memory in one document, and a replica set has no such limit";
  return new MemoryError("ENOSPC", `${error.message}; ${reason}`);
}

/** Checks a change of a memory of several pages. It has no limit unless the caller has set one. */
export async function checkRoomOfPages(
  memory: PagedMemory,
  { tree, head }: LoadedPages,
  edits: TreeEdits,
  call: CallContext,
): Promise<void> {
  const { maxMemoryBytes, isLimited } = memory.limits;
  if (isLimited !== true || head === undefined) return;
  const growth = getGrowth(tree, edits);
  if (growth === 0) return;
  const others = await reading(() => listPages(memory, head, {}, call));
  const beforeBytes = others.reduce((sum, { sizeBytes }) => sum + sizeBytes, head.measuredBytes ?? 0);
  if (beforeBytes + growth > maxMemoryBytes) throw memoryFull(beforeBytes + growth, maxMemoryBytes);
}

/** Returns how many bytes edits add to the content of a memory. 0 if they add none. */
export function getGrowth(tree: MemoryTree, edits: TreeEdits): number {
  return Math.max(0, measureContent(tree.after(edits).snapshot()) - measureContent(tree.snapshot()));
}
