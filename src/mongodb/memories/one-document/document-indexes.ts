import type { IndexDescription } from "mongodb";
import { type CheckedAddress, type MemoryScope, memoryScopes, type OwnerField } from "../../../core/address.js";
import type { TtlIndex } from "../../driver/ttl-indexes.js";
import type { ExpireMsOptions } from "../memory-expiry.js";

/** One document an address, by a partial unique index for each scope (specification section 5). */
export const documentIndexes = {
  global: {
    name: "uniq_global",
    key: { nodeId: 1, scope: 1 },
    unique: true,
    partialFilterExpression: { scope: "global" },
  },
  perThread: {
    name: "uniq_per_thread",
    key: { nodeId: 1, scope: 1, threadId: 1 },
    unique: true,
    partialFilterExpression: { scope: "perThread", threadId: { $exists: true } },
  },
  perUser: {
    name: "uniq_per_user",
    key: { nodeId: 1, scope: 1, userId: 1 },
    unique: true,
    partialFilterExpression: { scope: "perUser", userId: { $exists: true } },
  },
} as const satisfies Record<CheckedAddress["scope"], IndexDescription>;

/**
 * The memories of a thread or a user, across nodes. They are partial by the type, as the server then never weighs them
 * against the unique ones for the look-up of an address.
 */
export const ownerIndexes = {
  threadId: {
    name: "memories_by_thread",
    key: { threadId: 1, nodeId: 1 },
    partialFilterExpression: { threadId: { $type: "string" } },
  },
  userId: {
    name: "memories_by_user",
    key: { userId: 1, nodeId: 1 },
    partialFilterExpression: { userId: { $type: "string" } },
  },
} as const satisfies Record<OwnerField, IndexDescription>;

/** Who has made changes that are still in a document: `forget` looks for them. */
export const outboxIndexes: (IndexDescription & { name: string })[] = (["userId", "threadId"] as const).map((field) => ({
  name: outboxIndexName(field),
  key: { [`outbox.actor.${field}`]: 1 },
  sparse: true,
}));

export function outboxIndexName(field: OwnerField): string {
  return field === "userId" ? "outbox_by_user" : "outbox_by_thread";
}

const expiryIndexNames = { global: "expire_global", perThread: "expire_per_thread", perUser: "expire_per_user" } as const satisfies Record<MemoryScope, string>;

/** By which MongoDB deletes what has expired. They are partial by the type for the same reason. */
export function expiryIndexes(expireMs: ExpireMsOptions): TtlIndex[] {
  return memoryScopes.flatMap((scope) => {
    const { [scope]: lifetimeMs } = expireMs;
    if (lifetimeMs === undefined) return [];
    const partialFilterExpression = { scope, nodeId: { $type: "string" } };
    return [{ name: expiryIndexNames[scope], key: { updatedAt: 1 }, partialFilterExpression, expireAfterSeconds: Math.ceil(lifetimeMs / 1000) }];
  });
}
