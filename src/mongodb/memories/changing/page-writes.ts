import type { ClientSession } from "mongodb";
import type { CallContext } from "../../../core/runtime/call.js";
import { memoryBytesCeiling } from "../../../core/memory-options.js";
import { retryLostRace } from "../../../core/runtime/lost-race.js";
import type { MemoryError } from "../../../core/values/errors.js";
import { isDuplicateKey, isRefusedByServer, isTooLarge, storageError, transactionError } from "../../driver/errors.js";
import type { ExactWrite } from "../../driver/exact-collection.js";
import { inTransaction } from "../../driver/transactions.js";
import { type Expression, where } from "../documents/expressions.js";
import { isMade } from "./made-calls.js";
import { type ChangeParts, type ChangeSettings, createStage } from "./change-pipeline.js";
import { type OutboxState, outboxState } from "../outbox/outbox.js";
import { keepOutboxesSmall, keepOutboxSmall, makeRoom } from "../outbox/outbox-upkeep.js";
import type { LoadedPage } from "../reading/load.js";
import type { RecordedVersions } from "./recorded-versions.js";
import type { LastChange, MemoryDocument } from "../documents/page-document.js";
import { createToken } from "../documents/page-ids.js";
import { createdFields, type PageTarget } from "./page-target.js";
import { refuseEarlierHead } from "../documents/earlier-documents.js";
import { beginsHistory, lookUpPresent, type PagedMemory } from "../memory-context.js";

export interface WriteTimes {
  /** The time of the change. */
  at: Date;
  /** The time of creation for a new memory. */
  createdAt: Date;
}

export interface PageWriteOptions extends WriteTimes {
  target: PageTarget;
  /** Whether to create a missing document. The conditions of the change must then refuse nothing. */
  upsert: boolean;
  splitBytes?: number | null;
}

/** The result of a change that was made. */
export interface MadeChange {
  counts: [first: number, second: number];
  /** The creation time of the file, if the change returns it. */
  createdAt?: Date;
}

/** A change that is sent, alone or with others of the same page. */
export interface SentChange {
  memory: PagedMemory;
  parts: ChangeParts;
  options: PageWriteOptions;
  /** The call of the change. */
  call: CallContext;
}

/** A write of one page in a transaction. */
export type PageWrite =
  | { kind: "change"; target: PageTarget; parts: ChangeParts; upsert?: boolean }
  | { kind: "delete"; page: Pick<MemoryDocument, "_id" | "revision" | "outbox"> };

/** The writes of a transaction. */
export interface CommonWrites {
  /** The last one is that of the head, for which others may wait. */
  writes: readonly PageWrite[];
  /** The head before them. */
  head: LoadedPage;
  /** Versions to store. @default none */
  recorded?: RecordedVersions | null;
}

/**
 * Changes one page with one command; with history, one more command now and then.
 * @returns null if nothing was changed. Only a load can show whether the page exists
 */
export function writePage(
  memory: PagedMemory,
  parts: ChangeParts,
  options: PageWriteOptions,
  call: CallContext,
): Promise<MadeChange | null> {
  const { maxMemoryBytes } = memory.limits;
  const toError = (error: unknown): MemoryError => storageError(error, "write", maxMemoryBytes);
  const send = async (): Promise<MadeChange | null> =>
    (await sendChanges([{ memory, parts, options, call }], call))[0] ?? null;
  return sendAgain(memory, send, toError, call);
}

/**
 * Makes changes of one page with one command, each on the result of those before it. A change that is refused stops
 * those behind it.
 * @param call of all changes together
 * @returns the results of those that were made: the first ones, or none
 * @throws MemoryError EIO if it is unknown which were made
 */
export async function makeChanges(changes: readonly SentChange[], call: CallContext): Promise<MadeChange[]> {
  try {
    return await sendChanges(changes, call);
  } catch (error) {
    // Each change that is made alone afterwards makes room, or says why it is refused.
    if (isDuplicateKey(error) || isTooLarge(error) || isRefusedByServer(error)) return [];
    throw storageError(error, "write", null);
  }
}

/**
 * Makes all writes in one step, or none.
 * @returns whether they were made
 */
export async function commitChanges(
  memory: PagedMemory,
  { writes, head, recorded = null }: CommonWrites,
  times: WriteTimes,
  call: CallContext,
): Promise<boolean> {
  const send = async (): Promise<boolean> => {
    try {
      await inTransaction(memory.client, call, async (session) => {
        if (recorded !== null && recorded.versions.length > 0)
          await memory.versions.insertWithin(session, recorded, call);
        await sendWrites(memory, writes, times, session, call);
      });
      await keepOutboxesSmall(memory, recorded, head, call);
      return true;
    } catch (error) {
      if (error instanceof StaleWrite) return false;
      throw error;
    }
  };
  return (await sendAgain(memory, send, transactionError, call)) ?? false;
}

/**
 * Sends a change again if the outbox left no room for it.
 * @param toError explains errors
 * @returns null if nothing was changed because there is a memory already, which may have expired
 */
function sendAgain<Result>(
  memory: PagedMemory,
  send: () => Promise<Result>,
  toError: (error: unknown) => MemoryError,
  call: CallContext,
): Promise<Result | null> {
  let tooLargeAlone = 0;
  return retryLostRace<Result | null>(async () => {
    try {
      return await send();
    } catch (error) {
      if (isDuplicateKey(error)) {
        await refuseEarlierHead(memory, error, call);
        return null;
      }
      if (!isTooLarge(error) || memory.history === null) throw toError(error);
      tooLargeAlone = await makeRoom(memory, error, tooLargeAlone, call);
      return undefined;
    }
  });
}

async function sendChanges(changes: readonly SentChange[], call: CallContext): Promise<MadeChange[]> {
  const [first] = changes;
  if (first === undefined) return [];
  const { memory, parts } = first;
  const { target, upsert } = first.options;
  const { collection, history } = memory;
  const records = history !== null;
  const isAlone = changes.length === 1;
  const id = createToken();
  const hasReceipt = !isAlone || parts.counts !== null || records;
  const pipeline = changes.map((change, index) => {
    const created = upsert && index === 0 ? { created: createdFields(memory) } : {};
    const settings = { ...change.options, ...created, receipt: hasReceipt ? { id, index } : null };
    return createPageStage(change.memory, change.parts, settings, change.call);
  });
  if (!hasReceipt) {
    // An update without an answer is cheaper: the server would keep a copy of a large document to repeat the answer.
    const result = await collection.updateOne(target.filter, pipeline, call, { upsert });
    return result.modifiedCount + result.upsertedCount > 0 ? [{ counts: [0, 0] }] : [];
  }
  const changed = await collection.findOneAndUpdate<ReceiptDocument>(target.filter, pipeline, call, {
    upsert,
    returnDocument: "after",
    projection: { _id: 0, lastChange: 1, ...(isAlone && projectNothing(first)), ...(records && outboxState) },
  });
  if (changed === null) return [];
  const { lastChange, isNothing } = changed;
  if (lastChange?.id.startsWith(id) !== true) return isNothing === true ? [{ counts: [0, 0] }] : [];
  const { made } = lastChange;
  if (records) await keepOutboxSmall(memory, target, { ...changed, added: made.length }, call);
  return made.map(([count, other, createdAt]) => ({ counts: [count, other], ...(createdAt && { createdAt }) }));
}

/** @throws StaleWrite if one of the writes would change nothing */
async function sendWrites(
  memory: PagedMemory,
  writes: readonly PageWrite[],
  times: WriteTimes,
  session: ClientSession,
  call: CallContext,
): Promise<void> {
  const operations = writes.map((write): ExactWrite<MemoryDocument> => {
    if (write.kind === "delete") {
      const { _id, revision = 0, outbox = [] } = write.page;
      const recorded = outbox.length > 0 && { outbox: { $size: outbox.length } };
      return { deleteOne: { filter: { _id, revision, ...recorded } } };
    }
    const { target, parts, upsert = false } = write;
    const update = [createPageStage(memory, parts, { ...times, target, receipt: null }, call)];
    return { updateOne: { filter: target.filter, update, upsert } };
  });
  const result = await memory.collection.bulkWrite(operations, call, { session });
  if (result.modifiedCount + result.upsertedCount + result.deletedCount !== writes.length) throw new StaleWrite();
}

function createPageStage(
  memory: PagedMemory,
  parts: ChangeParts,
  { target, ...settings }: Omit<PageWriteOptions, "upsert"> & Pick<ChangeSettings, "created" | "receipt">,
  call: CallContext,
): Record<string, Expression> {
  const { history, limits } = memory;
  const recording = history && { call, at: settings.at, begins: beginsHistory(memory) };
  const maxMemoryBytes = Math.min(limits.maxMemoryBytes, memoryBytesCeiling);
  return createStage(parts, {
    ...settings,
    recording,
    changeId: call.changeId,
    maxMemoryBytes,
    page: target,
  });
}

/** Removes ids of approved changes from the head. Nothing else changes. */
export async function removeAppliedIds(memory: PagedMemory, ids: readonly string[], call: CallContext): Promise<void> {
  const kept: Expression = {
    $filter: { input: { $objectToArray: "$applied" }, as: "mark", cond: { $not: [{ $in: ["$$mark.k", [...ids]] }] } },
  };
  const pipeline = [{ $set: { applied: where({ $eq: [kept, []] }, "$$REMOVE", { $arrayToObject: kept }) } }];
  try {
    const filter = { ...lookUpPresent(memory), applied: { $exists: true } };
    await memory.collection.updateOne(filter, pipeline, call);
  } catch (error) {
    throw storageError(error, "write", memory.limits.maxMemoryBytes);
  }
}

/** Aborts a transaction because a page has changed since it was read. */
class StaleWrite extends Error {}

/** The result of the projection after a change. With a history it has the state of the outbox. */
interface ReceiptDocument extends OutboxState {
  lastChange?: LastChange;
  isNothing?: boolean;
}

/** Only the expected page can report that there was nothing to do, unless the change was made before. */
function projectNothing({ parts: { hasNothing }, options: { target }, call: { changeId } }: SentChange): object {
  if (hasNothing === undefined) return {};
  const unless = [...target.unless, ...(changeId === null ? [] : [isMade(changeId)])];
  return { isNothing: { $and: [hasNothing, { $not: [{ $or: unless }] }] } };
}
