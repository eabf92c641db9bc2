import type { CallContext } from "../../core/runtime/call.js";
import { type MemoryScope, memoryScopes, ownerFields } from "../../core/values/address.js";
import { isUnauthorized } from "../driver/errors.js";
import type { ExactCollection } from "../driver/exact-collection.js";

/** The lifetimes of memories of each scope without a change, in ms. */
export type Lifetimes = Partial<Record<MemoryScope, number>>;

/** Records of a time without `expireMs` have no time at which they expire. */
const isEarlier = { expiresAt: { $exists: false } };

/** Returns filters for earlier records that have expired, even if their memory is not known. */
export function findExpired(lifetimes: Lifetimes, now: Date): object[] {
  return listLifetimes(lifetimes).map(([scope, lifetimeMs]) => ({
    ...isEarlier,
    scope,
    at: { $lte: new Date(now.getTime() - lifetimeMs) },
  }));
}

/**
 * Lets earlier records expire with their memories, as if they were made now. Idempotent. Does nothing if the program may
 * not write.
 */
export async function expireEarlierRecords(
  records: Pick<ExactCollection<object>, "aggregate" | "name">,
  memories: string,
  lifetimes: Lifetimes,
  call: CallContext,
): Promise<void> {
  try {
    for (const [scope, lifetimeMs] of listLifetimes(lifetimes)) {
      const fields = ["nodeId", ownerFields[scope]].filter((field) => field !== null);
      const isOwn = fields.map((field) => ({ $eq: [`$${field}`, `$$${field}`] }));
      const lookup = {
        from: memories,
        let: Object.fromEntries(fields.map((field) => [field, `$${field}`])),
        pipeline: [{ $match: { scope, $expr: { $and: isOwn } } }, { $project: { updatedAt: 1 } }],
        as: "memories",
      };
      const lastChange = { $ifNull: [{ $arrayElemAt: ["$memories.updatedAt", 0] }, "$at"] };
      const pipeline = [
        { $match: { ...isEarlier, scope } },
        { $lookup: lookup },
        { $project: { expiresAt: { $add: [lastChange, lifetimeMs] } } },
        { $merge: { into: records.name, whenMatched: "merge", whenNotMatched: "discard" } },
      ];
      await records.aggregate(pipeline, call).toArray();
    }
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
  }
}

function listLifetimes(lifetimes: Lifetimes): [MemoryScope, number][] {
  return memoryScopes.flatMap((scope) => (lifetimes[scope] === undefined ? [] : [[scope, lifetimes[scope]]]));
}
