import type { Collection } from "mongodb";
import type { MemoryAddress } from "../../src/index.js";
import { checkAddress } from "../../src/core/values/address.js";
import { getParents } from "../../src/core/values/paths.js";
import { getIncarnation, type MemoryDocument, pathOfKey } from "../../src/mongodb/memories/documents/page-document.js";
import { compareKeys, getOrderKey } from "../../src/mongodb/memories/documents/page-order.js";
import { getAddressRange } from "../../src/mongodb/memories/documents/page-ids.js";

export type { MemoryDocument };

/** Reads all documents of a memory as they are stored, the head first. */
export async function readStoredPages(collection: Collection, address: MemoryAddress): Promise<MemoryDocument[]> {
  const checked = checkAddress(address);
  const filter: object = { $or: [{ ...checked }, { _id: getAddressRange(checked) }] };
  return (await collection.find<MemoryDocument>(filter).toArray()).toSorted((a, b) =>
    compareKeys(a.lo ?? "", b.lo ?? ""),
  );
}

/**
 * Returns what is wrong with the pages of a memory. Their bounds must follow each other without a gap, and each must
 * contain what lies between its bounds.
 */
export function findPageFaults(pages: readonly MemoryDocument[]): string[] {
  const [head, ...others] = pages;
  if (head === undefined) return [];
  if (others.length === 0 && head.lo === undefined && head.hi === undefined) return findContentFaults(pages);
  return [
    ...(head.lo === "" ? [] : [`the head begins at ${JSON.stringify(head.lo)}`]),
    ...(others.length === 0 ? ["the head has bounds, but there is no other page"] : []),
    ...pages.flatMap(({ hi }, index) => {
      const next = pages[index + 1]?.lo;
      return hi === next
        ? []
        : [`a page ends at ${JSON.stringify(hi)}, and the next begins at ${JSON.stringify(next)}`];
    }),
    ...others.flatMap(({ _id, nodeId }) => [
      ...(nodeId === undefined ? [] : [`the page ${JSON.stringify(_id)} looks like a head`]),
      ...(_id.includes(getIncarnation(head)) ? [] : [`the page ${JSON.stringify(_id)} is of another memory`]),
    ]),
    ...findContentFaults(pages),
  ];
}

/** Lists the paths of stored keys. */
export function listPaths(stored: object = {}): string[] {
  return Object.keys(stored).map(pathOfKey);
}

function findContentFaults(pages: readonly MemoryDocument[]): string[] {
  const listed = pages.map(({ data, dirs, meta }) => ({
    files: listPaths(data),
    dated: listPaths(meta),
    directories: listPaths(dirs),
  }));
  return pages.flatMap((page, index) => {
    const { files = [], dated = [], directories = [] } = listed[index] ?? {};
    return [
      ...[...files, ...directories]
        .filter((path) => !isWithin(path, page))
        .map((path) => `${path} lies in another page than it should`),
      ...(files.toSorted().join("\n") === dated.toSorted().join("\n") ? [] : ["files and their times differ"]),
      ...directories.filter((path) => files.includes(path)).map((path) => `${path} is a file and a directory`),
      ...[...files, ...directories]
        .flatMap(getParents)
        .filter(
          (parent) =>
            !listed.some((each, at) => isWithin(parent, pages[at] ?? {}) && each.directories.includes(parent)),
        )
        .map((parent) => `the directory ${parent} is missing where it lies`),
    ];
  });
}

function isWithin(path: string, { lo = "", hi }: Pick<MemoryDocument, "lo" | "hi">): boolean {
  const key = getOrderKey(path);
  return compareKeys(lo, key) <= 0 && (hi === undefined || compareKeys(key, hi) < 0);
}
