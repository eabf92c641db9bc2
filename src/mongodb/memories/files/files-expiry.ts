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

/** By which part of a lifetime the time of the root may be behind. */
const lagParts = 16;

/** How often a store looks for what has expired, and how many memories it then removes. */
const sweep = { everyMs: 60_000, memories: 20 };

/** How far the root of a memory may be behind that expires after so long. */
function lagMs(lifetimeMs: number): number {
  return lifetimeMs / lagParts;
}

/**
 * A memory whose root has that time or an earlier one has expired; of a later one only its documents tell. Null:
 * memories of the scope stay.
 */
export function laggingDeadline(expiry: MemoryExpiry, scope: MemoryScope): Date | null {
  const deadline = expiry.deadline(scope);
  const lifetimeMs = expiry.lifetimeMs(scope);
  return deadline === null || lifetimeMs === null ? null : new Date(deadline.getTime() - lagMs(lifetimeMs));
}

/**
 * Whether a memory has expired (ADR 0019, 0021). Its last change is the latest time in its documents. The root has it
 * too, but moves only when it would be far behind, so that not every change writes it. Where memories of the scope
 * stay, this costs nothing.
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

  /** False once it has expired. */
  async isPresent(call: CallContext): Promise<boolean> {
    const deadline = this.#deadline;
    if (deadline === null) return true;
    const known = this.#context.changeTimes.changedAt(this.#key);
    if (known !== undefined && known > deadline) return true;
    const at = await changedAfter(this.#context, this.#key, deadline, {}, call);
    if (at !== null) this.#context.changeTimes.remember(this.#key, at);
    return at !== null;
  }

  /** Removes what has expired, before something is made in its place. Nothing where it has been changed since. */
  async remove(call: CallContext): Promise<void> {
    const deadline = this.#deadline;
    if (deadline !== null) await removeExpired(this.#context, this.#key, deadline, call);
  }

  /** @param isSeen whether a document has the time of the change. */
  async afterChange(isSeen: boolean, call: CallContext): Promise<void> {
    const { expiry, clock, fileClock, changeTimes, collection } = this.#context;
    const lifetimeMs = expiry.lifetimeMs(this.#address.scope);
    if (lifetimeMs === null) return;
    const now = clock();
    const known = changeTimes.changedAt(this.#key);
    if (isSeen && fileClock === undefined && known !== undefined && now.getTime() - known.getTime() < lagMs(lifetimeMs))
      return;
    // Nothing where it has moved since: no mark may expire.
    await collection.updateOne({ _id: getRootId(this.#key), kind: "dir" }, { $max: { updatedAt: now } }, byId, call);
    changeTimes.remember(this.#key, now);
    await this.#sweep(now, call);
  }

  get #deadline(): Date | null {
    return this.#context.expiry.deadline(this.#address.scope);
  }

  /** Removes some of the memories that have expired, found by their index. */
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
      // The change is made. The next sweep finds the rest.
    }
  }
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
 * Looks again in the transaction: somebody may have written to the memory, or have removed it and made it anew. Its
 * versions go after it.
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
