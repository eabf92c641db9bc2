import { randomUUID } from "node:crypto";
import type { Collection } from "mongodb";
import type { Memory, MongoMemoryStore } from "../../src/index.js";
import { text } from "../memories/fixture.js";

/** What the layout `files` stores. */
export interface FileDocument {
  _id: string;
  nodeId?: string;
  kind: "file" | "dir";
  text?: string;
  sizeBytes?: number;
  made?: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A memory with files of 500 bytes, a hundred in each directory. */
export interface ManyFiles {
  memory: Memory;
  count: number;
  /** What the `_id` of each of its documents begins with. */
  prefix: string;
}

const filesInDirectory = 100;
const insertedAtOnce = 5000;

/** In an order that jumps from directory to directory. */
export function pickPlace(count: number, iteration: number): { directory: string; name: string; path: string } {
  const index = (iteration * 7919) % count;
  const [directory, name] = [`/dir-${Math.floor(index / filesInDirectory)}`, `file-${index % filesInDirectory}`];
  return { directory, name, path: `${directory}/${name}` };
}

/** The files lie beside one that the store has made, as it would have made them. */
export async function createManyFiles(
  store: MongoMemoryStore,
  documents: Collection<FileDocument>,
  count: number,
): Promise<ManyFiles> {
  const memory = store.memory({ nodeId: randomUUID() });
  await memory.write("/dir-0/file-0", text);
  const prefix = (await documents.findOne({ nodeId: memory.address.nodeId }))?._id ?? "";
  const [file, directory] = await Promise.all([
    documents.findOne({ _id: `${prefix}/dir-0\0file-0` }),
    documents.findOne({ _id: `${prefix}\0dir-0` }),
  ]);
  if (file === null || directory === null)
    throw new Error("the documents of the layout have other ids than this benchmark knows");
  const all = Array.from({ length: count - 1 }, (_, index) => index + 1).flatMap((index) => {
    const parent = `dir-${Math.floor(index / filesInDirectory)}`;
    const made = { ...file, _id: `${prefix}/${parent}\0file-${index % filesInDirectory}` };
    return index % filesInDirectory === 0 ? [{ ...directory, _id: `${prefix}\0${parent}` }, made] : [made];
  });
  for (let start = 0; start < all.length; start += insertedAtOnce)
    await documents.insertMany(all.slice(start, start + insertedAtOnce));
  return { memory, count, prefix };
}
