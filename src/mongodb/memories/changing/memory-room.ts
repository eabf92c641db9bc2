import type { CallContext } from "../../../core/runtime/call.js";
import type { MemoryTree, TreeEdits } from "../../../core/tree/memory-tree.js";
import { memoryFull, MemoryError } from "../../../core/values/errors.js";
import { isTooLarge, storageError } from "../../driver/errors.js";
import { reading } from "../../driver/reads.js";
import { type ChangeParts, createStage, noChange } from "./change-pipeline.js";
import { listPages } from "../reading/known-pages.js";
import type { LoadedPage, LoadedPages } from "../reading/load.js";
import { targetHeadAlone } from "./page-target.js";
import { lookUpPresent, type PagedMemory } from "../memory-context.js";
import { repartition } from "./repartition.js";
import { contentBytes, measureContent, newMemoryBytes } from "../documents/page-sizes.js";

/*
 * Checks of the limit of a memory. Each function throws ENOSPC if the memory would exceed its limit.
 */

/** Checks the first change of a memory, before a head is created. */
export async function checkRoomOfNew(
  memory: PagedMemory,
  tree: MemoryTree,
  edits: TreeEdits,
  call: CallContext,
): Promise<void> {
  const pages = repartition([{}], tree, edits, memory.pageBytes);
  if (pages.length > 1 && memory.limits.isLimited !== true) return;
  await checkRoomOfHead(memory, undefined, edits, { ...noChange, growth: Infinity }, call);
}

/**
 * Checks a change of a memory that is its head alone.
 * @returns whether the change had to be measured. Then the memory has room for it in this revision alone
 */
export async function checkRoomOfHead(
  memory: PagedMemory,
  page: LoadedPage | undefined,
  edits: TreeEdits,
  parts: ChangeParts,
  call: CallContext,
): Promise<boolean> {
  const { maxMemoryBytes } = memory.limits;
  const growth = Number(parts.growth);
  const sizeBytes = page?.measuredBytes ?? 0;
  const most = page === undefined ? newMemoryBytes(memory.address, edits.files) : sizeBytes + growth;
  if (most <= maxMemoryBytes || growth === 0) return false;
  const measured = page === undefined ? null : await measureHead(memory, parts, call);
  const after = measured ?? most;
  if (after > Math.max(maxMemoryBytes, sizeBytes)) throw createError(memory, after);
  return true;
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

/**
 * Computes the size in bytes of the head after a change, without the outbox. Changes nothing.
 * @returns null if the document is larger than the server can measure
 */
async function measureHead(memory: PagedMemory, parts: ChangeParts, call: CallContext): Promise<number | null> {
  const { collection, clock } = memory;
  const { maxMemoryBytes } = memory.limits;
  const at = clock();
  const page = targetHeadAlone(memory);
  const settings = { at, createdAt: at, recording: null, changeId: null, receipt: null, maxMemoryBytes, page };
  const stage = createStage({ ...parts, growth: 0 }, settings);
  const match = { $match: lookUpPresent(memory) };
  const project = { $project: { _id: 0, sizeBytes: contentBytes("$$ROOT") } };
  try {
    const found = collection.aggregate<{ sizeBytes: number }>([match, stage, project], call);
    const [first] = await found.toArray();
    return first?.sizeBytes ?? 0;
  } catch (error) {
    if (isTooLarge(error)) return null;
    throw storageError(error, "read", maxMemoryBytes);
  }
}
