import type { Document, IndexDescription } from "mongodb";
import { MemoryError } from "../../core/errors.js";
import { storageError } from "./errors.js";
import { type ExactCollection, exactCollation } from "./exact-collection.js";

/** An index of the same name or the same keys exists, with other options. */
const indexConflictCodes = new Set<unknown>([85, 86]);

export function isIndexConflict(error: unknown): boolean {
  return indexConflictCodes.has((error as { code?: unknown } | null)?.code);
}

/**
 * Idempotent; nothing is ever dropped.
 * @param user who needs them, for the message
 * @param option the one that names another collection, for the message
 * @throws MemoryError EIO where an index of the collection conflicts with one of these
 */
export async function createIndexes<Stored extends Document>(
  collection: ExactCollection<Stored>,
  indexes: readonly IndexDescription[],
  user: string,
  option: string,
): Promise<void> {
  try {
    await collection.createIndexes(indexes);
  } catch (cause) {
    if (!isIndexConflict(cause)) throw storageError(cause, "read", null);
    const needed = indexes.map(({ name, ...index }) => `${name} ${JSON.stringify({ ...index, collation: exactCollation })}`).join(", ");
    throw new MemoryError(
      "EIO",
      `EIO: the collection ${collection.name} has indexes that conflict with the ones ${user} needs ` +
        `(${needed}); drop or rename the others, or name another collection with the option ${option}`,
      { cause },
    );
  }
}
