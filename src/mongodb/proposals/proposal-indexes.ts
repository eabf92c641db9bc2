import type { Document, IndexDescription } from "mongodb";
import type { TtlIndex } from "../driver/ttl-indexes.js";

const ofTexts = (field: string): Document => ({ [field]: { $type: "string" } });

/** Those of one memory in the order of time, and those that name a thread or a user, which `forget` looks for. */
export const proposalIndexes = [
  { name: "proposals_of_memory", key: { nodeId: 1, scope: 1, threadId: 1, userId: 1, at: 1 } },
  { name: "proposals_by_thread", key: { threadId: 1 }, partialFilterExpression: ofTexts("threadId") },
  { name: "proposals_by_user", key: { userId: 1 }, partialFilterExpression: ofTexts("userId") },
  {
    name: "proposals_by_acting_thread",
    key: { "actor.threadId": 1 },
    partialFilterExpression: ofTexts("actor.threadId"),
  },
  { name: "proposals_by_acting_user", key: { "actor.userId": 1 }, partialFilterExpression: ofTexts("actor.userId") },
  {
    name: "proposals_by_reviewing_thread",
    key: { "decidedBy.threadId": 1 },
    partialFilterExpression: ofTexts("decidedBy.threadId"),
  },
  {
    name: "proposals_by_reviewer",
    key: { "decidedBy.userId": 1 },
    partialFilterExpression: ofTexts("decidedBy.userId"),
  },
] as const satisfies readonly IndexDescription[];

/** A document without the field stays. */
export const expiryIndex = {
  name: "expire_proposals",
  key: { expiresAt: 1 },
  expireAfterSeconds: 0,
} as const satisfies TtlIndex;
