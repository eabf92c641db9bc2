import type { Collection, Document } from "mongodb";
import type { Memory, MongoMemoryStore } from "../../src/index.js";
import { getMemoryNamespace } from "../../src/core/values/namespace.js";
import { pathOfKey } from "../../src/mongodb/memories/documents/page-document.js";

/** A page as it is stored, with the paths of its files and directories. */
export interface FoundPage {
  id: string;
  lo: string;
  hi: string | undefined;
  files: string[];
  directories: string[];
  document: Document;
}

/** Returns files of some 100 bytes in directories of ten: `/d00/f0` and so on. */
export function createFiles(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const directory = String(Math.floor(index / 10)).padStart(2, "0");
      return [`/d${directory}/f${index % 10}`, `note ${index} ${"of some words ".repeat(7)}`];
    }),
  );
}

/** Puts files into a memory in one step. */
export async function putFiles(
  store: MongoMemoryStore,
  { address }: Memory,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const namespace = getMemoryNamespace(address);
  await store.batch(Object.entries(files).map(([key, content]) => ({ namespace, key, value: { content } })));
}

/** Finds the pages of a memory, in their order. The head is the first. */
export async function findPages(memories: Collection, { address }: Memory): Promise<FoundPage[]> {
  const head = await memories.findOne({ ...address });
  if (head === null) return [];
  const prefix = `${String(head._id)}${String(head["key"])}\0`;
  const others = await memories.find({ lo: { $gt: "" } }).toArray();
  return [head, ...others.filter(({ _id }) => String(_id).startsWith(prefix))]
    .map((document): FoundPage => {
      const { _id, lo = "", hi, data = {}, dirs = {} } = document;
      return {
        id: String(_id),
        lo: lo as string,
        hi: hi as string | undefined,
        files: Object.keys(data as object).map(pathOfKey),
        directories: Object.keys(dirs as object).map(pathOfKey),
        document,
      };
    })
    .toSorted((a, b) => comparePositions(a.lo, b.lo));
}

/** Finds what is wrong with the pages of a memory: gaps, and files outside the bounds of their page. */
export function findFaults(pages: readonly FoundPage[]): string[] {
  return pages.flatMap((page, index) => {
    const next = pages[index + 1];
    const isOutside = (path: string): boolean => {
      const position = path.slice(1).replaceAll("/", "\0");
      return (
        comparePositions(position, page.lo) < 0 || (page.hi !== undefined && comparePositions(position, page.hi) >= 0)
      );
    };
    return [
      ...(page.hi === next?.lo ? [] : [`page ${index} ends at ${page.hi}, and the next begins at ${next?.lo}`]),
      ...page.files.filter(isOutside).map((path) => `${path} is not within page ${index}`),
    ];
  });
}

function comparePositions(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
