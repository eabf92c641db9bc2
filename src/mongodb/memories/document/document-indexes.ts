import type { IndexDescription } from "mongodb";
import { type CheckedAddress, type OwnerField } from "../../../core/values/address.js";
import { addressKeys, ownerKeys } from "../address-keys.js";

/** One document an address, by a partial unique index for each scope (specification section 5). */
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
 * The memories of a thread or a user, across nodes. They are partial by the type, as the server then never weighs them
 * against the unique ones for the look-up of an address.
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

/** Who may have made changes that are still in a document: `forget` looks for them. */
export const outboxIndex = {
  name: "outbox_by_actor",
  key: { outboxActors: 1 },
  sparse: true,
} as const satisfies IndexDescription;
