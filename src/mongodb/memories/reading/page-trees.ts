import type { CallContext } from "../../../core/runtime/call.js";
import { MemoryTree, sumBytes } from "../../../core/tree/memory-tree.js";
import type { SnapshotFile } from "../../../core/tree/snapshot.js";
import { snapshotConcern, inSnapshot, type SnapshotOptions } from "../../driver/snapshot-reads.js";
import {
  type Expression,
  literal,
  mapEntries,
  orEmpty,
  textBytes,
  totalTextBytes,
  where,
  isPresent,
} from "../documents/expressions.js";
import { getIncarnation, type MemoryDocument, ownValue, pathOfKey } from "../documents/page-document.js";
import { getHeadId } from "../documents/page-ids.js";
import type { PagedMemory } from "../memory-context.js";
import { findKnownPages, type PageRange, selectPages } from "./known-pages.js";
import { findHead, findPages, isCurrent, isHead, listAllPages, listDirectoriesAbove, readMemory } from "./load.js";
import type { CachedPage } from "./page-cache.js";

/** How much of the texts a read needs. */
export interface NeededTexts {
  /** UTF-16 units of each text. */
  chars: number;
  /** All texts of a page are needed if together they have at most so many bytes. @default 0 */
  allUpToBytes?: number;
  /** All texts of a page are needed, except of these versions. @default undefined, which needs none */
  allExcept?: ReadonlySet<string>;
}

export interface PageTree extends CachedPage {
  revision: number;
}

/** A page of a memory at one point in time. */
interface PageVersion extends Pick<MemoryDocument, "_id"> {
  lo: string;
  revision: number;
  version: string;
}

/** The files of a page as lists of the same order: the driver reads them in a tenth of the time of objects. */
interface ReadPage extends Pick<MemoryDocument, "_id" | "meta"> {
  keys?: string[];
  sizes?: number[];
  texts?: string[];
  createdTimes?: (number | null)[];
  updatedTimes?: (number | null)[];
  directories?: string[];
  isWhole?: boolean;
}

/** One command reads so many pages, with what it needs to know whether they have changed. */
const mostReadPages = 4;

/**
 * Reads the pages of a part of a memory at one point in time, as trees. The server returns the content of those pages
 * only that the process does not know yet. If there are many, an index first shows which have changed.
 */
export function readTrees(
  memory: PagedMemory,
  range: PageRange,
  needed: NeededTexts,
  call: CallContext,
): Promise<PageTree[]> {
  return readMemory(memory, async () => {
    const trees = (await readHeadAlone(memory, needed, call)) ?? (await readKnownPages(memory, range, needed, call));
    if (trees !== null) return trees;
    return inSnapshot(memory.client, async (moment) => {
      const pages = await listPageVersions(memory, moment, call);
      return readPages(memory, selectPages(pages, range), needed, moment, call);
    });
  });
}

/** Reads which pages a memory has. Empty if there is no memory. */
export function readVersions(memory: PagedMemory, call: CallContext): Promise<PageVersion[]> {
  return readMemory(memory, async () => {
    if (findKnownPages(memory) === undefined) {
      const head = await findHead(memory, { revision: 1 }, call);
      if (head?.hi === undefined) return head === null ? [] : [createHeadVersion(head)];
    }
    return inSnapshot(memory.client, (moment) => listPageVersions(memory, moment, call));
  });
}

/** Reads the head if it is the whole memory, as far as this process knows. Null: there are other pages. */
async function readHeadAlone(memory: PagedMemory, needed: NeededTexts, call: CallContext): Promise<PageTree[] | null> {
  if (findKnownPages(memory) !== undefined) return null;
  const cached = findCached(memory, [getHeadId(memory.address)], needed);
  const isSkipped: Expression = { $or: [isPresent("$hi"), isAnyOf(cached.keys())] };
  const head = await findHead<ReadPage>(memory, { revision: 1, ...projectPage(needed, isSkipped) }, call);
  if (head === null) return [];
  return head.hi === undefined ? [takeTree(memory, createHeadVersion(head), needed, cached, head)] : null;
}

/** Reads pages that the process knows. Null: they are not those of the memory any more, or an index is read first. */
async function readKnownPages(
  memory: PagedMemory,
  range: PageRange,
  needed: NeededTexts,
  call: CallContext,
): Promise<PageTree[] | null> {
  const known = findKnownPages(memory);
  if (known === undefined) return null;
  const ids = selectPages(known.pages, range).map(({ _id }) => _id);
  const cached = findCached(memory, ids, needed);
  if (ids.length > mostReadPages && cached.size > ids.length / 2) return null;
  const fields = { key: 1, hi: 1, revision: 1, ...projectPage(needed, isAnyOf(cached.keys())) };
  // One document is at one point in time by itself.
  const pages = await findPages<ReadPage>(memory, ids, fields, ids.length > 1 ? snapshotConcern : {}, call);
  return isCurrent(pages, known, range)
    ? pages.map((page) => {
        const version = isHead(page) ? createHeadVersion(page) : createVersion(page, page._id);
        return takeTree(memory, version, needed, cached, page);
      })
    : null;
}

type CachedPages = ReadonlyMap<string, CachedPage>;

/** Finds the pages of which the process knows enough, by their versions. Others may drop them from the cache meanwhile. */
function findCached({ cache }: PagedMemory, ids: readonly string[], needed: NeededTexts): CachedPages {
  const pages = ids.flatMap((id) => cache.get(id) ?? []).filter((page) => hasTexts(page, needed));
  return new Map(pages.map((page) => [page.version, page]));
}

/** Whether a page has one of these versions. Only heads have a `key`. */
function isAnyOf(versions: Iterable<string>): Expression {
  const all = [...versions];
  if (all.length === 0) return false;
  const id = where(isPresent("$key"), { $toString: "$key" }, "$_id");
  const version: Expression = { $concat: [id, " ", { $toString: "$revision" }] };
  return { $in: [version, literal(all)] };
}

async function readPages(
  memory: PagedMemory,
  pages: readonly PageVersion[],
  needed: NeededTexts,
  moment: SnapshotOptions,
  call: CallContext,
): Promise<PageTree[]> {
  const ids = pages.map(({ _id }) => _id);
  const cached = findCached(memory, ids, needed);
  const changed = pages.flatMap(({ _id, version }) => (cached.has(version) ? [] : [_id]));
  const read = await findPages<ReadPage>(memory, changed, projectPage(needed, false), moment, call);
  const byId = new Map(read.map((page) => [page._id, page]));
  return pages.map((page) => takeTree(memory, page, needed, cached, byId.get(page._id) ?? { _id: page._id }));
}

async function listPageVersions(
  memory: PagedMemory,
  moment: SnapshotOptions,
  call: CallContext,
): Promise<PageVersion[]> {
  const listed = await listAllPages(memory, moment, call);
  if (listed === null) return [];
  return listed.pages.map((page) => createVersion(page, isHead(page) ? listed.incarnation : page._id));
}

function createHeadVersion(head: Pick<MemoryDocument, "_id" | "key" | "revision">): PageVersion {
  return createVersion({ ...head, lo: "" }, getIncarnation(head));
}

/** @param id of all versions of the page. The head of a memory has the `_id` of the heads before it */
function createVersion(
  { _id, lo = "", revision = 0 }: Pick<MemoryDocument, "_id" | "lo" | "revision">,
  id: string,
): PageVersion {
  return { _id, lo, revision, version: `${id} ${revision}` };
}

function hasTexts({ version, chars, tree }: CachedPage, needed: NeededTexts): boolean {
  const { allUpToBytes = 0, allExcept } = needed;
  if (chars === Infinity) return true;
  if (allExcept !== undefined) return allExcept.has(version);
  return chars >= needed.chars && (allUpToBytes === 0 || sumBytes([...tree.files.values()]) > allUpToBytes);
}

/** Projects paths, sizes and times of a page with the texts that are needed. */
function projectPage(
  { chars, allUpToBytes = 0, allExcept }: NeededTexts,
  isSkipped: Expression,
): Record<string, Expression> {
  const entries: Expression = { $objectToArray: orEmpty("$data") };
  const times: Expression = { $objectToArray: orEmpty("$meta") };
  const text = "$$entry.v";
  const isSmall: Expression = allUpToBytes > 0 && { $lte: [totalTextBytes, allUpToBytes] };
  const isWhole: Expression = allExcept === undefined ? chars === Infinity || isSmall : { $not: [isAnyOf(allExcept)] };
  // A code point is one or two UTF-16 units.
  const start: Expression = { $substrCP: [text, 0, Math.min(chars, maxLeadChars)] };
  const hasSameKeys: Expression = { $eq: [mapEntries(entries, "$$entry.k"), mapEntries(times, "$$entry.k")] };
  const fields: Record<string, Expression> = {
    keys: mapEntries(entries, "$$entry.k"),
    sizes: mapEntries(entries, textBytes(text)),
    ...((chars > 0 || isWhole !== false) && { texts: mapEntries(entries, where(isWhole, text, start)) }),
    createdTimes: mapEntries(times, { $toLong: "$$entry.v.createdAt" }),
    updatedTimes: mapEntries(times, { $toLong: "$$entry.v.updatedAt" }),
    meta: where(hasSameKeys, "$$REMOVE", "$meta"),
    directories: mapEntries({ $objectToArray: orEmpty("$dirs") }, "$$entry.k"),
    isWhole,
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, where(isSkipped, "$$REMOVE", value)]));
}

/** The largest `leadChars` of an outline. */
const maxLeadChars = 10_000;

/**
 * Returns the tree of a page. Creates it from what was read, and keeps it until the page changes.
 * @param read without content if this version is one of the cached pages
 */
function takeTree(
  { cache }: PagedMemory,
  { _id, lo, version, revision }: PageVersion,
  needed: NeededTexts,
  cached: CachedPages,
  read: ReadPage,
): PageTree {
  const known = cached.get(version);
  if (known !== undefined) return { ...known, revision };
  const { directories = [], isWhole = false } = read;
  const tree = new MemoryTree({
    files: listFiles(read),
    directories: [...listDirectoriesAbove({ lo }), ...directories.map(pathOfKey)],
  });
  const page = { version, chars: isWhole ? Infinity : needed.chars, tree };
  cache.set(_id, page);
  return { ...page, revision };
}

function listFiles(read: ReadPage): SnapshotFile[] {
  const { keys = [], sizes = [], texts, meta } = read;
  const findTime = (times: (number | null)[] | undefined, name: "createdAt" | "updatedAt", index: number): Date =>
    (meta === undefined ? null : ownValue(meta, keys[index] ?? "")?.[name]) ?? new Date(times?.[index] ?? 0);
  return keys.map((key, index) => ({
    path: pathOfKey(key),
    kind: "file",
    content: texts?.[index] ?? "",
    sizeBytes: sizes[index] ?? 0,
    createdAt: findTime(read.createdTimes, "createdAt", index),
    updatedAt: findTime(read.updatedTimes, "updatedAt", index),
  }));
}
