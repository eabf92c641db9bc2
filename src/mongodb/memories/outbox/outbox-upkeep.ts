import type { CallContext } from "../../../core/runtime/call.js";
import { MemoryError } from "../../../core/values/errors.js";
import { reading } from "../../driver/reads.js";
import { findHead } from "../reading/load.js";
import { getIncarnation } from "../documents/page-document.js";
import { lookUpIncarnation } from "../changing/page-target.js";
import type { PagedMemory } from "../memory-context.js";
import { dueFlush, type OutboxState } from "./outbox.js";
import { moveVersions } from "./outbox-source.js";

/** The most times that a change may be too large for a head without other recorded changes. */
const maxTooLargeAlone = 5;

/**
 * Moves recorded changes out of the head if there are many. Errors are ignored because the change is made: a later
 * change tries again.
 */
export async function keepOutboxSmall(memory: PagedMemory, state: OutboxState, call: CallContext): Promise<void> {
  try {
    const due = dueFlush(state);
    const moving = due === "none" ? undefined : moveVersions(memory, call);
    if (due === "behind") moving?.catch(() => undefined);
    else await moving;
    if (state.versionsExpireAt !== undefined) await prolongVersions(memory, state.versionsExpireAt, call);
  } catch {
    // Nothing is lost: recorded changes stay in the document.
  }
}

/** Prolongs the versions, which must outlive the memory. */
async function prolongVersions(memory: PagedMemory, versionsExpireAt: Date, call: CallContext): Promise<void> {
  const { clock, expiry, history, versions, collection, address } = memory;
  const until = expiry.versionsExpireAt(address.scope, clock());
  if (history === null || until === null || versionsExpireAt >= until.latest) return;
  const head = await findHead(memory, {}, call);
  if (head === null) return;
  await versions.prolong(getIncarnation(head), until.expiresAt, call);
  await collection.updateOne(lookUpIncarnation(head), { $set: { versionsExpireAt: until.expiresAt } }, call);
}

/**
 * Moves the recorded changes out of the head, because a change had no room there.
 * @param timesAlone how often the head had no recorded changes. Another process may have moved them just before.
 * @throws MemoryError ENOSPC if the change is too large alone
 */
export async function makeRoomInHead(
  memory: PagedMemory,
  error: unknown,
  timesAlone: number,
  call: CallContext,
): Promise<number> {
  const head = await findHead(memory, { outbox: { $slice: ["$outbox", 1] } }, call);
  if ((head?.outbox ?? []).length > 0) {
    await reading(() => moveVersions(memory, call));
    return timesAlone;
  }
  if (timesAlone + 1 === maxTooLargeAlone) throw tooMuchAtOnce(error);
  return timesAlone + 1;
}

function tooMuchAtOnce(cause: unknown): MemoryError {
  const message =
    "ENOSPC: the memory and the texts that the change replaces, which its history keeps, are larger together than " +
    "MongoDB takes a document; change less at once";
  return new MemoryError("ENOSPC", message, { cause });
}
