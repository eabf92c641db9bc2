import type { Collection, IndexDescription } from "mongodb";
import { type CheckedAddress, memoryScopes, type OwnerField } from "../../../core/values/address.js";
import { isUnauthorized, storageError } from "../../driver/errors.js";
import { addressKeys, ownerKeys } from "../addresses/address-keys.js";
import { expiryIndexes } from "../expiry/expiry-indexes.js";
import type { ExpireMsOptions } from "../expiry/memory-expiry.js";
import type { MemoryDocument } from "./document.js";

/**
 * Partial unique indexes, one for each scope, so that an address has at most one document (specification section 5).
 */
export const documentIndexes = {
  global: {
    name: "uniq_global",
    key: addressKeys.global,
    unique: true,
    partialFilterExpression: { scope: "global" },
  },
  perThread: {
    name: "uniq_per_thread",
    key: addressKeys.perThread,
    unique: true,
    partialFilterExpression: { scope: "perThread", threadId: { $exists: true } },
  },
  perUser: {
    name: "uniq_per_user",
    key: addressKeys.perUser,
    unique: true,
    partialFilterExpression: { scope: "perUser", userId: { $exists: true } },
  },
} as const satisfies Record<CheckedAddress["scope"], IndexDescription>;

/**
 * The memories of a thread or a user, in all nodes. The indexes are partial by type, so that the server never considers
 * them for the look-up of an address.
 */
export const ownerIndexes = {
  threadId: {
    name: "memories_by_thread",
    key: ownerKeys.threadId,
    partialFilterExpression: { threadId: { $type: "string" } },
  },
  userId: {
    name: "memories_by_user",
    key: ownerKeys.userId,
    partialFilterExpression: { userId: { $type: "string" } },
  },
} as const satisfies Record<OwnerField, IndexDescription>;

/** Used by `forget` to find the authors of changes that are still in a document. */
export const outboxIndex = {
  name: "outbox_by_actor",
  key: { outboxActors: 1 },
  sparse: true,
} as const satisfies IndexDescription;

/**
 * Reads how long memories live from the indexes by which MongoDB deletes them. Empty if the user may not list indexes.
 * @throws MemoryError EIO
 */
export async function readStoredLifetimes(collection: Collection<MemoryDocument>): Promise<ExpireMsOptions> {
  try {
    const found = await collection.indexes();
    const lifetimes: ExpireMsOptions = {};
    for (const scope of memoryScopes) {
      const [index] = expiryIndexes({ [scope]: 1 });
      const { expireAfterSeconds } = found.find(({ name }) => name === index?.name) ?? {};
      if (expireAfterSeconds !== undefined) lifetimes[scope] = expireAfterSeconds * 1000;
    }
    return lifetimes;
  } catch (error) {
    if (isUnauthorized(error)) return {};
    throw storageError(error, "read", null);
  }
}
