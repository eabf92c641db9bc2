import type { CallContext } from "../../../core/runtime/call.js";
import { runInTimeSlices } from "../../../core/runtime/time-slices.js";
import { type Expression, literal } from "../documents/expressions.js";
import { getIncarnation } from "../documents/page-document.js";
import { createPageId } from "../documents/page-ids.js";
import type { KnownPage, PagedMemory } from "../memory-context.js";
import { sortPages } from "../reading/known-pages.js";
import type { LoadedPage } from "../reading/load.js";
import { type ChangeParts, noChange } from "./change-pipeline.js";
import { changedSince, literalFields, recordParts } from "./edit-parts.js";
import {
  createApprovalFields,
  findFirstTime,
  type LoadedChange,
  type StoreOutcome,
  toOutcome,
} from "./loaded-change.js";
import { joinCalls } from "./made-calls.js";
import { checkGrowthOfHead, checkRoomOfNew, checkRoomOfPages, getGrowth } from "./memory-room.js";
import { targetHeadAlone, targetLoadedPage } from "./page-target.js";
import { commitChanges, makeChange, type PageWrite } from "./page-writes.js";
import { type NewPage, repartition } from "./repartition.js";

/** A page after the change, with the `_id` that it has or gets. */
type PlannedPage = NewPage<LoadedPage> & KnownPage;

/** Another writer has created the memory. */
const exists: Expression = { $gt: ["$revision", null] };

/** Stores edits of several pages, and those for which a page is split. They replace whole pages in a transaction. */
export async function replacePages(
  memory: PagedMemory,
  change: LoadedChange,
  call: CallContext,
): Promise<StoreOutcome> {
  const { loaded, edits, at } = change;
  const { head } = loaded;
  if (head === undefined) {
    checkRoomOfNew(memory, loaded.tree, edits);
    return createHead(memory, change, call);
  }
  const [headId, incarnation] = [head._id, getIncarnation(head)];
  const plan = repartition(loaded.pages, loaded.tree, edits, memory.pageBytes).map((page): PlannedPage => ({
    ...page,
    _id: page.old?._id ?? createPageId(headId, incarnation),
  }));
  const isOnePage = !loaded.isPaged && plan.length === 1;
  if (loaded.isPaged || !isOnePage) await checkRoomOfPages(memory, loaded, edits, call);
  const kept = new Set(plan.map(({ old }) => old));
  const removed = loaded.pages.filter((page) => !kept.has(page));
  const headParts = await planHead(memory, change, head, { plan, removed }, call);
  const times = { at, createdAt: at };
  if (isOnePage) {
    checkGrowthOfHead(memory, head, getGrowth(loaded.tree, edits));
    const target = targetLoadedPage(memory, head, false);
    const options = { target, ...times, upsert: false };
    return toOutcome((await makeChange(memory, headParts, options, call)) !== null);
  }
  const target = targetLoadedPage(memory, head, true);
  const writes = planWrites(change, head, { plan, removed });
  const isMade = await commitChanges(memory, writes, { target, parts: headParts }, times, call);
  if (isMade) rememberPages(memory, change, head, plan);
  return toOutcome(isMade);
}

/** Creates an empty head, to which the pages of the change are then added. */
async function createHead(memory: PagedMemory, change: LoadedChange, call: CallContext): Promise<StoreOutcome> {
  const target = targetHeadAlone(memory);
  const options = { target, at: change.at, createdAt: findFirstTime(change), upsert: true };
  const fields = literalFields({ files: [], directories: [] });
  await makeChange(memory, { ...noChange, unless: [exists], fields }, options, call);
  return "again";
}

async function planHead(
  { history }: PagedMemory,
  { loaded: { tree, pages }, edits, scope, outcome }: LoadedChange,
  head: LoadedPage,
  { plan, removed }: { plan: readonly PlannedPage[]; removed: readonly LoadedPage[] },
  call: CallContext,
): Promise<ChangeParts> {
  const own = plan.find(({ old }) => old === head);
  const { fields, ...rest } = own === undefined ? noPageFields : pageFields(own, own.hi === undefined, pages);
  const recorded = history === null ? [] : await runInTimeSlices(recordParts(tree, edits), call);
  return {
    ...noChange,
    unless: changedSince(head.revision ?? 0),
    ...rest,
    fields: { $mergeObjects: [fields, createApprovalFields(scope)] },
    outcome,
    recorded,
    addedRevisions: removed.reduce((sum, { revision = 0 }) => sum + revision, 0),
  };
}

/**
 * Plans the writes of all pages but the head. Unchanged pages get a new revision too, so that no other change of them
 * can be made at the same time.
 */
function planWrites(
  { loaded: { pages }, outcome }: LoadedChange,
  head: LoadedPage,
  { plan, removed }: { plan: readonly PlannedPage[]; removed: readonly LoadedPage[] },
): PageWrite[] {
  const others = plan.filter(({ old }) => old !== head);
  return [
    ...others.map((page): PageWrite => {
      const { old, _id } = page;
      const target = { filter: { _id }, unless: [], isAlone: false, isHead: false };
      const parts = { ...noChange, ...pageFields(page, false, pages), outcome };
      return old === null
        ? { target, parts, upsert: true }
        : { target, parts: { ...parts, unless: changedSince(old.revision ?? 0) } };
    }),
    ...removed.map((deleted): PageWrite => ({ deleted })),
  ];
}

function rememberPages(
  { knownPages, key }: PagedMemory,
  { loaded: { pages }, at }: LoadedChange,
  head: LoadedPage,
  plan: readonly PlannedPage[],
): void {
  const before: readonly KnownPage[] = knownPages.get(key)?.pages ?? [];
  const loaded = new Set(pages.map(({ _id }) => _id));
  const kept = before.filter(({ _id }) => !loaded.has(_id));
  const after = sortPages([...kept, ...plan.map(({ _id, lo }) => ({ _id, lo }))]);
  if (after.length === 1) knownPages.delete(key);
  else knownPages.set(key, { incarnation: getIncarnation(head), pages: after, updatedAt: at });
}

type PageFields = Required<Pick<ChangeParts, "fields" | "removedFields">> & Pick<ChangeParts, "calls">;

const noPageFields: PageFields = { fields: {}, removedFields: [] };

/**
 * @param isAlone whether it is the head, and no other page is left
 * @param pages all pages before the change. Each new page keeps their calls, because a path may have been in any of them
 */
function pageFields(
  { lo, hi, content, splitAtBytes, isChanged, old }: NewPage<LoadedPage>,
  isAlone: boolean,
  pages: readonly LoadedPage[],
): PageFields {
  if (!isChanged) return noPageFields;
  const bounds = { ...(!isAlone && { lo: literal(lo) }), ...(hi !== undefined && { hi: literal(hi) }) };
  const removedFields = [
    ...(isAlone ? ["lo", "sizeBytes"] : []),
    ...(hi === undefined ? ["hi"] : []),
    ...(splitAtBytes === undefined ? ["splitAtBytes"] : []),
  ];
  return {
    fields: { ...literalFields(content), ...bounds, ...(splitAtBytes !== undefined && { splitAtBytes }) },
    removedFields: old === null ? [] : removedFields,
    calls: joinCalls(pages),
  };
}
