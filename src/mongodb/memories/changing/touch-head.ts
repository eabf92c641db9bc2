import type { CallContext } from "../../../core/runtime/call.js";
import { storageError } from "../../driver/errors.js";
import { notExpired } from "../life/memory-expiry.js";
import type { KnownPages, PagedMemory } from "../memory-context.js";

/** The number of times in the life of a memory that the head records that another page has changed. */
const touchesPerLife = 16;

/**
 * Sets the time of the last change in the head before another page changes, if the memory can expire and the time in
 * the head is older than a sixteenth of its life. So most changes are one command.
 * @returns false if the head is gone
 */
export async function touchHead(
  { collection, expiry, clock, knownPages, address, key }: PagedMemory,
  known: KnownPages,
  call: CallContext,
): Promise<boolean> {
  const lifetimeMs = expiry.lifetimeMs(address.scope);
  const now = clock();
  if (lifetimeMs === null || known.updatedAt.getTime() > now.getTime() - lifetimeMs / touchesPerLife) return true;
  const filter = { _id: known.pages[0]?._id, hi: { $exists: true }, ...notExpired(expiry.deadline(address.scope)) };
  try {
    const { matchedCount } = await collection.updateOne(filter, { $max: { updatedAt: now } }, call);
    if (matchedCount > 0) knownPages.set(key, { ...known, updatedAt: now });
    else knownPages.delete(key);
    return matchedCount > 0;
  } catch (error) {
    throw storageError(error, "write", null);
  }
}
