import type { CallContext } from "../../../core/runtime/call.js";
import { MemoryError } from "../../../core/values/errors.js";
import { warnOnce } from "../../../core/runtime/warn-once.js";
import { isRefusedByServer, storageError } from "../../driver/errors.js";
import { reading } from "../../driver/reads.js";
import { versionsCollectionName } from "../../history/version-collection.js";
import { findHead } from "../reading/load.js";
import { getIncarnation } from "../documents/page-document.js";
import { lookUpIncarnation } from "../changing/page-target.js";
import type { PagedMemory } from "../memory-context.js";
import { dueFlush, type OutboxState } from "./outbox.js";
import { moveVersions } from "./outbox-source.js";

/** The most times that a change may be too large for a head without other recorded changes. */
const maxTooLargeAlone = 5;

/**
 * Moves recorded changes out of the head if there are many. No error ends the call, because the change is made: a later
 * change tries again.
 */
export async function keepOutboxSmall(memory: PagedMemory, state: OutboxState, call: CallContext): Promise<void> {
  try {
    const due = dueFlush(state);
    const moving = due === "none" ? undefined : moveVersions(memory, call);
    if (due === "behind") moving?.catch((error: unknown) => warnOfRefusal(memory, error));
    else await moving;
    if (state.versionsExpireAt !== undefined) await prolongVersions(memory, state.versionsExpireAt, call);
  } catch (error) {
    warnOfRefusal(memory, error);
  }
}

/**
 * Warns once in a process for each collection. Reason: recorded changes stay in the memory, which at last has no room for
 * another change. A server that does not answer is no reason to warn: the next move can succeed.
 */
function warnOfRefusal({ db, collection }: PagedMemory, error: unknown): void {
  const cause = MemoryError.isInstance(error) ? error.cause : error;
  if (!isRefusedByServer(cause)) return;
  const place = `${db.databaseName}.${versionsCollectionName(collection.name)}`;
  warnOnce(
    `history of ${place}`,
    `the history is not moved to ${place} (${storageError(cause, "write", null).message}); it stays in the memories, which refuse changes once ` +
      "they are full: check the rights, the validator and the space of this collection; the command `doctor` shows " +
      "the memories",
  );
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
  if (timesAlone + 1 === maxTooLargeAlone) throw tooMuchAtOnce(memory, error);
  return timesAlone + 1;
}

function tooMuchAtOnce({ server }: PagedMemory, cause: unknown): MemoryError {
  const message =
    "ENOSPC: the memory and the texts that the change replaces, which its history keeps, are larger together than " +
    "MongoDB takes a document; change fewer or smaller files at once" +
    (server.hasTransactions === false ? ", or use a replica set, which keeps a large memory in several documents" : "");
  return new MemoryError("ENOSPC", message, { cause });
}
