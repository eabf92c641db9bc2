import type { Collection } from "mongodb";
import { memoryScopes } from "../../../core/values/address.js";
import { isUnauthorized, storageError } from "../../driver/errors.js";
import { expiryIndexes } from "../expiry-indexes.js";
import type { ExpireMsOptions } from "../memory-expiry.js";
import type { MemoryDocument } from "./document.js";

/**
 * How long memories live, read from the indexes by which MongoDB deletes them. Nothing is known if the user may not
 * list indexes.
 * @throws MemoryError EIO
 */
export async function storedLifetimes(collection: Collection<MemoryDocument>): Promise<ExpireMsOptions> {
  try {
    const found = await collection.indexes();
    const lifetimes = memoryScopes.flatMap((scope) => {
      const [index] = expiryIndexes({ [scope]: 1 });
      const { expireAfterSeconds } = found.find(({ name }) => name === index?.name) ?? {};
      return expireAfterSeconds === undefined ? [] : [[scope, expireAfterSeconds * 1000]];
    });
    return Object.fromEntries(lifetimes) as ExpireMsOptions;
  } catch (error) {
    if (isUnauthorized(error)) return {};
    throw storageError(error, "read", null);
  }
}
