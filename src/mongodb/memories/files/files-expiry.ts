import type { CallContext } from "../../../core/runtime/call.js";
import type { CheckedAddress, MemoryScope } from "../../../core/values/address.js";
import type { MemoryExpiry } from "../memory-expiry.js";
import { getMemoryKey, getRootId } from "./documents.js";
import { byId } from "./file-indexes.js";
import type { FilesContext } from "./files-context.js";
import { changedAfter, removeExpired, sweepAfterChange } from "./files-sweep.js";

/** By which part of a lifetime the time of the root may be behind. */
const lagParts = 16;

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
    await sweepAfterChange(this.#context, now, call);
  }

  get #deadline(): Date | null {
    return this.#context.expiry.deadline(this.#address.scope);
  }
}
