import type { Document, IndexDescription } from "mongodb";
import { MemoryError } from "../../core/values/errors.js";
import { isIndexConflict, storageError } from "./errors.js";
import { type ExactCollection, exactCollation } from "./exact-collection.js";

/**
 * Creates missing indexes. Never drops one.
 * @param user the part that needs the indexes, for the message
 * @param option the option that names another collection, for the message
 * @throws MemoryError EIO if an index of the collection conflicts with one of these
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
    const needed = indexes
      .map(({ name, ...index }) => `${name} ${JSON.stringify({ ...index, collation: exactCollation })}`)
      .join(", ");
    throw new MemoryError(
      "EIO",
      `EIO: the collection ${collection.name} has indexes that conflict with the ones ${user} needs ` +
        `(${needed}); drop or rename the others, or name another collection with the option ${option}`,
      { cause },
    );
  }
}
