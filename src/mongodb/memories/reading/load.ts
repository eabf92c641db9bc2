import type { CallContext } from "../../../core/runtime/call.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import { getParents } from "../../../core/values/paths.js";
import { reading } from "../../driver/reads.js";
import type { FormerBound } from "../../history/history-context.js";
import { snapshotConcern, inSnapshot, retrySnapshot } from "../../driver/snapshot-reads.js";
import {
  covers,
  expiryFields,
  findKnownPages,
  isExpired,
  learnPages,
  type ListedPage,
  listKnownPages,
  pagesAtOnce,
  selectPages,
} from "./known-pages.js";
import { type LoadScope, type PagePart, projectScope, readPart, readsPages } from "./load-scope.js";
import { getIncarnation, type MadeCall, type MemoryDocument, snapshotOfDocument } from "../documents/page-document.js";
import { type KnownPage, type KnownPages, lookUpHead, type PagedMemory } from "../memory-context.js";
import { compareKeys, getPathAt } from "../documents/page-order.js";

/** A page, with the fields that a scope has asked for. */
export type LoadedPage = MemoryDocument & {
  measuredBytes?: number;
  isApplied?: true;
  /** The changes with the identities of the scope. */
  made?: (MadeCall | null)[];
  /** The time of the server when the page was loaded. */
  now?: Date;
  /** The end with which the page is stored, if the pages behind it are missing. */
  storedHi?: string;
};

export interface LoadedPages {
  /** Sorted by position. Empty if there is no memory. */
  pages: readonly LoadedPage[];
  /** Missing if it was not needed. */
  head: LoadedPage | undefined;
  /** The part of the memory that was asked for. Its revision is the head's. */
  tree: MemoryTree;
  /** Whether the memory has several pages. */
  isPaged: boolean;
}

/** The loaded pages of a memory, and all its pages as their index has them. */
export interface ListedPages extends LoadedPages {
  listed: readonly ListedPage[];
}

/**
 * Loads what a read or a change needs of a memory, at one point in time. One command, unless the memory has been split
 * since this process has seen it.
 * @throws MemoryError EIO
 */
export function loadPages(memory: PagedMemory, scope: LoadScope, call: CallContext): Promise<LoadedPages> {
  return readMemory(memory, async () => {
    const known = findKnownPages(memory);
    const loaded =
      known === undefined ? await loadFromHead(memory, scope, call) : await loadKnown(memory, known, scope, call);
    return loaded ?? inSnapshot(memory.client, (moment) => loadInSnapshot(memory, scope, moment, call));
  });
}

/** Connects, and runs a read. It runs again if the server does not have its snapshot any more. @throws MemoryError EIO */
export function readMemory<T>({ ready }: PagedMemory, read: () => Promise<T>): Promise<T> {
  return reading(() =>
    retrySnapshot(async () => {
      await ready();
      return read();
    }),
  );
}

/** Loads from the pages that a process knows. Null if they are not those of the memory any more. */
async function loadKnown(
  memory: PagedMemory,
  known: KnownPages,
  scope: LoadScope,
  call: CallContext,
): Promise<LoadedPages | null> {
  const ids = listIds(known.pages, scope);
  // One document is at one point in time by itself.
  const moment = ids.length > 1 ? snapshotConcern : {};
  const pages = await findPages(memory, ids, projectScope(scope), moment, call);
  return isCurrent(pages, known, scope) ? finishLoad(pages, scope, true) : null;
}

/** Loads from the head, if that is enough. Null: the memory has other pages too. */
export async function loadFromHead(
  memory: PagedMemory,
  scope: LoadScope,
  call: CallContext,
): Promise<LoadedPages | null> {
  const head = await findHead(memory, projectScope(scope), call);
  if (head?.hi === undefined) return finishLoad(head === null ? [] : [head], scope, false);
  return scope.forChange !== true && covers([head], scope) ? finishLoad([head], scope, true) : null;
}

/**
 * Reads which pages there are and then the pages, at one point in time. A range that no page covers is empty, and
 * belongs to the page before it.
 */
export async function loadInSnapshot(
  memory: PagedMemory,
  scope: LoadScope,
  moment: object,
  call: CallContext,
): Promise<ListedPages> {
  const memoryPages = await listAllPages(memory, moment, call);
  const listed = memoryPages?.pages ?? [];
  const pages = await findPages(memory, listIds(listed, scope), projectScope(scope), moment, call);
  const loaded = finishLoad(
    pages.map((page) => closeGap(page, listed)),
    scope,
    memoryPages?.isPaged === true,
  );
  return { ...loaded, listed };
}

/**
 * Lists all pages of a memory in their order. One command reads an index alone, if this process knows its pages. Null if
 * there is no memory, or it has expired.
 */
export async function listAllPages(
  memory: PagedMemory,
  moment: object,
  call: CallContext,
): Promise<{ incarnation: string; pages: readonly ListedPage[]; isPaged: boolean } | null> {
  const known = await listKnownPages(memory, moment, call);
  if (known !== null) return { ...known, isPaged: true };
  const head = await findHead<ListedPage>(memory, { revision: 1, lastVersion: 1 }, call, moment);
  const others = await learnPages(memory, head, moment, call);
  if (head === null) return null;
  const own = { ...head, lo: "", revision: head.revision ?? 0 };
  return { incarnation: getIncarnation(head), pages: [own, ...others], isPaged: head.hi !== undefined };
}

/** A removal that was interrupted leaves gaps between pages. */
function closeGap(page: LoadedPage, known: readonly KnownPage[]): LoadedPage {
  const next = known[known.findIndex(({ _id }) => _id === page._id) + 1];
  const { hi, ...rest } = page;
  return hi === undefined || hi === next?.lo ? page : { ...rest, ...(next && { hi: next.lo }), storedHi: hi };
}

/** Finds the head. Null if there is no memory, or it has expired. */
export async function findHead<Fields extends object = object>(
  memory: PagedMemory,
  fields: object,
  call: CallContext,
  options: object = {},
): Promise<(LoadedPage & Fields) | null> {
  const all = { projection: { ...expiryFields, ...fields }, ...options };
  const head = await memory.collection.findOne<LoadedPage & Fields>(lookUpHead(memory), call, all);
  return head === null || (await isExpired(memory, head, call, options)) ? null : head;
}

/** Finds pages, sorted by position. */
export async function findPages<Fields extends object = object>(
  { collection }: PagedMemory,
  ids: readonly MemoryDocument["_id"][],
  projection: object,
  options: object,
  call: CallContext,
): Promise<(LoadedPage & Fields)[]> {
  if (ids.length === 0) return [];
  const all = { projection: { lo: 1, ...projection }, batchSize: pagesAtOnce, ...options };
  const pages = await collection.find<LoadedPage & Fields>({ _id: { $in: [...ids] } }, call, all).toArray();
  return pages.toSorted((a, b) => compareKeys(a.lo ?? "", b.lo ?? ""));
}

function listIds(pages: readonly KnownPage[], scope: LoadScope): MemoryDocument["_id"][] {
  const [head] = pages;
  const needed = new Set(selectPages(pages, scope));
  if (scope.needsHead === true && head !== undefined) needed.add(head);
  return Array.from(needed, ({ _id }) => _id);
}

/** Whether the pages that a process knew are still the pages of the memory. */
export function isCurrent(pages: readonly LoadedPage[], known: KnownPages, scope: LoadScope): boolean {
  const head = pages.find(isHead);
  if (head !== undefined && getIncarnation(head) !== known.incarnation) return false;
  return (scope.needsHead !== true || head !== undefined) && covers(pages, scope);
}

export function isHead({ lo = "" }: Pick<MemoryDocument, "lo">): boolean {
  return lo === "";
}

function finishLoad(pages: readonly LoadedPage[], scope: LoadScope, isPaged: boolean): LoadedPages {
  const head = pages.find(isHead);
  const parts = pages.map((page) =>
    readsPages(scope) ? snapshotOfDocument(page) : readPart(scope, page as LoadedPage & PagePart),
  );
  const tree = new MemoryTree({
    files: parts.flatMap(({ files }) => files),
    directories: [...pages.flatMap(listDirectoriesAbove), ...parts.flatMap(({ directories }) => directories)],
    revision: head === undefined ? 0 : (head.revision ?? 0),
  });
  return { pages, head, tree, isPaged };
}

/** The directories above the first position of a page exist because the page does. */
export function listDirectoriesAbove({
  lo = "",
  hi = "",
  storedHi,
}: Pick<LoadedPage, "lo" | "hi" | "storedHi">): string[] {
  const starts = storedHi === undefined ? [lo] : [lo, hi];
  return starts.flatMap((start) => (start === "" ? [] : getParents(getPathAt(start))));
}

/**
 * Finds the bounds of pages at which nothing is any more.
 * @param pages all pages, or some that follow each other
 */
export function findFormerBounds(pages: readonly LoadedPage[], tree: MemoryTree): FormerBound[] {
  return pages.flatMap(({ lo = "", storedHi }, index) => {
    const [path, before] = [getPathAt(lo), getPathAt(pages[index - 1]?.lo ?? "")];
    return [
      ...(index > 0 && tree.kind(path) === null ? [{ path, before }] : []),
      ...(storedHi === undefined ? [] : [{ path: getPathAt(storedHi), before: path }]),
    ];
  });
}
