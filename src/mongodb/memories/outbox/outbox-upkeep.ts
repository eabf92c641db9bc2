import type { CallContext } from "../../../core/runtime/call.js";
import { MemoryError } from "../../../core/values/errors.js";
import { warnOnce } from "../../../core/runtime/warn-once.js";
import { isRefusedByServer, storageError } from "../../driver/errors.js";
import { reading } from "../../driver/reads.js";
import { versionsCollectionName } from "../../history/version-collection.js";
import { findHead, type LoadedPage } from "../reading/load.js";
import { getIncarnation } from "../documents/page-document.js";
import { lookUpIncarnation, type PageTarget, targetLoadedPage } from "../changing/page-target.js";
import type { RecordedVersions } from "../changing/recorded-versions.js";
import type { PagedMemory } from "../memory-context.js";
import { dueFlush, isOccasion, type OutboxState } from "./outbox.js";
import { moveVersions } from "./outbox-source.js";

/** The most times that a change may be too large for a page without other recorded changes. */
const maxTooLargeAlone = 5;

/**
 * Moves recorded changes out of the pages if there are many. No error ends the call, because the change is made: a
 * later change tries again.
 * @param page that was changed
 */
export async function keepOutboxSmall(
  memory: PagedMemory,
  page: PageTarget,
  state: OutboxState,
  call: CallContext,
): Promise<void> {
  try {
    await moveIfDue(memory, dueFlush(state), call);
    await prolongVersions(memory, page, state.versionsExpireAt, call);
  } catch (error) {
    warnOfRefusal(memory, error);
  }
}

/**
 * Does the same after a transaction, which does not report the outboxes.
 * @param recorded the versions that it has stored
 * @param head before the transaction
 */
export async function keepOutboxesSmall(
  memory: PagedMemory,
  recorded: RecordedVersions | null,
  head: LoadedPage,
  call: CallContext,
): Promise<void> {
  if (memory.history === null) return;
  try {
    if (recorded !== null) {
      const paths = recorded.versions.flatMap(({ path }) => path ?? []);
      await memory.versions.applyRetention(recorded.owner._id, paths, call);
    }
    // Readers read versions again as long as older changes are in an outbox.
    const added = Math.max(1, recorded?.versions.length ?? 0);
    const revision = recorded?.revision ?? (head.revision ?? 0) + 1;
    await moveIfDue(memory, isOccasion(revision, added) ? "inBackground" : "none", call);
    await prolongVersions(memory, targetLoadedPage(memory, head, true), head.versionsExpireAt, call);
  } catch (error) {
    warnOfRefusal(memory, error);
  }
}

async function moveIfDue(memory: PagedMemory, due: ReturnType<typeof dueFlush>, call: CallContext): Promise<void> {
  const moving = due === "none" ? undefined : moveVersions(memory, call);
  if (due === "inBackground") moving?.catch((error: unknown) => warnOfRefusal(memory, error));
  else await moving;
}

/**
 * Warns once in a process for each collection. Reason: recorded changes stay in the memory, which at last has no room for
 * another change. A server that does not answer is no reason to warn: the next move can succeed.
 */
function warnOfRefusal({ db, collection }: PagedMemory, error: unknown): void {
  if (!isRefusedByServer(error)) return;
  const place = `${db.databaseName}.${versionsCollectionName(collection.name)}`;
  warnOnce(
    `history of ${place}`,
    `the history is not moved to ${place} (${storageError(error, "write", null).message}); it stays in the memories, which refuse changes once ` +
      "they are full: check the rights, the validator and the space of this collection; the command `doctor` shows " +
      "the memories",
  );
}

/**
 * Prolongs the versions, which must outlive the memory. Each page has the time until which nothing needs to be done, so
 * that a change of a page need not read the head.
 */
async function prolongVersions(
  memory: PagedMemory,
  page: PageTarget,
  versionsExpireAt: Date | undefined,
  call: CallContext,
): Promise<void> {
  const { expiry, history, versions, collection, address } = memory;
  const until = expiry.versionsExpireAt(address.scope);
  const endsTooEarly =
    versionsExpireAt === undefined ? !page.isHead : until !== null && versionsExpireAt < until.latest;
  if (history === null || until === null || !endsTooEarly) return;
  const head = await findHead(memory, { versionsExpireAt: 1 }, call);
  if (head === null) return;
  let { versionsExpireAt: expiresAt = until.expiresAt } = head;
  if (expiresAt < until.latest) {
    expiresAt = until.expiresAt;
    await versions.prolong(getIncarnation(head), expiresAt, call);
    await collection.updateOne(lookUpIncarnation(head), { $set: { versionsExpireAt: expiresAt } }, call);
  }
  if (!page.isHead) await collection.updateOne(page.filter, { $set: { versionsExpireAt: expiresAt } }, call);
}

/**
 * Moves the recorded changes out of the pages, because a change had no room there.
 * @param timesAlone how often there were no recorded changes. Another process may have moved them just before.
 * @throws MemoryError ENOSPC if the change is too large alone
 */
export async function makeRoom(
  memory: PagedMemory,
  error: unknown,
  timesAlone: number,
  call: CallContext,
): Promise<number> {
  if (await reading(() => moveVersions(memory, call))) return timesAlone;
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
