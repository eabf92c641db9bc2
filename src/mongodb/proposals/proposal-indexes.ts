import type { IndexDescription } from "mongodb";
import type { TtlIndex } from "../driver/ttl-indexes.js";

type Keys = Record<string, 1>;

/** Describes an index of the documents whose field is a text. */
function textIndex(name: string, field: string, more: Keys = {}): IndexDescription & { name: string; key: Keys } {
  return { name, key: { [field]: 1, ...more }, partialFilterExpression: { [field]: { $type: "string" } } };
}

/** Finds the records of each status in the order of time. */
const statusFields: Keys = { kind: 1, status: 1, at: 1, _id: 1 };

/**
 * Indexes for the records of one memory in the order of time, for those of all memories, and for those that name a
 * thread or a user, which `forget` searches for. `proposals_by_status` contains the node and the scope, so that records
 * of others are passed over without a read.
 */
export const proposalIndexes = [
  { name: "proposals_of_memory", key: { nodeId: 1, scope: 1, threadId: 1, userId: 1, at: 1 } },
  { name: "proposals_by_status", key: { ...statusFields, nodeId: 1, scope: 1 } },
  textIndex("proposals_by_thread", "threadId", statusFields),
  textIndex("proposals_by_user", "userId", statusFields),
  textIndex("proposals_by_acting_thread", "actor.threadId"),
  textIndex("proposals_by_acting_user", "actor.userId"),
  textIndex("proposals_by_reviewing_thread", "decidedBy.threadId"),
  textIndex("proposals_by_reviewer", "decidedBy.userId"),
];

/** A document without the field stays. */
export const expiryIndex = {
  name: "expire_proposals",
  key: { expiresAt: 1 },
  expireAfterSeconds: 0,
} as const satisfies TtlIndex;
