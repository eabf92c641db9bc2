import type { IndexDescription } from "mongodb";
import type { CheckedAddress } from "../../../core/address.js";

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
