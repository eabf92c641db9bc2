import type { CallContext } from "../../../core/runtime/call.js";
import { runInTimeSlices } from "../../../core/runtime/time-slices.js";
import { type Expression, literal, isPresent } from "../documents/expressions.js";
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
  toStoreOutcome,
} from "./loaded-change.js";
import { joinCalls } from "./made-calls.js";
import { checkRoom } from "./memory-room.js";
import { targetHeadAlone, targetLoadedPage } from "./page-target.js";
import { commitChanges, writePage, type PageWrite } from "./page-writes.js";
import { recordReplaced, type RecordedVersions } from "./recorded-versions.js";
import { type NewPage, repartition } from "./repartition.js";

/** A page after the change, with the `_id` that it has or gets. */
type PlannedPage = NewPage<LoadedPage> & KnownPage;

interface PlannedPages {
  plan: readonly PlannedPage[];
  removed: readonly LoadedPage[];
  recorded: RecordedVersions | null;
}

/** Another writer has created the memory. */
const exists: Expression = isPresent("$revision");

/** Stores edits of several pages, and those for which a page is split. They replace whole pages in a transaction. */
export async function replacePages(
  memory: PagedMemory,
  change: LoadedChange,
  call: CallContext,
): Promise<StoreOutcome> {
  const { loaded, edits, at } = change;
  const { head } = loaded;
  await checkRoom(memory, loaded, edits, call);
  if (head === undefined) return createHead(memory, change, call);
  const [headId, incarnation] = [head._id, getIncarnation(head)];
  const plan = repartition(loaded.pages, loaded.tree, edits, memory.pageBytes).map((page): PlannedPage => ({
    ...page,
    _id: page.old?._id ?? createPageId(headId, incarnation),
  }));
  const isOnePage = !loaded.isPaged && plan.length === 1;
  const kept = new Set(plan.map(({ old }) => old));
  const removed = loaded.pages.filter((page) => !kept.has(page));
  const times = { at, createdAt: at };
  if (isOnePage) {
    const recorded = memory.history && (await runInTimeSlices(recordParts(loaded.tree, edits), call));
    const parts = { ...planHead(change, head, { plan, removed, recorded: null }), recorded };
    const options = { target: targetLoadedPage(memory, head, false), ...times, upsert: false };
    return toStoreOutcome((await writePage(memory, parts, options, call)) !== null);
  }
  const recorded = await recordReplaced(memory, change, head, call);
  const pages = { plan, removed, recorded };
  const own = {
    kind: "change",
    target: targetLoadedPage(memory, head, true),
    parts: planHead(change, head, pages),
  } as const;
  const writes = [...planWrites(change, head, pages), own];
  const isMade = await commitChanges(memory, { writes, head, recorded }, times, call);
  if (isMade) rememberPages(memory, change, head, pages);
  return toStoreOutcome(isMade);
}

/** Creates an empty head, to which the pages of the change are then added. */
async function createHead(memory: PagedMemory, change: LoadedChange, call: CallContext): Promise<StoreOutcome> {
  const target = targetHeadAlone(memory);
  const options = { target, at: change.at, createdAt: findFirstTime(change), upsert: true };
  const fields = literalFields({ files: [], directories: [] });
  await writePage(memory, { ...noChange, unless: [exists], fields }, options, call);
  return "reload";
}

function planHead(
  { loaded: { pages }, scope, outcome }: LoadedChange,
  head: LoadedPage,
  { plan, removed, recorded }: PlannedPages,
): ChangeParts {
  const own = plan.find(({ old }) => old === head);
  const { fields, removedFields, calls } =
    own === undefined ? noPageFields : createPageFields(own, own.hi === undefined, pages);
  return {
    ...noChange,
    unless: recorded === null ? changedSince(head.revision ?? 0) : changedOrMovedSince(head),
    ...(calls !== undefined && { calls }),
    fields: {
      $mergeObjects: [fields, createApprovalFields(scope), recorded?.fields ?? {}, recorded?.headFields ?? {}],
    },
    removedFields: [...removedFields, ...(recorded?.removedFields ?? [])],
    outcome,
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
  { plan, removed, recorded }: PlannedPages,
): PageWrite[] {
  const others = plan.filter(({ old }) => old !== head);
  return [
    ...others.map((page): PageWrite => {
      const { old, _id } = page;
      const target = { filter: { _id }, unless: [], isAlone: false, isHead: false };
      const { fields, removedFields, calls } = createPageFields(page, false, pages);
      const parts = {
        ...noChange,
        fields: { ...fields, ...recorded?.fields },
        removedFields: [...removedFields, ...(old === null ? [] : (recorded?.removedFields ?? []))],
        ...(calls !== undefined && { calls }),
        outcome,
      };
      return old === null
        ? { kind: "change", target, parts, upsert: true }
        : {
            kind: "change",
            target,
            parts: { ...parts, unless: recorded === null ? changedSince(old.revision ?? 0) : changedOrMovedSince(old) },
          };
    }),
    ...removed.map((page): PageWrite => ({ kind: "delete", page })),
  ];
}

/** True if a page was changed since it was read, or if its recorded changes were moved: they may be redacted by now. */
function changedOrMovedSince({ revision = 0, outbox = [] }: LoadedPage): Expression[] {
  return [...changedSince(revision), { $ne: [{ $size: { $ifNull: ["$outbox", []] } }, outbox.length] }];
}

function rememberPages(
  { knownPages, key }: PagedMemory,
  { loaded: { pages }, at }: LoadedChange,
  head: LoadedPage,
  { plan, recorded }: PlannedPages,
): void {
  const { pages: before = [], hasHistory = false } = knownPages.get(key) ?? {};
  const loaded = new Set(pages.map(({ _id }) => _id));
  const kept = before.filter(({ _id }) => !loaded.has(_id));
  const after = sortPages([...kept, ...plan.map(({ _id, lo }) => ({ _id, lo }))]);
  if (after.length === 1) knownPages.delete(key);
  else
    knownPages.set(key, {
      incarnation: getIncarnation(head),
      pages: after,
      updatedAt: at,
      hasHistory: hasHistory || recorded !== null,
    });
}

interface PageFields {
  fields: Record<string, Expression>;
  removedFields: readonly string[];
  calls?: Expression | undefined;
}

const noPageFields: PageFields = { fields: {}, removedFields: [] };

/**
 * @param isAlone whether it is the head, and no other page is left
 * @param pages all pages before the change. Each new page keeps their calls, because a path may have been in any of them
 */
function createPageFields(
  { lo, hi, content, splitAtBytes, isChanged, old }: NewPage<LoadedPage>,
  isAlone: boolean,
  pages: readonly LoadedPage[],
): PageFields {
  if (!isChanged) return noPageFields;
  const bounds = { ...(!isAlone && { lo: literal(lo) }), ...(hi !== undefined && { hi: literal(hi) }) };
  const removedFields = [
    ...(isAlone ? ["lo", "sizeBytes", "recorded"] : []),
    ...(hi === undefined ? ["hi"] : []),
    ...(splitAtBytes === undefined ? ["splitAtBytes"] : []),
  ];
  return {
    fields: { ...literalFields(content), ...bounds, ...(splitAtBytes !== undefined && { splitAtBytes }) },
    removedFields: old === null ? [] : removedFields,
    calls: joinCalls(pages),
  };
}
