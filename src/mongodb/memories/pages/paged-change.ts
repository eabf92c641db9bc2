import type { CallContext } from "../../../core/runtime/call.js";
import { runInTurns } from "../../../core/runtime/turns.js";
import type { TreeEdits } from "../../../core/tree/memory-tree.js";
import { createRecord } from "../../driver/records.js";
import type { StorageScope } from "../contract/tree-storage.js";
import { type Expression, literal } from "../expressions.js";
import { type ChangeParts, noChange } from "./change-pipeline.js";
import { changedSince, createEditParts, literalFields, recordParts } from "./edit-parts.js";
import { covers, findKnownPages, selectPages, sortPages } from "./known-pages.js";
import { isHead, type LoadedPage, type LoadedPages, loadPages } from "./load.js";
import { checkRoomOfHead, checkRoomOfNew, checkRoomOfPages, getGrowth } from "./memory-room.js";
import { getIncarnation, newMemoryBytes } from "./page-document.js";
import { createPageId } from "./page-keys.js";
import { targetHeadAlone, targetLoadedPage } from "./page-target.js";
import { hasTransactions, type KnownPage, type MemoryContext } from "./pages-context.js";
import { commitChanges, makeChange, type PageWrite } from "./page-writes.js";
import { type NewPage, repartition } from "./repartition.js";
import { touchHead } from "./touch-head.js";
import { rewriteHeadId, rewriteLegacy } from "./upgrade.js";

/**
 * "stored": the edits are made. "lost": others have changed what was loaded; nothing was changed. "again": the memory
 * must be loaded again, in another form; nothing was changed.
 */
export type StoreOutcome = "stored" | "lost" | "again";

/** A page after the change, with the `_id` that it has or gets. */
type PlannedPage = NewPage<LoadedPage> & KnownPage;

/** Somebody else has made the memory. */
const exists: Expression = { $ne: [{ $ifNull: ["$revision", "$data", "$dirs", null] }, null] };

/**
 * Stores the edits of one change. Edits of one page are one update, which sends only what changes. Edits of several
 * pages, and those for which a page is split, replace whole pages in a transaction.
 */
export class PagedChange {
  readonly #memory: MemoryContext;
  readonly #scope: StorageScope;
  /** Whether the change replaces whole pages. */
  #replacesPages: boolean;

  constructor(memory: MemoryContext, scope: StorageScope) {
    this.#memory = memory;
    this.#scope = scope;
    const known = findKnownPages(memory);
    this.#replacesPages = known !== undefined && selectPages(known.pages, scope).length > 1;
  }

  load(call: CallContext): Promise<LoadedPages> {
    const { paths, below, approvalId, needsTexts = false, keepsTexts = false } = this.#scope;
    // The history records the previous texts.
    const needsAllTexts = needsTexts || (this.#memory.history !== null && !keepsTexts);
    const want = this.#replacesPages || (needsAllTexts && below.length > 0) ? "pages" : "paths";
    const needsHead = this.#replacesPages || this.#changesHead;
    return loadPages(this.#memory, { paths, below, want, needsHead, forChange: true, approvalId }, call);
  }

  store(loaded: LoadedPages, edits: TreeEdits, at: Date, call: CallContext): Promise<StoreOutcome> {
    return this.#replacesPages
      ? this.#replacePages(loaded, edits, at, call)
      : this.#changePage(loaded, edits, at, call);
  }

  /** Refuses edits after which the memory would exceed its limit. @throws ENOSPC */
  async checkRoom(loaded: LoadedPages, edits: TreeEdits, call: CallContext): Promise<void> {
    if (loaded.isPaged) return checkRoomOfPages(this.#memory, loaded, edits, call);
    const [page] = loaded.pages;
    const { legacy } = loaded;
    const parts = await this.#createParts(loaded, page, edits, call);
    await checkRoomOfHead(
      this.#memory,
      page,
      edits,
      { ...parts, growth: legacy === null ? parts.growth : Infinity },
      call,
    );
  }

  /** Whether the change is recorded in the head, or counted there. */
  get #changesHead(): boolean {
    return (
      this.#memory.history !== null || this.#scope.approvalId !== undefined || this.#memory.limits.isLimited === true
    );
  }

  async #changePage(loaded: LoadedPages, edits: TreeEdits, at: Date, call: CallContext): Promise<StoreOutcome> {
    const page = loaded.isPaged ? loaded.pages.find((each) => covers([each], this.#scope)) : loaded.pages[0];
    if (loaded.isPaged && (page === undefined || page.isTorn === true)) return this.#replaceNext();
    const parts = await this.#createParts(loaded, page, edits, call);
    const mostBytes =
      page === undefined
        ? newMemoryBytes(this.#memory.address, edits.files)
        : (page.measuredBytes ?? 0) + Number(parts.growth);
    const splitBytes = page?.splitAtBytes ?? this.#memory.pageBytes;
    const isTooLarge = Number(parts.growth) > 0 && mostBytes > splitBytes;
    if (isTooLarge && (await hasTransactions(this.#memory))) return this.#replaceNext();
    if (loaded.isPaged) await checkRoomOfPages(this.#memory, loaded, edits, call);
    else await checkRoomOfHead(this.#memory, page, edits, parts, call);
    return this.#sendPage(loaded, page, { parts, edits, at }, call);
  }

  async #sendPage(
    loaded: LoadedPages,
    page: LoadedPage | undefined,
    { parts, edits, at }: { parts: ChangeParts; edits: TreeEdits; at: Date },
    call: CallContext,
  ): Promise<StoreOutcome> {
    const createdAt = findFirstTime(edits, at);
    const { head } = loaded;
    if (loaded.isPaged && this.#changesHead && page !== undefined && head !== undefined && !isHead(page)) {
      const headParts = { ...noChange, ...this.#createHeadParts(head), recorded: parts.recorded };
      const target = targetLoadedPage(this.#memory, head, true);
      const own = targetLoadedPage(this.#memory, page, true);
      const writes = [{ target: own, parts: { ...parts, recorded: null, growth: 0 } }];
      return toOutcome(
        await commitChanges(this.#memory, writes, { target, parts: headParts }, { at, createdAt }, call),
      );
    }
    if (loaded.isPaged) {
      const known = findKnownPages(this.#memory);
      if (known === undefined || !(await touchHead(this.#memory, known, call))) return "lost";
    }
    const isMissing = page === undefined;
    const target = isMissing ? targetHeadAlone(this.#memory) : targetLoadedPage(this.#memory, page, loaded.isPaged);
    // An upsert cannot refuse the change of a missing document. The size was checked before.
    const checked = isMissing ? { ...parts, growth: 0 } : parts;
    const fields: Expression = { $mergeObjects: [parts.fields, this.#approvalFields()] };
    const own = this.#scope.approvalId === undefined ? checked : { ...checked, fields };
    const options = { target, at, createdAt, upsert: isMissing, splitBytes: null };
    const made = await makeChange(this.#memory, own, options, call);
    return toOutcome(made !== null && made !== "missing");
  }

  async #replacePages(loaded: LoadedPages, edits: TreeEdits, at: Date, call: CallContext): Promise<StoreOutcome> {
    const { head } = loaded;
    if (head === undefined) {
      await checkRoomOfNew(this.#memory, loaded.tree, edits, call);
      return this.#createHead(edits, at, call);
    }
    if (loaded.legacy !== null) {
      await rewriteLegacy(this.#memory, loaded.legacy, call);
      return "again";
    }
    const [headId, incarnation] = [String(head._id), getIncarnation(head)];
    const plan = repartition(loaded.pages, loaded.tree, edits, this.#memory.pageBytes).map((page): PlannedPage => ({
      ...page,
      _id: page.old?._id ?? createPageId(headId, incarnation),
    }));
    const isOnePage = !loaded.isPaged && plan.length === 1;
    if (!isOnePage && typeof head._id !== "string") {
      await rewriteHeadId(this.#memory, head, call);
      return "again";
    }
    if (loaded.isPaged || !isOnePage) await checkRoomOfPages(this.#memory, loaded, edits, call);
    const headParts = await this.#planHead(loaded, head, { plan, edits }, call);
    const times = { at, createdAt: at };
    if (isOnePage) {
      await checkRoomOfHead(this.#memory, head, edits, { ...headParts, growth: getGrowth(loaded.tree, edits) }, call);
      const target = targetLoadedPage(this.#memory, head, false);
      const options = { target, ...times, upsert: false, splitBytes: null };
      const made = await makeChange(this.#memory, headParts, options, call);
      return toOutcome(made !== null && made !== "missing");
    }
    const target = targetLoadedPage(this.#memory, head, true);
    const writes = this.#planWrites(loaded, head, plan);
    const isMade = await commitChanges(this.#memory, writes, { target, parts: headParts }, times, call);
    if (isMade) this.#rememberPages(loaded, head, plan, at);
    return toOutcome(isMade);
  }

  /** Creates an empty head, to which the pages of the change are then added. */
  async #createHead(edits: TreeEdits, at: Date, call: CallContext): Promise<StoreOutcome> {
    const target = targetHeadAlone(this.#memory);
    const options = { target, at, createdAt: findFirstTime(edits, at), upsert: true, splitBytes: null };
    const fields = literalFields({ files: [], directories: [] });
    await makeChange(this.#memory, { ...noChange, unless: [exists], fields }, options, call);
    return "again";
  }

  async #planHead(
    { tree, pages }: LoadedPages,
    head: LoadedPage,
    { plan, edits }: { plan: readonly PlannedPage[]; edits: TreeEdits },
    call: CallContext,
  ): Promise<ChangeParts> {
    const own = plan.find(({ old }) => old === head);
    const kept = new Set(plan.map(({ old }) => old));
    const removed = pages.filter((page) => !kept.has(page));
    const { fields, removedFields } = own === undefined ? noPageFields : pageFields(own, own.hi === undefined);
    const recorded = this.#memory.history === null ? null : await runInTurns(recordParts(tree, edits), call);
    return {
      ...noChange,
      ...this.#createHeadParts(head),
      fields: { $mergeObjects: [fields, this.#approvalFields()] },
      removedFields,
      recorded,
      addedRevisions: removed.reduce((sum, { revision = 0 }) => sum + revision, 0),
    };
  }

  /**
   * Plans the writes of all pages but the head. Pages that stay as they are count the change too, so that no other
   * change of them can be made at the same time.
   */
  #planWrites({ pages }: LoadedPages, head: LoadedPage, plan: readonly PlannedPage[]): PageWrite[] {
    const kept = new Set(plan.map(({ old }) => old));
    const others = plan.filter(({ old }) => old !== head);
    return [
      ...others.map((page): PageWrite => {
        const { old, _id } = page;
        const target = { filter: { _id }, form: { unless: [] }, isHead: false };
        const parts = { ...noChange, ...pageFields(page, false) };
        return old === null
          ? { target, parts, upsert: true }
          : { target, parts: { ...parts, unless: changedSince(old.revision ?? 0) } };
      }),
      ...pages.filter((page) => !kept.has(page)).map((deleted): PageWrite => ({ deleted })),
    ];
  }

  #rememberPages({ pages }: LoadedPages, head: LoadedPage, plan: readonly PlannedPage[], at: Date): void {
    const { knownPages, key } = this.#memory;
    const before: readonly KnownPage[] = knownPages.get(key)?.pages ?? [];
    const loaded = new Set(pages.map(({ _id }) => _id));
    const after = sortPages([...before.filter(({ _id }) => !loaded.has(_id)), ...plan]);
    if (after.length === 1) knownPages.delete(key);
    else knownPages.set(key, { incarnation: getIncarnation(head), pages: after, updatedAt: at });
  }

  #createHeadParts(head: LoadedPage): Pick<ChangeParts, "unless" | "fields"> {
    return { unless: changedSince(head.revision ?? 0), fields: this.#approvalFields() };
  }

  #approvalFields(): Expression {
    const { approvalId } = this.#scope;
    if (approvalId === undefined) return {};
    return { applied: { $mergeObjects: ["$applied", literal(createRecord([[approvalId, true]]))] } };
  }

  #createParts(
    { tree, legacy }: LoadedPages,
    page: LoadedPage | undefined,
    edits: TreeEdits,
    call: CallContext,
  ): Promise<ChangeParts> {
    const isRecordedElsewhere = page !== undefined && !isHead(page) && this.#changesHead;
    const swaps = this.#scope.approvalId === undefined && !isRecordedElsewhere;
    const edited = { tree, legacy, revision: page?.revision ?? 0 };
    return runInTurns(createEditParts(edited, edits, swaps), call);
  }

  #replaceNext(): StoreOutcome {
    this.#replacesPages = true;
    return "again";
  }
}

/** Returns the time of creation of a memory that edits create. */
function findFirstTime({ files }: TreeEdits, at: Date): Date {
  return files.reduce((first, { createdAt }) => (createdAt < first ? createdAt : first), at);
}

type PageFields = Required<Pick<ChangeParts, "fields" | "removedFields">>;

const noPageFields: PageFields = { fields: {}, removedFields: [] };

/** @param isAlone whether it is the head, and no other page is left */
function pageFields(
  { lo, hi, content, splitAtBytes, isChanged, old }: NewPage<LoadedPage>,
  isAlone: boolean,
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
  };
}

function toOutcome(isMade: boolean): StoreOutcome {
  return isMade ? "stored" : "lost";
}
