import type { DueMemory, DueQuery, EndedRun } from "../../../core/contract/due-memories.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { addressOrNull } from "../../../core/values/address.js";
import { createIndexes } from "../../driver/create-indexes.js";
import { storageError } from "../../driver/errors.js";
import { reading } from "../../driver/reads.js";
import type { MemoryDocument } from "../documents/page-document.js";
import { mayBePresent } from "../life/memory-expiry.js";
import { lookUpHead, type MemoriesContext, openContext } from "../memory-context.js";
import { expiryFields, isExpired } from "../reading/known-pages.js";
import { addressProjection, storedAddress } from "./found-memories.js";

/**
 * The memories of a node by their changes since the last good run. A scan skips memories with a recent run, because
 * there are few different numbers of changes. Partial by type, so that the server never considers it for an address.
 */
const dueIndex = {
  name: "due_memories",
  key: { nodeId: 1, scope: 1, unlearnt: 1, learntAt: 1 },
  partialFilterExpression: { nodeId: { $type: "string" } },
} as const;

/** The most memories for which one search begins to count. The next search goes on. */
const countedAtOnce = 1000;

/** Only programs that look for due memories need the index, so the first search creates it. */
export async function prepareDue({ collection, ready }: Omit<MemoriesContext, "prepareDue">): Promise<void> {
  await ready();
  await createIndexes(collection, [dueIndex], "learnDue", "memoriesCollection");
}

/**
 * Finds the memories that are due, by the index, in one command. Memories whose changes are not counted yet come first in
 * its answer. If there are some, this begins to count them, and searches again.
 */
export async function findDue(
  context: MemoriesContext,
  { nodeId, scope, changes, intervalMs, limit }: DueQuery,
  call: CallContext,
): Promise<DueMemory[]> {
  const { collection, expiry, clock, prepareDue: prepare } = context;
  await prepare();
  const ofNode = { nodeId: { $eq: nodeId, $type: "string" }, scope, ...mayBePresent(expiry.deadline(scope)) };
  const before = new Date(clock().getTime() - intervalMs);
  const due = { ...ofNode, unlearnt: { $gte: changes }, learntAt: { $lte: before } };
  const uncounted = { ...ofNode, unlearnt: null };
  const options = {
    projection: { ...addressProjection, ...expiryFields, unlearnt: 1, learntAt: 1 },
    sort: { unlearnt: 1, learntAt: 1 },
    limit,
    hint: dueIndex.name,
  } as const;
  const find = (...filters: object[]): Promise<MemoryDocument[]> =>
    collection.find<MemoryDocument>({ $or: filters }, call, options).toArray();
  return reading(async () => {
    let found = await find(uncounted, due);
    if (found.some(({ unlearnt }) => typeof unlearnt !== "number")) {
      await collection.aggregate(beginToCount(uncounted, collection.name), call, { hint: dueIndex.name }).toArray();
      found = await find(due);
    }
    const memories: DueMemory[] = [];
    for (const head of found) {
      const address = addressOrNull(storedAddress(head));
      if (address === null || (await isExpired(openContext(context, address), head, call))) continue;
      memories.push({ address, changes: head.unlearnt ?? 0, learntAt: head.learntAt ?? before });
    }
    return memories;
  });
}

function beginToCount(uncounted: object, collection: string): object[] {
  const counted = {
    unlearnt: { $ifNull: ["$unlearnt", "$revision", 0] },
    learntAt: { $ifNull: ["$learntAt", "$createdAt", new Date(0)] },
  };
  return [
    { $match: uncounted },
    { $limit: countedAtOnce },
    { $project: { _id: 1 } },
    { $merge: { into: collection, whenMatched: [{ $set: counted }], whenNotMatched: "discard" } },
  ];
}

/** Notes that a run has ended. The found time names the run, so that two of them are not counted twice. */
export async function settleDue(
  context: MemoriesContext,
  { address, learntAt: found }: DueMemory,
  { changes, agoMs }: EndedRun,
  call: CallContext,
): Promise<void> {
  const filter = { ...lookUpHead({ ...context, address }), learntAt: found };
  const learntAt = new Date(context.clock().getTime() - agoMs);
  const update = [{ $set: { unlearnt: { $max: [0, { $subtract: ["$unlearnt", changes] }] }, learntAt } }];
  try {
    await context.collection.updateOne(filter, update, call);
  } catch (error) {
    throw storageError(error, "write", null);
  }
}
