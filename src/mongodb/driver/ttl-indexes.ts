import { isDeepStrictEqual } from "node:util";
import type { Db, IndexDescription } from "mongodb";
import { MemoryError } from "../../core/values/errors.js";
import { createIndexes } from "./create-indexes.js";
import { isIndexConflict, isUnauthorized, storageError } from "./errors.js";
import type { ExactCollection } from "./exact-collection.js";

export type TtlIndex = IndexDescription & { name: string; expireAfterSeconds: number };

/**
 * Creates indexes by which MongoDB deletes documents, and changes the lifetime of existing ones. Idempotent. Drops
 * nothing, and changes no other index that only has the same name.
 * @param user and option as in `createIndexes`
 * @throws MemoryError EIO
 */
export async function createTtlIndexes<Stored extends object>(
  db: Db,
  collection: ExactCollection<Stored>,
  indexes: readonly TtlIndex[],
  user: string,
  option: string,
): Promise<void> {
  for (const index of indexes) {
    try {
      await createIndexes(collection, [index], user, option);
    } catch (error) {
      if (!isIndexConflict(error) || !(await changeLifetime(db, collection.name, index))) throw error;
    }
  }
}

/** @returns whether the existing index differs only in the lifetime. @throws MemoryError EIO */
async function changeLifetime(
  db: Db,
  collectionName: string,
  { expireAfterSeconds, name, ...rest }: TtlIndex,
): Promise<boolean> {
  try {
    const {
      v: _v,
      expireAfterSeconds: lifetime,
      name: _name,
      ...found
    } = (await db.collection(collectionName).indexes()).find((index) => index.name === name) ?? {};
    if (lifetime === undefined || !isDeepStrictEqual(found, rest)) return false;
    await db.command({ collMod: collectionName, index: { name, expireAfterSeconds } });
    return true;
  } catch (cause) {
    if (!isUnauthorized(cause)) throw storageError(cause, "write", null);
    const right = "grant listIndexes and collMod on the collection, or use the lifetime that the index has";
    throw new MemoryError(
      "EIO",
      `EIO: the index ${name} of the collection ${collectionName} needs another lifetime, and the user may not ` +
        `change it; ${right}`,
      { cause },
    );
  }
}
