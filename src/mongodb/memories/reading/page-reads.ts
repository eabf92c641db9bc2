import type { Item } from "@langchain/langgraph-checkpoint";
import { withoutVersions } from "../../../core/contract/backend.js";
import type { MemoryEntry, MemoryOutline, MemorySnapshot, MemoryStat, OutlineOptions } from "../../../core/memory.js";
import type { CallContext } from "../../../core/runtime/call.js";
import type { ChangeScope } from "../../../core/tree/change.js";
import { MemoryTree, sumBytes } from "../../../core/tree/memory-tree.js";
import type { VersionedSnapshot } from "../../../core/tree/snapshot.js";
import { ROOT } from "../../../core/values/paths.js";
import { reading } from "../../driver/reads.js";
import { inSnapshot, readAtOneMoment } from "../../driver/snapshot-reads.js";
import type { MemoryLocation } from "../../operations/memory-location.js";
import { fileItem, type ItemTimes } from "./file-items.js";
import { findKnownPages, findLastChange, listPages, selectPages } from "./known-pages.js";
import { findHead, listDirectoriesAbove, type LoadedPage, type LoadedPages, loadFromHead, loadPages } from "./load.js";
import { getIncarnation, type MemoryDocument, snapshotOfDocument } from "../documents/page-document.js";
import { type OutlinedPage, outlineProjection, type PageSummary, toSummary } from "./page-summaries.js";
import { joinDirectories, PagesAtMoment } from "./pages-at-moment.js";
import type { PagedMemory } from "../memory-context.js";

/** One command reads a directory of at most so many pages. In a larger directory, only changed pages are read. */
const mostLoadedPages = 4;

export async function readText(memory: PagedMemory, path: string, call: CallContext): Promise<string> {
  return (await loadPages(memory, { paths: [path], below: [] }, call)).tree.file(path).content;
}

export async function readDirectory(memory: PagedMemory, path: string, call: CallContext): Promise<MemoryEntry[]> {
  return (await readTreeBelow(memory, path, "children", call)).list(path);
}

export async function readStat(memory: PagedMemory, path: string, call: CallContext): Promise<MemoryStat | null> {
  return (await readTreeBelow(memory, path, "sizes", call)).stat(path);
}

export async function readSnapshot(memory: PagedMemory, call: CallContext): Promise<MemorySnapshot> {
  const scope = { paths: [], below: [ROOT], want: "pages" } as const;
  const { pages, tree } = await loadPages(memory, scope, call);
  return { ...tree.snapshot(), revision: sumRevisions(pages) };
}

/** Reads what a change needs, with its texts. */
export async function readScope(memory: PagedMemory, scope: ChangeScope, call: CallContext): Promise<MemorySnapshot> {
  const want = scope.below.length > 0 ? "pages" : "paths";
  return (await loadPages(memory, { ...scope, want, forChange: true }, call)).tree.snapshot();
}

export async function readOutline(
  memory: PagedMemory,
  options: Required<OutlineOptions>,
  call: CallContext,
): Promise<MemoryOutline> {
  const single = await findHeadAlone<OutlinedPage>(memory, outlineProjection(options), call);
  if (single === "paged") return outlinePages(memory, options, call);
  if (single === null) return { files: [], directories: [], revision: 0 };
  const { files, directories } = toSummary(single, single.data);
  return { files, directories, revision: single.revision ?? 0 };
}

/** Reads a text that differs after each change. Null if there is no memory. */
export async function readVersion(memory: PagedMemory, call: CallContext): Promise<string | null> {
  const single = await findHeadAlone(memory, {}, call);
  if (single !== "paged") return single === null ? null : `${getIncarnation(single)} ${single.revision}`;
  return atOneMoment(memory, call, async (moment) => {
    const pages = await moment.list();
    const [head] = pages;
    return head === undefined ? null : `${head.incarnation} ${sumRevisions(pages)}`;
  });
}

export async function readSnapshotSince(
  memory: PagedMemory,
  known: ReadonlyMap<string, string>,
  call: CallContext,
): Promise<VersionedSnapshot> {
  const single = await findHeadAlone(memory, { data: 1, dirs: 1, meta: 1 }, call);
  if (single !== "paged") return withoutVersions(snapshotOfDocument(single));
  return atOneMoment(memory, call, (moment) => moment.readSince(new Set(known.values())));
}

/** Reads the items at these places in their order, null if there is none. */
export async function readItems(
  memory: PagedMemory,
  places: readonly MemoryLocation[],
  call: CallContext,
): Promise<(Item | null)[]> {
  const paths = places.flatMap(({ path }) => path ?? []);
  if (paths.length === 0) return places.map(() => null);
  const fields = { createdAt: 1, updatedAt: 1 };
  const scope = { paths, below: [], needsHead: places.some(({ kind }) => kind === "dir"), fields };
  const { tree, head } = await loadPages(memory, scope, call);
  const times = head === undefined ? null : await readMemoryTimes(memory, head, call);
  return places.map(({ path, kind, namespace, key }) => {
    if (path === null) return null;
    const file = tree.files.get(path);
    if (kind === "file") return file === undefined ? null : fileItem(namespace, key, { content: file.content }, file);
    return times !== null && tree.isDirectory(path) ? fileItem(namespace, key, { directory: true }, times) : null;
  });
}

/** Finds the head with some fields besides. Null if there is no memory. @throws MemoryError EIO */
export function readHead<Fields extends object>(
  memory: PagedMemory,
  fields: object,
  call: CallContext,
): Promise<(LoadedPage & Fields) | null> {
  return reading(async () => {
    await memory.ready();
    return findHead<Fields>(memory, { revision: 1, ...fields }, call);
  });
}

/**
 * Loads a directory. If it has many pages, only the pages that have changed since this process has read them are
 * read.
 */
async function readTreeBelow(
  memory: PagedMemory,
  path: string,
  want: "children" | "sizes",
  call: CallContext,
): Promise<MemoryTree> {
  const scope = { paths: [path], below: [path], want };
  const known = findKnownPages(memory);
  if (known !== undefined && selectPages(known.pages, scope).length <= mostLoadedPages)
    return (await loadPages(memory, scope, call)).tree;
  const loadAlone = async (): Promise<LoadedPages | null> => {
    await memory.ready();
    return loadFromHead(memory, scope, call);
  };
  const alone = known === undefined ? await reading(loadAlone) : null;
  if (alone !== null) return alone.tree;
  return atOneMoment(memory, call, async (moment) => {
    const pages = selectPages(await moment.list(), scope);
    const summaries = await moment.summarise(pages, 0);
    return new MemoryTree({
      files: summaries.flatMap(({ files }) => files.map(toEmptyFile)),
      directories: [...pages.flatMap(listDirectoriesAbove), ...summaries.flatMap(({ directories }) => directories)],
    });
  });
}

async function outlinePages(
  memory: PagedMemory,
  options: Required<OutlineOptions>,
  call: CallContext,
): Promise<MemoryOutline> {
  const { maxContentBytes, leadChars } = options;
  const outline = await atOneMoment(memory, call, async (moment) => {
    const pages = await moment.list();
    const summaries = await moment.summarise(pages, leadChars);
    return {
      files: summaries.flatMap(({ files }) => files),
      directories: joinDirectories(summaries),
      revision: sumRevisions(pages),
    };
  });
  return sumBytes(outline.files) <= maxContentBytes
    ? new MemoryTree(await readSnapshot(memory, call)).outline(options)
    : outline;
}

/** Returns the head if it is the whole memory, with some fields besides. */
async function findHeadAlone<Fields extends object>(
  memory: PagedMemory,
  fields: object,
  call: CallContext,
): Promise<(LoadedPage & Fields) | "paged" | null> {
  if (findKnownPages(memory) !== undefined) return "paged";
  const head = await readHead<Fields>(memory, fields, call);
  return head?.hi === undefined ? head : "paged";
}

function atOneMoment<Result>(
  memory: PagedMemory,
  call: CallContext,
  read: (moment: PagesAtMoment) => Promise<Result>,
): Promise<Result> {
  const { client } = memory;
  return reading(() =>
    readAtOneMoment(() => inSnapshot(client, (moment) => read(new PagesAtMoment(memory, moment, call)))),
  );
}

/** The revision of a memory grows with each change of each page. */
function sumRevisions(pages: readonly Pick<MemoryDocument, "revision">[]): number {
  return pages.reduce((sum, { revision = 0 }) => sum + revision, 0);
}

function toEmptyFile({ path, sizeBytes }: PageSummary["files"][number]): MemorySnapshot["files"][number] {
  const unknown = new Date(0);
  return { path, kind: "file", content: "", sizeBytes, createdAt: unknown, updatedAt: unknown };
}

/** Reads the times of a memory, which its directories have. */
async function readMemoryTimes(memory: PagedMemory, head: MemoryDocument, call: CallContext): Promise<ItemTimes> {
  return getMemoryTimes(head, head.hi === undefined ? [] : await reading(() => listPages(memory, head, {}, call)));
}

/** Directories have the times of the memory. @param others its pages except the head */
export function getMemoryTimes(
  head: Pick<MemoryDocument, "_id" | "createdAt" | "updatedAt">,
  others: readonly Pick<MemoryDocument, "updatedAt">[],
): ItemTimes {
  const createdAt = head.createdAt ?? new Date(0);
  return { createdAt, updatedAt: findLastChange({ updatedAt: head.updatedAt ?? createdAt }, others) };
}
