import { type MemoryTree, sumBytes, type TreeEdits } from "../../../core/tree/memory-tree.js";
import { countStart } from "../../../core/runtime/bisection.js";
import type { MemorySnapshot, SnapshotFile } from "../../../core/tree/snapshot.js";
import { largestFileBytes } from "../../../core/values/text.js";
import { keyOfPath } from "../documents/page-document.js";
import { compareKeys, getOrderKey } from "../documents/page-order.js";
import { directoryKeyBytes, fileKeyBytes } from "../documents/page-sizes.js";

/** A page as it was before a change. */
export interface OldPage {
  lo?: string | undefined;
  hi?: string | undefined;
  splitAtBytes?: number | undefined;
  /** The end with which the page is stored, if it is another one. */
  storedHi?: string | undefined;
}

/** A page as it is after a change. */
export interface NewPage<Old extends OldPage> {
  /** The page that it replaces. Null: it is new. */
  old: Old | null;
  lo: string;
  hi: string | undefined;
  content: Pick<MemorySnapshot, "files" | "directories">;
  /** The size from which on it is split again. Undefined: the common size of pages. */
  splitAtBytes: number | undefined;
  /** False if it has the same bounds and content as before. */
  isChanged: boolean;
}

interface Entry {
  key: string;
  sizeBytes: number;
  item: SnapshotFile | string;
}

/**
 * Returns the pages that replace some pages of a memory. A page that has grown over its size is split into halves or
 * smaller parts. A page at whose start nothing is any more is joined to the page before it, so an empty one, too.
 * @param pages sorted by position. They cover everything that the edits change
 * @param tree the pages before the edits
 */
export function repartition<Old extends OldPage>(
  pages: readonly Old[],
  tree: MemoryTree,
  edits: TreeEdits,
  pageBytes: number,
): NewPage<Old>[] {
  const entries = sortEntries(tree.after(edits));
  const touched = listTouched(edits).map(getOrderKey).toSorted(compareKeys);
  const keys = new Set(entries.map(({ key }) => key));
  return findRuns(pages).flatMap((run) => {
    // The first page of a run stays, because the page before it is not known.
    const kept = run.filter(({ lo = "" }, index) => index === 0 || keys.has(lo));
    return kept.flatMap((old, index) => {
      const bounds = { lo: old.lo ?? "", hi: kept[index + 1]?.lo ?? run.at(-1)?.hi };
      const isChanged =
        old.storedHi !== undefined || bounds.hi !== old.hi || selectWithin(touched, (key) => key, bounds).length > 0;
      return splitPage(
        old,
        { ...bounds, isChanged },
        selectWithin(entries, ({ key }) => key, bounds),
        pageBytes,
      );
    });
  });
}

/** Groups pages that follow each other without a gap. */
function findRuns<Old extends OldPage>(pages: readonly Old[]): Old[][] {
  const runs: Old[][] = [];
  for (const page of pages) {
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1)?.hi !== undefined && run.at(-1)?.hi === page.lo) run.push(page);
    else runs.push([page]);
  }
  return runs;
}

/** Whether a page of this size is split. @param page undefined: a new one */
export function needsSplit(
  page: Pick<OldPage, "splitAtBytes"> | undefined,
  sizeBytes: number,
  pageBytes: number,
): boolean {
  return sizeBytes > (page?.splitAtBytes ?? pageBytes);
}

function splitPage<Old extends OldPage>(
  old: Old,
  { lo, hi, isChanged }: { lo: string; hi: string | undefined; isChanged: boolean },
  entries: readonly Entry[],
  pageBytes: number,
): NewPage<Old>[] {
  const sizeBytes = sumBytes(entries);
  const isSplit = needsSplit(old, sizeBytes, pageBytes);
  const parts = isSplit ? cutIntoParts(entries, pageBytes / 2) : [entries];
  const keptSplit = sizeBytes > pageBytes ? old.splitAtBytes : undefined;
  return parts.map((part, index) => ({
    old: index === 0 ? old : null,
    lo: index === 0 ? lo : (part[0]?.key ?? ""),
    hi: parts[index + 1]?.[0]?.key ?? hi,
    content: toContent(part),
    splitAtBytes: isSplit ? getNextSplit(part, pageBytes) : keptSplit,
    isChanged: isChanged || parts.length > 1,
  }));
}

/**
 * A page of one file is cut from this size on. Reason: the head must have room for a text that a change replaces, too.
 */
const largestPageBytes = largestFileBytes + 500_000;

/** A part that is one large file cannot be cut. Returns the doubled size, at which it is checked again. */
function getNextSplit(part: readonly Entry[], pageBytes: number): number | undefined {
  const sizeBytes = sumBytes(part);
  return sizeBytes > pageBytes / 2 ? Math.max(pageBytes, Math.min(2 * sizeBytes, largestPageBytes)) : undefined;
}

function cutIntoParts(entries: readonly Entry[], maxBytes: number): Entry[][] {
  const parts: Entry[][] = [[]];
  let sizeBytes = 0;
  for (const entry of entries) {
    const last = parts.at(-1);
    if (last === undefined || (sizeBytes + entry.sizeBytes > maxBytes && last.length > 0)) {
      parts.push([entry]);
      ({ sizeBytes } = entry);
    } else {
      last.push(entry);
      sizeBytes += entry.sizeBytes;
    }
  }
  return parts;
}

function sortEntries(tree: MemoryTree): Entry[] {
  const files = [...tree.files.values()].map((file) => ({
    key: getOrderKey(file.path),
    sizeBytes: fileKeyBytes(keyOfPath(file.path)) + file.sizeBytes,
    item: file,
  }));
  const directories = [...tree.directories].map((path) => ({
    key: getOrderKey(path),
    sizeBytes: directoryKeyBytes(keyOfPath(path)),
    item: path,
  }));
  return [...files, ...directories].toSorted((a, b) => compareKeys(a.key, b.key));
}

function toContent(entries: readonly Entry[]): NewPage<OldPage>["content"] {
  const items = entries.map(({ item }) => item);
  return {
    files: items.filter((item) => typeof item !== "string"),
    directories: items.filter((item) => typeof item === "string"),
  };
}

/** Selects the values of a sorted list whose positions are in a page. */
function selectWithin<Value>(
  sorted: readonly Value[],
  getKey: (value: Value) => string,
  { lo = "", hi }: OldPage,
): readonly Value[] {
  const countBefore = (position: string): number =>
    countStart(sorted, (value) => compareKeys(getKey(value), position) < 0);
  return sorted.slice(countBefore(lo), hi === undefined ? sorted.length : countBefore(hi));
}

function listTouched({ removed, moved, directories, files }: TreeEdits): string[] {
  return [...removed, ...moved.flatMap(({ path, to }) => [path, to]), ...directories, ...files.map(({ path }) => path)];
}
