import type { Collection, IndexDescription, IndexDescriptionInfo } from "mongodb";
import { type CheckedAddress, memoryScopes, type OwnerField } from "../../../core/values/address.js";
import { getField } from "../../../core/values/unknown-values.js";
import { createIndexes } from "../../driver/create-indexes.js";
import { isIndexConflict, isIndexRefused, isUnauthorized, storageError } from "../../driver/errors.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import { refuseForeignDocuments } from "../../driver/foreign-documents.js";
import { once } from "../../driver/once.js";
import { createTtlIndexes, type TtlIndex } from "../../driver/ttl-indexes.js";
import { addressKeys, ownerKeys } from "../addresses/address-keys.js";
import type { StoreContext } from "../store-context.js";
import { type ExpireMsOptions, expiryIndexes } from "../life/memory-expiry.js";
import type { MemoryDocument } from "./page-document.js";
import type { MemoriesContext } from "../memory-context.js";
import { refuseEarlierDocuments } from "./earlier-documents.js";

/**
 * Partial unique indexes, one for each scope, so that an address has at most one head (specification section 5). Other
 * pages have no `nodeId`.
 */
export const addressIndexes = {
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

/**
 * The pages of memories that have several, with what a command needs to know about a page without reading it. Heads
 * without other pages are not in it.
 */
export const pageIndex = {
  name: "pages",
  key: { _id: 1, lo: 1, revision: 1, sizeBytes: 1, updatedAt: 1, recorded: 1, lastVersion: 1 },
  partialFilterExpression: { lo: { $gte: "" } },
} as const satisfies IndexDescription;

/** The memories of several pages by the last change of their heads. A sweep then looks at their other pages too. */
const sweptIndex = {
  name: "large_by_change",
  key: { scope: 1, updatedAt: 1 },
  partialFilterExpression: { nodeId: { $type: "string" }, hi: { $gt: "" } },
} as const satisfies IndexDescription;

/** MongoDB deletes expired memories of one page by these indexes. A sweep removes those of several. */
function memoryExpiryIndexes(expireMs: ExpireMsOptions): TtlIndex[] {
  return expiryIndexes(expireMs, { hi: null });
}

/** Used by `forget` to find the authors of changes that are still in a document. */
export const outboxIndex = {
  name: "outbox_by_actor",
  key: { outboxActors: 1 },
  sparse: true,
} as const satisfies IndexDescription;

const own = {
  filter: { $or: [{ nodeId: { $exists: true }, scope: { $in: memoryScopes } }, { lo: { $type: "string" } }] },
  option: "memoriesCollection",
};

/**
 * Returns a task that connects, refuses documents of the earlier format, and creates the indexes once. A reader creates
 * none.
 */
export function createMemoryIndexes(
  { db, connect, expireMs, makesIndexes, history }: StoreContext,
  { collection, versions, expiry }: Pick<MemoriesContext, "collection" | "versions" | "expiry">,
): () => Promise<void> | undefined {
  const prepare = once(async () => {
    if (makesIndexes) await refuseForeignDocuments(collection, own);
    await refuseEarlierDocuments(collection);
    if (!makesIndexes) return;
    await createAddressIndexes(collection);
    const largeIndexes = Object.keys(expireMs).length > 0 ? [pageIndex, sweptIndex] : [pageIndex];
    await createIndexes(collection, [...Object.values(ownerIndexes), ...largeIndexes], "a memory", own.option);
    await createTtlIndexes(db, collection, memoryExpiryIndexes(expireMs), "a memory", own.option);
    if (history === null) return;
    if (!history.begins) return expiry.goBy(findLifetimes(await readIndexes(db.collection(collection.name))));
    await createIndexes(collection, [outboxIndex], "the history", own.option);
    await versions.makeIndexes(own.option);
  });
  return () => connect()?.then(prepare) ?? prepare();
}

/**
 * A collection that is sharded by `_id` can have no other unique index. There `_id` makes an address unique, and the
 * same keys are indexed without `unique`. The next start then meets these indexes.
 */
async function createAddressIndexes(collection: ExactCollection<MemoryDocument>): Promise<void> {
  const indexes = Object.values(addressIndexes);
  try {
    await createIndexes(collection, indexes, "a memory", own.option);
  } catch (error) {
    const isRefused = isIndexRefused(error);
    if (!isRefused && !isIndexConflict(error)) throw error;
    const plain = indexes.map(({ unique: _unique, ...index }) => index);
    await createIndexes(collection, plain, "a memory", own.option).catch((reason: unknown) => {
      throw isRefused ? reason : error;
    });
  }
}

/** Empty if the user may not list indexes, or if there is no collection. @throws MemoryError EIO */
async function readIndexes(collection: Collection): Promise<IndexDescriptionInfo[]> {
  try {
    return await collection.indexes();
  } catch (error) {
    if (isUnauthorized(error) || getField(error, "code") === namespaceNotFound) return [];
    throw storageError(error, "read", null);
  }
}

const namespaceNotFound = 26;

/** Finds how long memories live from the indexes by which MongoDB deletes them. */
function findLifetimes(indexes: readonly IndexDescriptionInfo[]): ExpireMsOptions {
  const lifetimes: ExpireMsOptions = {};
  for (const scope of memoryScopes) {
    const [index] = expiryIndexes({ [scope]: 1 });
    const { expireAfterSeconds } = indexes.find(({ name }) => name === index?.name) ?? {};
    if (expireAfterSeconds !== undefined) lifetimes[scope] = expireAfterSeconds * 1000;
  }
  return lifetimes;
}
