import type { CallContext } from "../../../core/runtime/call.js";
import type { CheckedAddress, MemoryScope } from "../../../core/values/address.js";
import type { MemoryExpiry } from "../expiry/memory-expiry.js";
import { getMemoryKey, getRootId } from "./documents.js";
import { byId } from "./file-indexes.js";
import type { FilesContext } from "./files-context.js";
import { changedAfter, removeExpired, sweepAfterChange } from "./files-sweep.js";

/** The time in the root may lag behind by this part of the lifetime. */
const lagParts = 16;

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
    await sweepAfterChange(this.#context, now, call);
  }

  get #deadline(): Date | null {
    return this.#context.expiry.deadline(this.#address.scope);
  }
}
