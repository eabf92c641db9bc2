import type { CallContext } from "../../../core/runtime/call.js";
import { runInTimeSlices } from "../../../core/runtime/time-slices.js";
import type { Expression } from "../documents/expressions.js";
import { newMemoryBytes } from "../documents/page-sizes.js";
import { hasTransactions, type PagedMemory } from "../memory-context.js";
import { covers } from "../reading/known-pages.js";
import { isHead, type LoadedPage } from "../reading/load.js";
import { type ChangeParts, noChange } from "./change-pipeline.js";
import { changedSince, createEditParts } from "./edit-parts.js";
import {
  changesHead,
  createApprovalFields,
  findFirstTime,
  type LoadedChange,
  type StoreOutcome,
  toStoreOutcome,
} from "./loaded-change.js";
import { checkRoom, getGrowth } from "./memory-room.js";
import { targetHeadAlone, targetLoadedPage } from "./page-target.js";
import { commitChanges, type PageWrite, writePage } from "./page-writes.js";
import { needsSplit } from "./repartition.js";

/**
 * Stores edits of one page. They are one update, which sends only what changes. If the change concerns the head too, and
 * the head is another page, they are a transaction.
 */
export async function changePage(memory: PagedMemory, change: LoadedChange, call: CallContext): Promise<StoreOutcome> {
  const { loaded, edits, scope } = change;
  const page = loaded.isPaged ? loaded.pages.find((each) => covers([each], scope)) : loaded.pages[0];
  // Only a transaction knows the ids of its versions, which a revert returns.
  const isReplaced = page === undefined || page.storedHi !== undefined || scope.isExact === true;
  if (loaded.isPaged && isReplaced) return "needsWholePages";
  const growth = getGrowth(loaded.tree, edits);
  const sizeBytes = (page?.measuredBytes ?? newMemoryBytes(memory.address, [])) + growth;
  if (growth > 0 && needsSplit(page, sizeBytes, memory.pageBytes) && (await hasTransactions(memory)))
    return "needsWholePages";
  await checkRoom(memory, loaded, edits, call);
  const parts = await runInTimeSlices(createEditParts(change, page), call);
  const { head } = loaded;
  return loaded.isPaged && changesHead(memory, scope) && page !== undefined && head !== undefined && !isHead(page)
    ? sendWithHead(memory, change, { page, head }, parts, call)
    : sendAlone(memory, change, page, parts, call);
}

async function sendWithHead(
  memory: PagedMemory,
  change: LoadedChange,
  { page, head }: { page: LoadedPage; head: LoadedPage },
  parts: ChangeParts,
  call: CallContext,
): Promise<StoreOutcome> {
  const headParts = {
    ...noChange,
    unless: changedSince(head.revision ?? 0),
    fields: createApprovalFields(change.scope),
  };
  const writes: PageWrite[] = [
    { kind: "change", target: targetLoadedPage(memory, page, true), parts },
    { kind: "change", target: targetLoadedPage(memory, head, true), parts: headParts },
  ];
  const times = { at: change.at, createdAt: findFirstTime(change) };
  return toStoreOutcome(await commitChanges(memory, { writes, head }, times, call));
}

async function sendAlone(
  memory: PagedMemory,
  change: LoadedChange,
  page: LoadedPage | undefined,
  parts: ChangeParts,
  call: CallContext,
): Promise<StoreOutcome> {
  const { loaded, scope, at } = change;
  const isMissing = page === undefined;
  const target = isMissing ? targetHeadAlone(memory) : targetLoadedPage(memory, page, loaded.isPaged);
  const fields: Expression = { $mergeObjects: [parts.fields, createApprovalFields(scope)] };
  const own = scope.approvalId === undefined ? parts : { ...parts, fields };
  const options = { target, at, createdAt: findFirstTime(change), upsert: isMissing };
  return toStoreOutcome((await writePage(memory, own, options, call)) !== null);
}
