import { Call, type CallContext, type CallLimits, withinTime } from "../../../core/runtime/call.js";
import { type MemoryScope, memoryScopes } from "../../../core/values/address.js";
import { transactionError } from "../../driver/errors.js";
import { reading, streaming } from "../../driver/reads.js";
import { inTransaction } from "../../driver/transactions.js";
import type { SweptCounts } from "../addresses/memory-filter.js";
import { addressProjection, parseAddress } from "../listing/found-memories.js";
import { lookUpHead, type MemoriesContext, type PagedMemory, openContext } from "../memory-context.js";
import { getIncarnation, type MemoryDocument } from "../documents/page-document.js";
import { getPagesRange } from "../documents/page-ids.js";
import { lookUpIncarnation } from "../changing/page-target.js";
import { expiryFields, findLastChange, listPages } from "../reading/known-pages.js";
import { findGoneMemories, removeVersions } from "./gone-versions.js";
import { isAlone } from "./remove-memories.js";

/** Removes a memory with its versions, if it has expired. @returns whether this call removed it */
async function removeIfExpired(memory: PagedMemory, head: MemoryDocument, call: CallContext): Promise<boolean> {
  const { expiry, address } = memory;
  const deadline = expiry.deadline(address.scope);
  if (deadline === null) return false;
  const gone = await (head.hi === undefined
    ? removeHead(memory, { ...lookUpIncarnation(head), ...isAlone }, deadline, call)
    : removePages(memory, head, deadline, call));
  if (gone?.hasVersions === true) await removeVersions(memory, getIncarnation(head), call);
  return gone !== null;
}

function removeHead(
  { collection }: PagedMemory,
  filter: object,
  deadline: Date,
  call: CallContext,
  options: object = {},
): Promise<MemoryDocument | null> {
  const all = { projection: { hasVersions: 1 }, ...options };
  return collection.findOneAndDelete<MemoryDocument>({ ...filter, updatedAt: { $lte: deadline } }, call, all);
}

/** Removes all pages in one step. Another change of one of them at the same time conflicts with it. */
function removePages(
  memory: PagedMemory,
  head: MemoryDocument,
  deadline: Date,
  call: CallContext,
): Promise<MemoryDocument | null> {
  const { client, collection, knownPages, key } = memory;
  return inTransaction(client, call, async (session) => {
    const pages = await listPages(memory, head, { session }, call);
    if (findLastChange(head, pages) > deadline) return null;
    const gone = await removeHead(memory, lookUpIncarnation(head), deadline, call, { session });
    if (gone === null) return null;
    await collection.deleteMany({ _id: getPagesRange(head._id, getIncarnation(head)) }, call, { session });
    knownPages.delete(key);
    return gone;
  });
}

/** Removes a memory if it has expired. @throws MemoryError EIO */
export async function removeExpired(memory: PagedMemory, call: CallContext): Promise<void> {
  const { collection, expiry, address } = memory;
  const deadline = expiry.deadline(address.scope);
  if (deadline === null) return;
  const filter = { ...lookUpHead(memory), updatedAt: { $lte: deadline } };
  try {
    const head = await collection.findOne<MemoryDocument>(filter, call, { projection: expiryFields });
    if (head !== null) await removeIfExpired(memory, head, call);
  } catch (error) {
    throw transactionError(error);
  }
}

/**
 * Removes all memories that have expired, with their versions.
 * @param limits of each removal, which has the time of a call
 */
export async function sweep(memories: MemoriesContext, limits: CallLimits): Promise<SweptCounts> {
  const call = new Call({ actor: null, timeoutMs: limits.timeoutMs });
  const swept = sweepMemories(memories, call);
  try {
    let count = 0;
    for (;;) {
      const next = await withinTime(limits, "change", () => reading(() => swept.next()));
      if (next.done === true) return { memories: count };
      count += next.value;
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

/**
 * Does all removals. One that fails does not stop the others. Yields the number of memories that each has removed, and 0
 * after each batch: a batch in which nothing is to be removed takes time too.
 */
async function* sweepMemories(context: MemoriesContext, call: CallContext): AsyncGenerator<number, void> {
  const errors: unknown[] = [];
  await context.ready();
  for await (const removals of findRemovals(context, call)) {
    for (const remove of removals) {
      call.throwIfAborted();
      try {
        yield (await remove()) ? 1 : 0;
      } catch (error) {
        errors.push(error);
      }
    }
    yield 0;
  }
  if (errors.length > 0) throw errors[0];
}

/** Removes something, and returns whether it was a memory. */
type Removal = () => Promise<boolean>;

/**
 * Finds all memories that have expired, and then the versions of memories that are gone. MongoDB too removes memories of
 * one page, about a minute after their end, and leaves their versions.
 */
async function* findRemovals(context: MemoriesContext, call: CallContext): AsyncGenerator<Removal[]> {
  const { expiry } = context;
  for (const scope of memoryScopes) {
    const deadline = expiry.deadline(scope);
    if (deadline === null) continue;
    for await (const head of findOld(context, scope, deadline, call)) {
      const address = parseAddress(head);
      // No memory can have other ids.
      if (address !== null) yield [() => removeIfExpired(openContext(context, address), head, call)];
    }
    // The versions of a memory that was changed within its lifetime expire later.
    const expiresAt = { $not: { $gt: expiry.versionsExpireAt(scope)?.latest } };
    // Without `nodeId` the server would not use the index of the owners.
    for await (const gone of findGoneMemories(context, { nodeId: { $exists: true }, scope, expiresAt }, call)) {
      yield gone.map((memory) => async () => {
        await removeVersions(context, memory, call);
        return false;
      });
    }
  }
}

/** Finds memories of one page that have expired, and then those of several with an old head, each by its own index. */
async function* findOld(
  { collection }: MemoriesContext,
  scope: MemoryScope,
  deadline: Date,
  call: CallContext,
): AsyncGenerator<MemoryDocument> {
  const options = { projection: { ...addressProjection, ...expiryFields }, batchSize: foundAtOnce };
  for (const pages of [isAlone, { hi: { $gt: "" } }]) {
    const filter = { scope, updatedAt: { $lte: deadline }, nodeId: { $type: "string" }, ...pages };
    yield* streaming(collection.find<MemoryDocument>(filter, call, options));
  }
}
