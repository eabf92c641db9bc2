import type { Item } from "@langchain/langgraph-checkpoint";
import type { MemoryEntry, MemoryOutline, MemorySnapshot, MemoryStat, OutlineOptions } from "../../../core/memory.js";
import type { CallContext } from "../../../core/runtime/call.js";
import type { ChangeScope } from "../../../core/tree/change.js";
import { MemoryTree, sumBytes } from "../../../core/tree/memory-tree.js";
import type { FileStat, VersionedFile, VersionedSnapshot } from "../../../core/tree/snapshot.js";
import { directoryNotFound, pathIsFile } from "../../../core/values/errors.js";
import { ROOT } from "../../../core/values/paths.js";
import { reading } from "../../driver/reads.js";
import type { MemoryLocation } from "../../operations/memory-location.js";
import { fileItem, type ItemTimes } from "./file-items.js";
import { findLastChange, listPages } from "./known-pages.js";
import { loadPages } from "./load.js";
import type { MemoryDocument } from "../documents/page-document.js";
import { type PageTree, readTrees, readVersions } from "./page-trees.js";
import type { PagedMemory } from "../memory-context.js";

export async function readText(memory: PagedMemory, path: string, call: CallContext): Promise<string> {
  return (await loadPages(memory, { paths: [path], below: [] }, call)).tree.file(path).content;
}

export async function readDirectory(memory: PagedMemory, path: string, call: CallContext): Promise<MemoryEntry[]> {
  const trees = await readTreesBelow(memory, path, call);
  const kinds = trees.map((tree) => tree.kind(path));
  if (kinds.includes("file")) throw pathIsFile();
  if (path !== ROOT && !kinds.includes("dir")) throw directoryNotFound();
  const entries = trees.flatMap((tree, index) => (kinds[index] === "dir" ? tree.list(path) : []));
  return [...new Map(entries.map((entry) => [entry.name, entry])).values()];
}

export async function readStat(memory: PagedMemory, path: string, call: CallContext): Promise<MemoryStat | null> {
  const stats = (await readTreesBelow(memory, path, call)).flatMap((tree) => tree.stat(path) ?? []);
  const [stat] = stats;
  if (stat === undefined) return path === ROOT ? new MemoryTree().stat(ROOT) : null;
  return stat.kind === "file" ? { ...stat, ...copyTimes(stat) } : { ...stat, sizeBytes: sumBytes(stats) };
}

/** Callers may change what they get. */
function copyTimes({ createdAt, updatedAt }: Pick<FileStat, "createdAt" | "updatedAt">): ItemTimes {
  return { createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}

async function readTreesBelow(memory: PagedMemory, path: string, call: CallContext): Promise<MemoryTree[]> {
  const pages = await readTrees(memory, { paths: [path], below: [path] }, { chars: 0 }, call);
  return pages.map(({ tree }) => tree);
}

const everything = { paths: [], below: [ROOT] };

export async function readSnapshot(memory: PagedMemory, call: CallContext): Promise<MemorySnapshot> {
  const pages = await readTrees(memory, everything, { chars: Infinity }, call);
  const { files, directories } = joinTrees(pages);
  return { files: files.map((file) => ({ ...file, ...copyTimes(file) })), directories, revision: sumRevisions(pages) };
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
  const { leadChars, maxContentBytes } = options;
  let pages = await readTrees(memory, everything, { chars: leadChars, allUpToBytes: maxContentBytes }, call);
  const { files, directories } = joinTrees(pages);
  const totalBytes = sumBytes(files);
  if (totalBytes > maxContentBytes) {
    // 0 would show the texts of a page whose files are all empty.
    const starts = pages.flatMap(({ tree }) => tree.outline({ leadChars, maxContentBytes: -1 }).files);
    return { files: starts, directories, revision: sumRevisions(pages) };
  }
  // The pages of a memory of several are small together, and were not read whole.
  if (totalBytes > 0 && pages.some(({ chars }) => chars < Infinity))
    pages = await readTrees(memory, everything, { chars: Infinity }, call);
  return { ...new MemoryTree(joinTrees(pages)).outline(options), revision: sumRevisions(pages) };
}

/** Reads a text that differs after each change. Null if there is no memory. */
export async function readVersion(memory: PagedMemory, call: CallContext): Promise<string | null> {
  const pages = await readVersions(memory, call);
  const incarnation = pages[0]?.version.split(" ")[0];
  return incarnation === undefined ? null : `${incarnation} ${sumRevisions(pages)}`;
}

export async function readSnapshotSince(
  memory: PagedMemory,
  known: ReadonlyMap<string, string>,
  call: CallContext,
): Promise<VersionedSnapshot> {
  const knownVersions = new Set(known.values());
  const pages = await readTrees(memory, everything, { chars: 0, allExcept: knownVersions }, call);
  const files = pages.flatMap(({ version, tree }) =>
    Array.from(tree.files.values(), ({ path, content, updatedAt }): VersionedFile =>
      knownVersions.has(version) ? { path, version, content: null } : { path, version, content, updatedAt },
    ),
  );
  return { files, directories: joinTrees(pages).directories };
}

function joinTrees(pages: readonly PageTree[]): Pick<MemorySnapshot, "files" | "directories"> {
  const directories = pages.flatMap(({ tree }) => [...tree.directories]);
  return { files: pages.flatMap(({ tree }) => [...tree.files.values()]), directories: [...new Set(directories)] };
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

/** The revision of a memory grows with each change of each page. */
function sumRevisions(pages: readonly Pick<MemoryDocument, "revision">[]): number {
  return pages.reduce((sum, { revision = 0 }) => sum + revision, 0);
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
