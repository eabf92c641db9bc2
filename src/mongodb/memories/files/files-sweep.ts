import type { ClientSession } from "mongodb";
import { type CallContext, createUnlimitedCall } from "../../../core/runtime/call.js";
import { addressOrNull, type CheckedAddress, type MemoryScope, memoryScopes } from "../../../core/values/address.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { streaming } from "../../driver/reads.js";
import { inTransaction } from "../../driver/transactions.js";
import { addressProjection, storedAddress } from "../addresses/found-memories.js";
import { movedAway, reasonToFollow } from "../moves/moved-memory.js";
import { getRootId, isMark, memoryKeyOfId, rangeOfMemory, type StoredRoot } from "./documents.js";
import { byId, expiryIndex, listingIndex } from "./file-indexes.js";
import type { FilesContext } from "./files-context.js";

/** How many memories one command finds: the server keeps a cursor that is not asked for 10 minutes. */
const foundAtOnce = 100;

/** A change of a memory looks for expired ones at most so often, and removes so many before it ends. */
const sweepEveryMs = 60_000;
const awaitedRemovals = 20;

interface SweptMemory {
  /** Null for ids that no memory can have. */
  address: CheckedAddress | null;
  /** False for one that was changed later than its root says. */
  isRemoved: boolean;
}

/**
 * Removes all expired memories one after the other, in each scope the oldest first. A memory that cannot be removed
 * does not stop the others.
 * @throws the first failure, at the end
 */
export async function* sweepFiles(context: FilesContext, call: CallContext): AsyncGenerator<SweptMemory> {
  let failure: { error: unknown } | null = null;
  for (const scope of memoryScopes) {
    const deadline = context.expiry.deadline(scope);
    if (deadline === null) continue;
    for await (const { _id, ...stored } of findExpired(context, scope, deadline, call)) {
      try {
        const isRemoved = await removeExpired(context, memoryKeyOfId(_id), deadline, call);
        yield { address: addressOrNull(storedAddress(stored)), isRemoved };
      } catch (error) {
        call.throwIfAborted();
        // What has moved away is swept where it is.
        if (reasonToFollow(error) === null) failure ??= { error };
      }
    }
  }
  if (failure !== null) throw failure.error;
}

function findExpired(
  { collection }: FilesContext,
  scope: MemoryScope,
  deadline: Date,
  call: CallContext,
): AsyncIterable<Pick<StoredRoot, "_id" | keyof typeof addressProjection>> {
  const filter = { scope, updatedAt: { $lte: deadline } };
  const options = {
    projection: addressProjection,
    sort: expiryIndex.key,
    batchSize: foundAtOnce,
    ...asPlainValues,
  };
  return streaming(collection.find<Pick<StoredRoot, "_id" | keyof typeof addressProjection>>(filter, options, call));
}

/**
 * Runs after a change, at most once a minute. Removes some of the expired memories, and the others in the background.
 */
export async function sweepAfterChange(context: FilesContext, now: Date, call: CallContext): Promise<void> {
  const { changeTimes } = context;
  if (changeTimes.isSweeping || now.getTime() - changeTimes.sweptAt < sweepEveryMs) return;
  changeTimes.sweptAt = now.getTime();
  changeTimes.isSweeping = true;
  // The change is made, whatever fails here. The next sweep finds the rest.
  const isRest = await takeSome(sweepFiles(context, call), awaitedRemovals).catch(() => false);
  if (isRest) void sweepRest(context);
  else changeTimes.isSweeping = false;
}

async function sweepRest(context: FilesContext): Promise<void> {
  await takeSome(sweepFiles(context, createUnlimitedCall()), Infinity).catch(() => undefined);
  context.changeTimes.isSweeping = false;
}

/** @returns whether there may be more */
async function takeSome(swept: AsyncIterable<SweptMemory>, most: number): Promise<boolean> {
  let count = 0;
  for await (const _memory of swept) if ((count += 1) === most) return true;
  return false;
}

/**
 * When the memory was changed that has been changed after a time; null for one that has not. One without documents
 * never was. @throws movedAway
 */
export async function changedAfter(
  context: Pick<FilesContext, "collection">,
  memoryKey: string,
  deadline: Date,
  options: { session?: ClientSession },
  call: CallContext,
): Promise<Date | null> {
  const { collection } = context;
  const root = await collection.findOne<Pick<StoredRoot, "updatedAt" | "kind">>(
    { _id: getRootId(memoryKey) },
    { projection: { _id: 0, updatedAt: 1, kind: 1 }, ...asPlainValues, ...options },
    call,
  );
  if (isMark(root)) throw movedAway();
  if (root === null || root.updatedAt > deadline) return root?.updatedAt ?? null;
  const pipeline = [
    { $match: { _id: rangeOfMemory(memoryKey) } },
    { $group: { _id: null, updatedAt: { $max: "$updatedAt" } } },
  ];
  const [latest] = await collection
    .aggregate<{ updatedAt: Date }>(pipeline, { ...asPlainValues, hint: listingIndex.name, ...options }, call)
    .toArray();
  return latest !== undefined && latest.updatedAt > deadline ? latest.updatedAt : null;
}

/**
 * Checks again in the transaction: somebody may have written to the memory, or removed and created it again. The root
 * then gets that time, so that the next sweep does not find the memory. Removes the versions after their memory.
 * @returns whether the memory was removed
 */
export async function removeExpired(
  context: FilesContext,
  memoryKey: string,
  deadline: Date,
  call: CallContext,
): Promise<boolean> {
  const { collection, transactions, versions, changeTimes } = context;
  const _id = getRootId(memoryKey);
  const removed = await inTransaction(transactions, call, async (session) => {
    const updatedAt = await changedAfter(context, memoryKey, deadline, { session }, call);
    if (updatedAt !== null) {
      await collection.updateOne({ _id, kind: "dir" }, { $max: { updatedAt } }, { ...byId, session }, call);
      return null;
    }
    const root = await collection.findOne<Pick<StoredRoot, "history">>(
      { _id },
      { projection: { "history.id": 1 }, ...asPlainValues, session },
      call,
    );
    await collection.deleteMany({ _id: rangeOfMemory(memoryKey) }, { session }, call);
    return { versionsId: root?.history?.id ?? null };
  });
  changeTimes.forget(memoryKey);
  if (removed === null) return false;
  if (removed.versionsId !== null && context.history !== null) await versions.remove(removed.versionsId, call);
  return true;
}
