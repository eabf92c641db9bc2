import type { Collection, IndexDescription } from "mongodb";
import { MemoryError } from "../../../core/errors.js";
import { storageError } from "../../driver/errors.js";
import type { MemoryDocument } from "./document.js";

/** One document an address, by partial unique indexes (specification section 5). */
export const memoryIndexes = [
  {
    name: "uniq_global",
    key: { nodeId: 1, scope: 1 },
    unique: true,
    partialFilterExpression: { scope: "global" },
  },
  {
    name: "uniq_per_thread",
    key: { nodeId: 1, scope: 1, threadId: 1 },
    unique: true,
    partialFilterExpression: { scope: "perThread", threadId: { $exists: true } },
  },
] satisfies IndexDescription[];

const indexConflictCodes = new Set<unknown>([85, 86]);

/** Idempotent; nothing is ever dropped. @throws MemoryError EIO where an index of the same name has other keys */
export async function createMemoryIndexes(collection: Collection<MemoryDocument>): Promise<void> {
  try {
    await collection.createIndexes(memoryIndexes);
  } catch (cause) {
    if (!indexConflictCodes.has((cause as { code?: unknown }).code)) throw storageError(cause, "read", 0);
    const wanted = memoryIndexes.map(({ name, key }) => `${name} ${JSON.stringify(key)}`).join(" and ");
    throw new MemoryError(
      "EIO",
      `EIO: the collection ${collection.collectionName} has indexes that conflict with the ones a memory needs ` +
        `(${wanted}, both unique and partial); drop or rename the others, or use another collection`,
      { cause },
    );
  }
}
