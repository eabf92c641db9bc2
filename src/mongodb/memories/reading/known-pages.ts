import type { CallContext } from "../../../core/runtime/call.js";
import { countStart } from "../../../core/runtime/bisection.js";
import { getIncarnation, type MemoryDocument } from "../documents/page-document.js";
import type { KnownPage, KnownPages, PagedMemory } from "../memory-context.js";
import { pageIndex } from "../documents/page-indexes.js";
import { compareKeys, getEndBelow, getOrderKey, getStartBelow } from "../documents/page-order.js";
import { getAddressRange, getPagesRange, parsePageId } from "../documents/page-ids.js";

/** The part of a memory that a call needs. */
export interface PageRange {
  paths: readonly string[];
  /** Directories of which everything below is needed. */
  below: readonly string[];
}

/** The first and the last position of a page. */
export interface PageBounds {
  lo?: string | undefined;
  hi?: string | undefined;
}

/**
 * Returns the pages that this process knows. Undefined: it knows no other page than the head. After the memory may have
 * expired, its pages are no longer known.
 */
export function findKnownPages({ knownPages, expiry, address, key }: PagedMemory): KnownPages | undefined {
  const known = knownPages.get(key);
  const deadline = expiry.deadline(address.scope);
  return known === undefined || (deadline !== null && known.updatedAt <= deadline) ? undefined : known;
}

/**
 * Reads which pages a memory has besides its head, from an index alone, and remembers them.
 * @param head as read now
 */
export async function learnPages(
  memory: PagedMemory,
  head: MemoryDocument | null,
  options: object,
  call: CallContext,
): Promise<ListedPage[]> {
  if (head?.hi === undefined) {
    memory.knownPages.delete(memory.key);
    return [];
  }
  const others = sortPages(await listPages(memory, head, options, call));
  rememberPages(memory, getIncarnation(head), { ...head, lo: "" }, others);
  return others;
}

function rememberPages(
  { knownPages, key }: PagedMemory,
  incarnation: string,
  head: KnownPage & Pick<ListedPage, "recorded"> & Pick<MemoryDocument, "updatedAt">,
  others: readonly ListedPage[],
): void {
  const pages = [head, ...others].map(({ _id, lo }) => ({ _id, lo }));
  const hasHistory = [head, ...others].some(({ recorded }) => typeof recorded === "number");
  knownPages.set(key, { incarnation, pages, updatedAt: findLastChange(head, others), hasHistory });
}

/**
 * Lists all pages of a memory whose pages this process knows, from an index alone. Null: the memory is another one now, has
 * expired, or is its head alone.
 */
export async function listKnownPages(
  memory: PagedMemory,
  options: object,
  call: CallContext,
): Promise<{ incarnation: string; pages: ListedPage[] } | null> {
  const { address, collection } = memory;
  const incarnation = findKnownPages(memory)?.incarnation;
  if (incarnation === undefined) return null;
  const filter = { _id: getAddressRange(address), lo: { $gte: "" } };
  const pages = sortPages(await findListed(collection, filter, options, call));
  const [head, ...others] = pages;
  const isCurrent = others.length > 0 && others.every(({ _id }) => parsePageId(_id)?.incarnation === incarnation);
  if (head?.lo !== "" || !isCurrent) return null;
  rememberPages(memory, incarnation, head, others);
  return findKnownPages(memory) === undefined ? null : { incarnation, pages };
}

/** Returns the time of the last change of anything in a memory. @param others its pages except the head */
export function findLastChange(
  { updatedAt = new Date(0) }: Pick<MemoryDocument, "updatedAt">,
  others: readonly Pick<MemoryDocument, "updatedAt">[],
): Date {
  return others.reduce(
    (last, page) => (page.updatedAt !== undefined && page.updatedAt > last ? page.updatedAt : last),
    updatedAt,
  );
}

/** Whether a memory has expired. Looks at its other pages if the head has not changed for so long. */
export async function isExpired(
  memory: PagedMemory,
  head: MemoryDocument,
  call: CallContext,
  options: object = {},
): Promise<boolean> {
  const deadline = memory.expiry.deadline(memory.address.scope);
  if (deadline === null || head.updatedAt === undefined || head.updatedAt > deadline) return false;
  if (head.hi === undefined) return true;
  if (findKnownPages(memory)?.incarnation === getIncarnation(head)) return false;
  return findLastChange(head, await learnPages(memory, head, options, call)) <= deadline;
}

/** The fields of a head that `isExpired` and `learnPages` need. */
export const expiryFields = { key: 1, hi: 1, updatedAt: 1, recorded: 1 } as const;

export function sortPages<Page extends Pick<KnownPage, "lo">>(pages: readonly Page[]): Page[] {
  return pages.toSorted((a, b) => compareKeys(a.lo, b.lo));
}

/** A page other than the head, as its index has it. */
export interface ListedPage {
  _id: string;
  lo: string;
  revision: number;
  sizeBytes: number;
  updatedAt: Date;
  /** The number of changes in its outbox, and the last one in the order of versions. Null without a history. */
  recorded?: number | null;
  lastVersion?: number | null;
}

/** The server would return only 101 documents with the first answer. It ends a batch at 16 MB, too. */
export const pagesAtOnce = 10_000;

/** Lists the pages of a memory except the head. Reads an index alone. */
export function listPages(
  { collection }: Pick<PagedMemory, "collection">,
  head: Pick<MemoryDocument, "_id" | "key">,
  options: object,
  call: CallContext,
): Promise<ListedPage[]> {
  const filter = { _id: getPagesRange(head._id, getIncarnation(head)), lo: { $gt: "" } };
  return findListed(collection, filter, options, call);
}

function findListed(
  collection: PagedMemory["collection"],
  filter: object,
  options: object,
  call: CallContext,
): Promise<ListedPage[]> {
  const all = { projection: pageIndex.key, hint: pageIndex.name, batchSize: pagesAtOnce, ...options };
  return collection.find<ListedPage>(filter, call, all).toArray();
}

/** Selects the pages that cover a part of the range. @param pages all pages, sorted by position */
export function selectPages<Page extends Pick<KnownPage, "lo">>(
  pages: readonly Page[],
  { paths, below }: PageRange,
): Page[] {
  const selected = new Set<number>();
  for (const path of paths) selected.add(findCovering(pages, getOrderKey(path)));
  for (const path of below) {
    const end = getEndBelow(path);
    for (let index = findCovering(pages, getStartBelow(path)); index < pages.length; index += 1) {
      const lo = pages[index]?.lo ?? "";
      if (end !== null && index > 0 && compareKeys(lo, end) >= 0) break;
      selected.add(index);
    }
  }
  return Array.from(selected, (index) => pages[index]).filter((page) => page !== undefined);
}

/** Finds the page that covers a position. */
function findCovering(pages: readonly PageBounds[], position: string): number {
  return Math.max(0, countStart(pages, ({ lo = "" }) => compareKeys(lo, position) <= 0) - 1);
}

/** Whether pages cover all of a range. @param pages sorted by position */
export function covers(pages: readonly PageBounds[], { paths, below }: PageRange): boolean {
  return (
    paths.every((path) => findCoveringPage(pages, getOrderKey(path)) !== undefined) &&
    below.every((path) => coversBelow(pages, path))
  );
}

/** Finds the page that covers a position. @param pages sorted by position, maybe with gaps */
function findCoveringPage<Page extends PageBounds>(pages: readonly Page[], position: string): Page | undefined {
  const page = pages[findCovering(pages, position)];
  if (page === undefined || compareKeys(page.lo ?? "", position) > 0) return undefined;
  return page.hi === undefined || compareKeys(position, page.hi) < 0 ? page : undefined;
}

function coversBelow(pages: readonly PageBounds[], path: string): boolean {
  const end = getEndBelow(path);
  const isWithin = (position: string): boolean => end === null || compareKeys(position, end) < 0;
  for (let position: string | undefined = getStartBelow(path); position !== undefined && isWithin(position);) {
    const page: PageBounds | undefined = findCoveringPage(pages, position);
    if (page === undefined) return false;
    position = page.hi;
  }
  return true;
}
