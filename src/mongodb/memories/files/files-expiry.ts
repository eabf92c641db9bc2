import type { ClientSession } from "mongodb";
import type { CallContext } from "../../../core/runtime/call.js";
import type { CheckedAddress, MemoryScope } from "../../../core/values/address.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { inTransaction } from "../../driver/transactions.js";
import type { MemoryExpiry } from "../memory-expiry.js";
import { movedAway } from "../moves/moved-memory.js";
import { isMark, getMemoryKey, memoryKeyOfId, rangeOfMemory, getRootId, type StoredRoot } from "./documents.js";
import { byId, expiryIndex, listingIndex } from "./file-indexes.js";
import type { FilesContext } from "./files-context.js";

/** The time in the root may lag behind by this part of the lifetime. */
const lagParts = 16;

/** How often a store searches for expired memories, and how many it removes each time. */
const sweep = { everyMs: 60_000, memories: 20 };

/** Returns how far the time in the root may lag behind for this lifetime. */
function lagMs(lifetimeMs: number): number {
  return lifetimeMs / lagParts;
}

/**
 * A memory has expired if the time in its root is at or before this deadline. For a later time, only the other
 * documents show whether the memory has expired. Null: memories of the scope never expire.
 */
export function laggingDeadline(expiry: MemoryExpiry, scope: MemoryScope): Date | null {
  const deadline = expiry.deadline(scope);
  const lifetimeMs = expiry.lifetimeMs(scope);
  return deadline === null || lifetimeMs === null ? null : new Date(deadline.getTime() - lagMs(lifetimeMs));
}

/**
 * Whether a memory has expired (ADR 0019, 0021). The latest time in its documents is the time of its last change. The
 * root also has a time, but the time moves only before it would lag too far behind, so that not every change writes the
 * root. If memories of the scope never expire, this costs nothing.
 */
export class FilesExpiry {
  readonly #context: FilesContext;
  readonly #address: CheckedAddress;
  readonly #key: string;

  constructor(context: FilesContext, address: CheckedAddress) {
    this.#context = context;
    this.#address = address;
    this.#key = getMemoryKey(address);
  }

  /** Returns false after the memory has expired. */
  async isPresent(call: CallContext): Promise<boolean> {
    const deadline = this.#deadline;
    if (deadline === null) return true;
    const known = this.#context.changeTimes.changedAt(this.#key);
    if (known !== undefined && known > deadline) return true;
    const at = await changedAfter(this.#context, this.#key, deadline, {}, call);
    if (at !== null) this.#context.changeTimes.remember(this.#key, at);
    return at !== null;
  }

  /**
   * Removes an expired memory before something is created in its place. Does nothing if the memory was changed since.
   */
  async remove(call: CallContext): Promise<void> {
    const deadline = this.#deadline;
    if (deadline !== null) await removeExpired(this.#context, this.#key, deadline, call);
  }

  /** @param isSeen whether a document has the time of the change */
  async afterChange(isSeen: boolean, call: CallContext): Promise<void> {
    const { expiry, clock, fileClock, changeTimes, collection } = this.#context;
    const lifetimeMs = expiry.lifetimeMs(this.#address.scope);
    if (lifetimeMs === null) return;
    const now = clock();
    const known = changeTimes.changedAt(this.#key);
    if (isSeen && fileClock === undefined && known !== undefined && now.getTime() - known.getTime() < lagMs(lifetimeMs))
      return;
    // The filter skips forwarding records, which must never expire.
    await collection.updateOne({ _id: getRootId(this.#key), kind: "dir" }, { $max: { updatedAt: now } }, byId, call);
    changeTimes.remember(this.#key, now);
    await this.#sweep(now, call);
  }

  get #deadline(): Date | null {
    return this.#context.expiry.deadline(this.#address.scope);
  }

  /** Removes some of the expired memories, which the index finds. */
  async #sweep(now: Date, call: CallContext): Promise<void> {
    const { changeTimes, expiry, collection } = this.#context;
    const { scope } = this.#address;
    const deadline = expiry.deadline(scope);
    if (deadline === null || now.getTime() - changeTimes.sweptAt < sweep.everyMs) return;
    changeTimes.sweptAt = now.getTime();
    try {
      const filter = { scope, updatedAt: { $lte: deadline } };
      const options = { projection: { _id: 1 }, sort: expiryIndex.key, limit: sweep.memories, ...asPlainValues };
      for (const { _id } of await collection.find<Pick<StoredRoot, "_id">>(filter, options, call).toArray())
        await removeExpired(this.#context, memoryKeyOfId(_id), deadline, call);
    } catch {
      // The change itself is made. The next sweep finds the rest.
    }
  }
}

/**
 * Returns a time at which the memory was changed after the deadline. Null if the memory was not changed after it, or
 * has no documents.
 * @throws movedAway
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
 * Checks the expiry again in the transaction: somebody may have written to the memory, or removed and created it again.
 * Removes the versions afterwards.
 */
async function removeExpired(
  context: FilesContext,
  memoryKey: string,
  deadline: Date,
  call: CallContext,
): Promise<void> {
  const { collection, transactions, versions, changeTimes } = context;
  const removed = await inTransaction(transactions, call, async (session) => {
    if ((await changedAfter(context, memoryKey, deadline, { session }, call)) !== null) return null;
    const root = await collection.findOne<Pick<StoredRoot, "history">>(
      { _id: getRootId(memoryKey) },
      { projection: { "history.id": 1 }, ...asPlainValues, session },
      call,
    );
    await collection.deleteMany({ _id: rangeOfMemory(memoryKey) }, { session }, call);
    return root?.history?.id ?? null;
  });
  changeTimes.forget(memoryKey);
  if (removed !== null && context.history !== null) await versions.remove(removed, call);
}
