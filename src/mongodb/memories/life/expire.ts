import { Call, type CallContext, type CallLimits, withinTime } from "../../../core/runtime/call.js";
import { addressOrNull, memoryScopes } from "../../../core/values/address.js";
import { storageError } from "../../driver/errors.js";
import { reading, streaming } from "../../driver/reads.js";
import type { SweptCounts } from "../addresses/memory-filter.js";
import { addressProjection, storedAddress } from "../listing/found-memories.js";
import { lookUpHead, type MemoriesContext, type PagedMemory, openContext } from "../memory-context.js";
import { getIncarnation, type MemoryDocument } from "../documents/page-document.js";
import { lookUpIncarnation } from "../changing/page-target.js";
import { isAlone, removeHead } from "./remove-memories.js";

/** The time of the last change of memories whose removal has begun. Nobody can change them any more. */
const longAgo = new Date(0);

/** Removes a memory that has expired, unless somebody has changed it meanwhile. @returns whether this call removed it */
async function removeExpiredHead(
  memory: PagedMemory,
  head: Pick<MemoryDocument, "_id" | "key" | "hi">,
  isExpired: object,
  call: CallContext,
): Promise<boolean> {
  const filter = { ...lookUpIncarnation(head), ...isExpired };
  // Without this, a change that began before the end could find the head, but no other page.
  if (head.hi !== undefined) {
    const { matchedCount } = await memory.collection.updateOne(filter, { $set: { updatedAt: longAgo } }, call);
    if (matchedCount === 0) return false;
  }
  return (await removeHead(memory, head, isExpired, call)) !== null;
}

/** Removes a memory if it has expired. */
export async function removeExpired(memory: PagedMemory, call: CallContext): Promise<void> {
  const { collection, history, versions, expiry, address } = memory;
  const deadline = expiry.deadline(address.scope);
  if (deadline === null) return;
  const isExpired = { updatedAt: { $lte: deadline } };
  const filter = { ...lookUpHead(memory), ...isExpired };
  const options = { projection: { key: 1, hi: 1 } };
  try {
    const head = await collection.findOne<MemoryDocument>(filter, call, options);
    if (head === null || !(await removeExpiredHead(memory, head, isExpired, call))) return;
    if (history !== null) await versions.remove(getIncarnation(head), call);
  } catch (error) {
    throw storageError(error, "write", null);
  }
}

/**
 * Removes each expired memory. One that cannot be removed does not stop the others.
 * @param limits of each memory, which has the time of a call
 */
export async function sweep(memories: MemoriesContext, limits: CallLimits): Promise<SweptCounts> {
  const call = new Call({ actor: null, timeoutMs: limits.timeoutMs });
  const swept = sweepMemories(memories, call);
  try {
    for (let count = 0; ; count += 1) {
      const { done } = await withinTime(limits, "change", () => reading(() => swept.next()));
      if (done === true) return { memories: count };
    }
  } catch (error) {
    // Ends the step that is still under way, and then the cursor.
    call.abort(error);
    void swept.return(undefined).catch(() => undefined);
    throw error;
  }
}

/** The most memories that one command finds. Reason: the server closes a cursor that is unused for 10 minutes. */
const foundAtOnce = 100;

const sweptProjection = { ...addressProjection, key: 1, hi: 1, hasVersions: 1 } as const;

/**
 * Removes all memories that have expired, with their versions. MongoDB removes those of one page too, about a minute
 * after their end, and leaves the versions until they expire. Yields once for each memory that this sweep has removed.
 */
async function* sweepMemories(context: MemoriesContext, call: CallContext): AsyncGenerator<void> {
  const { ready, expiry } = context;
  await ready();
  const errors: unknown[] = [];
  for (const scope of memoryScopes) {
    const deadline = expiry.deadline(scope);
    if (deadline === null) continue;
    const isExpired = { updatedAt: { $lte: deadline } };
    for await (const head of findExpired(context, { scope, ...isExpired }, call)) {
      call.throwIfAborted();
      try {
        if (!(await removeSwept(context, head, isExpired, call))) continue;
      } catch (error) {
        errors.push(error);
        continue;
      }
      yield;
    }
  }
  // A memory that cannot be removed does not stop the removal of the others.
  if (errors.length > 0) throw errors[0];
}

/** @returns whether this sweep has removed the memory */
async function removeSwept(
  context: MemoriesContext,
  head: MemoryDocument,
  isExpired: object,
  call: CallContext,
): Promise<boolean> {
  const { collection, history, versions } = context;
  const address = addressOrNull(storedAddress(head));
  const isGone =
    address === null
      ? (await collection.deleteOne({ _id: head._id, ...isExpired }, call)) > 0
      : await removeExpiredHead(openContext(context, address), head, isExpired, call);
  if (isGone && head.hasVersions === true && history !== null) await versions.remove(getIncarnation(head), call);
  return isGone;
}

/** Finds memories of one page and then those of several, each by its own index, and written as the index is. */
async function* findExpired(
  { collection }: MemoriesContext,
  isExpired: object,
  call: CallContext,
): AsyncGenerator<MemoryDocument> {
  const options = { projection: sweptProjection, batchSize: foundAtOnce };
  for (const pages of [isAlone, { hi: { $gt: "" } }]) {
    const filter = { ...isExpired, nodeId: { $type: "string" }, ...pages };
    yield* streaming(collection.find<MemoryDocument>(filter, call, options));
  }
}
