import type { ClientSession } from "mongodb";
import type { CallContext } from "../../../core/runtime/call.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import type { MemorySnapshot, SnapshotFile } from "../../../core/tree/snapshot.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { getParents, ROOT } from "../../../core/values/paths.js";
import { utf8Bytes } from "../../../core/values/text.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { reading } from "../../driver/reads.js";
import { atOneMoment, inSnapshot, readAtOneMoment } from "../../driver/snapshot-reads.js";
import { type Expression, textBytes } from "../expressions.js";
import { entriesWhere, keyIsWithin, mapEntries, textOrNull, valueAt } from "./expressions.js";
import { covers, findKnownPages, type KnownPages, learnPages, type PageRange, selectPages } from "./known-pages.js";
import { bytesWithoutOutbox } from "./outbox/outbox.js";
import { getIncarnation, keyOfPath, type MemoryDocument, pathOfKey, snapshotOfDocument } from "./page-document.js";
import { compareKeys, getPathAt } from "./page-keys.js";
import { lookUpPresent, type PagesContext } from "./pages-context.js";

/** The part of a memory to load. */
export interface LoadScope extends PageRange {
  /**
   * What to load of files below the directories: their paths; also their sizes, as texts of that size are not needed;
   * or whole pages. Files at `paths` always have their texts and times. @default "paths"
   */
  want?: "paths" | "sizes" | "pages";
  /** Whether to load the head too. @default false */
  needsHead?: boolean;
  /** Whether the change needs the kinds of all directories above the paths, and sizes of pages. @default false */
  forChange?: boolean;
  /** The id of an approved change, to find out whether the head has recorded it. */
  approvalId?: string | undefined;
  /** Fields to load besides. */
  fields?: Record<string, Expression>;
}

/** A page, with the fields that a scope has asked for. */
export type LoadedPage = MemoryDocument & {
  measuredBytes?: number;
  isApplied?: true;
  /** Whether the page is stored with an earlier end, because the pages behind it are missing. */
  isTorn?: true;
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
  /** The whole document if it is of the earlier system. */
  legacy: MemoryDocument | null;
}

/** How many paths one projection reads. Each takes three expressions, and the server limits their number. */
const maxPaths = 100;

/**
 * Loads what a read or a change needs of a memory, at one point in time. One command, unless the memory has been split
 * since this process has seen it.
 * @throws MemoryError EIO
 */
export function loadPages(
  context: PagesContext,
  address: CheckedAddress,
  scope: LoadScope,
  call: CallContext,
): Promise<LoadedPages> {
  const { expiry } = context;
  return reading(() =>
    readAtOneMoment(async () => {
      await context.ready();
      const known = findKnownPages(context, address);
      if (known === undefined) return loadFromHead(context, address, scope, call);
      const pages = await findPages(context, { known, scope }, pagesOptions(scope, known), call);
      if (isCurrent(pages, known, scope, expiry.deadline(address.scope))) return finishLoad(pages, scope, true);
      return inSnapshot(context.client, (session) => loadInSnapshot(context, address, scope, session, call));
    }),
  );
}

async function loadFromHead(
  context: PagesContext,
  address: CheckedAddress,
  scope: LoadScope,
  call: CallContext,
): Promise<LoadedPages> {
  const head = await findHead(context, address, projectScope(scope), {}, call);
  if (head === null) return finishLoad([], scope, false);
  if (head.revision === undefined) return loadLegacy(context, address, scope, call);
  if (head.hi === undefined) return finishLoad([head], scope, false);
  if (scope.forChange !== true && covers([head], scope)) return finishLoad([head], scope, true);
  return inSnapshot(context.client, (session) => loadInSnapshot(context, address, scope, session, call));
}

/**
 * Reads which pages there are and then the pages, at one point in time. What no page covers then is empty, and belongs
 * to the page before it.
 */
export async function loadInSnapshot(
  context: PagesContext,
  address: CheckedAddress,
  scope: LoadScope,
  session: ClientSession,
  call: CallContext,
): Promise<LoadedPages> {
  const head = await findHead(context, address, projectScope(scope), { session }, call);
  const known = await learnPages(context, address, head, { session }, call);
  if (known === undefined) return finishLoad(head === null ? [] : [head], scope, false);
  const pages = await findPages(context, { known, scope }, { session }, call);
  return finishLoad(
    pages.map((page) => closeGap(page, known)),
    scope,
    true,
  );
}

/** A removal that was interrupted leaves gaps between pages. */
function closeGap(page: LoadedPage, { pages }: KnownPages): LoadedPage {
  const next = pages[pages.findIndex(({ _id }) => _id === page._id) + 1];
  const { hi, ...rest } = page;
  return hi === next?.lo ? page : { ...rest, ...(next && { hi: next.lo }), isTorn: true };
}

/** A document of the earlier system has no revision, and `data` may be nested, so it is read whole. */
async function loadLegacy(
  context: PagesContext,
  address: CheckedAddress,
  scope: LoadScope,
  call: CallContext,
): Promise<LoadedPages> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const legacy = await findHead(context, address, { outbox: 0 }, {}, call);
    if (legacy !== null && legacy.revision === undefined) {
      const page = { ...legacy, measuredBytes: 0 };
      const tree = new MemoryTree(snapshotOfDocument(legacy));
      return { pages: [page], head: page, tree, isPaged: false, legacy };
    }
    // Somebody has rewritten or removed the document meanwhile.
    const head = await findHead(context, address, projectScope(scope), {}, call);
    if (head === null || head.revision !== undefined) return finishLoad(head === null ? [] : [head], scope, false);
    await pause(attempt);
  }
  throw lostRace();
}

/** Finds the unexpired head. */
export function findHead<Fields extends object = object>(
  context: PagesContext,
  address: CheckedAddress,
  projection: object,
  options: object,
  call: CallContext,
): Promise<(LoadedPage & Fields) | null> {
  const all = { projection, ...asPlainValues, ...options };
  return context.collection.findOne<LoadedPage & Fields>(lookUpPresent(context, address), all, call);
}

async function findPages(
  { collection }: PagesContext,
  { known, scope }: { known: KnownPages; scope: LoadScope },
  options: object,
  call: CallContext,
): Promise<LoadedPage[]> {
  const ids = listIds(known, scope);
  const all = { projection: projectScope(scope), ...asPlainValues, ...options };
  const pages = await collection.find<LoadedPage>({ _id: { $in: ids } }, all, call).toArray();
  return pages.toSorted((a, b) => compareKeys(a.lo ?? "", b.lo ?? ""));
}

function listIds(known: KnownPages, scope: LoadScope): MemoryDocument["_id"][] {
  const [head] = known.pages;
  const pages = new Set(selectPages(known, scope));
  if (scope.needsHead === true && head !== undefined) pages.add(head);
  return Array.from(pages, ({ _id }) => _id);
}

/** One document is at one point in time by itself. */
function pagesOptions(scope: LoadScope, known: KnownPages): object {
  return listIds(known, scope).length > 1 ? atOneMoment : {};
}

/** Whether the pages that a process knew are still the pages of the memory. */
function isCurrent(pages: readonly LoadedPage[], known: KnownPages, scope: LoadScope, deadline: Date | null): boolean {
  const head = pages.find(isHead);
  const isExpired = deadline !== null && head?.updatedAt !== undefined && head.updatedAt <= deadline;
  if (isExpired || (head !== undefined && getIncarnation(head) !== known.incarnation)) return false;
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
  return { pages, head, tree, isPaged, legacy: null };
}

/** The directories above the first position of a page exist because the page does. */
function listDirectoriesAbove({ lo = "", hi = "", isTorn }: LoadedPage): string[] {
  return [lo, ...(isTorn === true ? [hi] : [])].flatMap((start) => (start === "" ? [] : getParents(getPathAt(start))));
}

/* The projection of a scope, and the part of a page that it returns. */

function readsPages({ paths, want }: LoadScope): boolean {
  return want === "pages" || paths.length > maxPaths;
}

/** The part of a page in the order of the paths. */
interface PagePart {
  texts: (string | null)[];
  times: (Partial<Pick<SnapshotFile, "createdAt" | "updatedAt">> | null)[];
  isDirectory: (true | null)[];
  parentIsFile?: boolean[];
  parentIsDirectory?: (true | null)[];
  filesBelow?: string[];
  sizesBelow?: number[];
  directoriesBelow?: string[];
}

function projectScope(scope: LoadScope): Record<string, Expression> {
  const { forChange = false, approvalId, fields } = scope;
  return {
    ...pageFields,
    ...(forChange && { splitAtBytes: 1, measuredBytes: bytesWithoutOutbox("$$ROOT") }),
    ...(approvalId !== undefined && { isApplied: valueAt("$applied", approvalId) }),
    ...(readsPages(scope) ? wholePage : projectPart(scope)),
    ...fields,
  };
}

const pageFields = { key: 1, lo: 1, hi: 1, revision: 1, updatedAt: 1 } as const;

const wholePage = { data: 1, meta: 1, dirs: 1, createdAt: 1 } as const;

function projectPart({ paths, below, want, forChange = false }: LoadScope): Record<string, Expression> {
  const keys = namedPaths(paths).map(keyOfPath);
  const parents = forChange ? parentPaths(paths).map(keyOfPath) : [];
  return {
    texts: keys.map((key) => valueAt("$data", key)),
    times: keys.map((key) => valueAt("$meta", key)),
    isDirectory: keys.map((key) => valueAt("$dirs", key)),
    ...(parents.length > 0 && {
      parentIsFile: parents.map((key) => ({ $gt: [valueAt("$data", key), null] })),
      parentIsDirectory: parents.map((key) => valueAt("$dirs", key)),
    }),
    ...(below.length > 0 && projectBelow(below, want === "sizes")),
  };
}

function projectBelow(below: readonly string[], needsSizes: boolean): Record<string, Expression> {
  const isBelow: Expression = below.includes(ROOT) ? true : { $or: below.map((path) => keyIsWithin(keyOfPath(path))) };
  const files = entriesWhere("$data", isBelow);
  return {
    filesBelow: mapEntries(files, "$$entry.k"),
    ...(needsSizes && { sizesBelow: mapEntries(files, textBytes(textOrNull("$$entry.v"))) }),
    directoriesBelow: mapEntries(entriesWhere("$dirs", isBelow), "$$entry.k"),
  };
}

function readPart({ paths, forChange = false }: LoadScope, part: PagePart): Omit<MemorySnapshot, "revision"> {
  const named = namedPaths(paths);
  const parents = forChange ? parentPaths(paths) : [];
  const { filesBelow = [], sizesBelow = [], directoriesBelow = [] } = part;
  return {
    files: [
      ...filesBelow.map((key, index) => createFile(pathOfKey(key), "", null, sizesBelow[index])),
      ...parents.filter((_, index) => part.parentIsFile?.[index] === true).map((path) => createFile(path, "", null)),
      ...named.flatMap((path, index) => {
        const text = part.texts[index] ?? null;
        return text === null ? [] : [createFile(path, text, part.times[index] ?? null)];
      }),
    ],
    directories: [
      ...directoriesBelow.map(pathOfKey),
      ...named.filter((_, index) => part.isDirectory[index] === true),
      ...parents.filter((_, index) => part.parentIsDirectory?.[index] === true),
    ],
  };
}

function createFile(
  path: string,
  content: string,
  times: PagePart["times"][number],
  sizeBytes = utf8Bytes(content),
): SnapshotFile {
  const unknown = new Date(0);
  const { createdAt = unknown, updatedAt = unknown } = times ?? {};
  return { path, kind: "file", content, sizeBytes, createdAt, updatedAt };
}

function namedPaths(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => path !== ROOT);
}

function parentPaths(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap(getParents))];
}
