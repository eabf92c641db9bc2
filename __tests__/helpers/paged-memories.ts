import type { Collection } from "mongodb";
import { createNamespace } from "./addresses.js";
import type { Memory, MongoMemoryStore } from "../../src/index.js";
import { listPaths, type MemoryDocument, readStoredPages } from "./stored-pages.js";

/** A page as it is stored, with the paths of its files and directories. */
export interface FoundPage {
  id: string;
  lo: string;
  hi: string | undefined;
  files: string[];
  directories: string[];
  document: MemoryDocument;
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
  const namespace = createNamespace(address);
  await store.batch(Object.entries(files).map(([key, content]) => ({ namespace, key, value: { content } })));
}

/** Finds the pages of a memory, in their order. The head is the first. */
export async function findPages(memories: Collection, { address }: Memory): Promise<FoundPage[]> {
  return (await readStoredPages(memories, address)).map((document) => ({
    id: document._id,
    lo: document.lo ?? "",
    hi: document.hi,
    files: listPaths(document.data),
    directories: listPaths(document.dirs),
    document,
  }));
}
