import type { Collection, IndexDescription } from "mongodb";
import { storageError } from "../driver/errors.js";
import { MemoryError } from "../../core/errors.js";
import type { ItemDocument } from "./item-document.js";

/** Lists namespaces, a key for each: with its first entry comes whether anything in it will ever expire. */
const byNamespace = { name: "items_by_namespace", key: { ns: 1, expiresAt: 1 } } satisfies IndexDescription;

/** MongoDB deletes what expired, about once a minute. Sparse: items without an end have no entry. */
const byExpiry = {
  name: "items_by_expiry",
  key: { expiresAt: 1 },
  expireAfterSeconds: 0,
  sparse: true,
} satisfies IndexDescription;

export function itemIndexes(needed: { expiry: boolean; ranking: readonly IndexDescription[] }): IndexDescription[] {
  return [byNamespace, ...(needed.expiry ? [byExpiry] : []), ...needed.ranking];
}

const indexConflictCodes = new Set<unknown>([85, 86]);

/** Idempotent; nothing is ever dropped. @throws MemoryError EIO */
export async function createItemIndexes(
  collection: Collection<ItemDocument>,
  indexes: readonly IndexDescription[],
): Promise<void> {
  try {
    await collection.createIndexes([...indexes]);
  } catch (cause) {
    if (!indexConflictCodes.has((cause as { code?: unknown }).code)) throw storageError(cause, "read", 0);
    const wanted = indexes.map(({ name, ...index }) => `${name} ${JSON.stringify(index)}`).join(", ");
    throw new MemoryError(
      "EIO",
      `EIO: the collection ${collection.collectionName} has an index that conflicts with one the store needs ` +
        `(${wanted}); drop or rename the other, or use another collection`,
      { cause },
    );
  }
}
