import type { ClientSession } from "mongodb";
import type { CallContext } from "../../../core/runtime/call.js";
import { memoryBytesCeiling } from "../../../core/memory-options.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import type { MemoryError } from "../../../core/values/errors.js";
import { isDuplicateKey, isTooLarge, storageError, transactionError } from "../../driver/errors.js";
import type { ExactWrite } from "../../driver/exact-collection.js";
import { inTransaction } from "../../driver/transactions.js";
import { type Expression, where } from "../documents/expressions.js";
import { isMade } from "./made-calls.js";
import { type ChangeParts, type ChangeSettings, createCommand, type PipelineCommand } from "./change-pipeline.js";
import { type OutboxState, outboxState } from "../outbox/outbox.js";
import { keepOutboxSmall, makeRoomInHead } from "../outbox/outbox-upkeep.js";
import type { LastChange, MemoryDocument } from "../documents/page-document.js";
import { createdFields, type PageTarget } from "./page-target.js";
import { lookUpPresent, type PagedMemory } from "../memory-context.js";

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
  counts: LastChange["counts"];
  /** The creation time of the file, if the change returns it. */
  createdAt?: Date;
}

/** A write of one page in a transaction. */
export type PageWrite =
  | { target: PageTarget; parts: ChangeParts; upsert?: boolean }
  | { deleted: Pick<MemoryDocument, "_id" | "revision"> };

/** The change of the head, which each transaction contains. */
export type HeadWrite = Pick<Extract<PageWrite, { parts: ChangeParts }>, "target" | "parts">;

/**
 * Changes one page with one command; with history, one more command now and then.
 * @returns null if nothing was changed. Only a load can show whether the page exists
 */
export function makeChange(
  memory: PagedMemory,
  parts: ChangeParts,
  options: PageWriteOptions,
  call: CallContext,
): Promise<MadeChange | null> {
  const { maxMemoryBytes } = memory.limits;
  const toError = (error: unknown): MemoryError => storageError(error, "write", maxMemoryBytes);
  return sendAgain(memory, () => sendChange(memory, parts, options, call), toError, call);
}

/**
 * Makes all writes in one step, or none.
 * @returns whether they were made
 */
export async function commitChanges(
  memory: PagedMemory,
  writes: readonly PageWrite[],
  head: HeadWrite,
  times: WriteTimes,
  call: CallContext,
): Promise<boolean> {
  const send = async (): Promise<boolean> => {
    try {
      const state = await inTransaction(memory.client, call, async (session) => {
        await sendWrites(memory, writes, times, session, call);
        return sendHead(memory, head, times, session, call);
      });
      if (state !== null) await keepOutboxSmall(memory, state, call);
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
async function sendAgain<Result>(
  memory: PagedMemory,
  send: () => Promise<Result>,
  toError: (error: unknown) => MemoryError,
  call: CallContext,
): Promise<Result | null> {
  let tooLargeAlone = 0;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      if (!isTooLarge(error) || memory.history === null) throw toError(error);
      tooLargeAlone = await makeRoomInHead(memory, error, tooLargeAlone, call);
    }
    await pause(attempt);
  }
  throw lostRace();
}

async function sendChange(
  memory: PagedMemory,
  parts: ChangeParts,
  options: PageWriteOptions,
  call: CallContext,
): Promise<MadeChange | null> {
  const { collection, history } = memory;
  const { target, upsert } = options;
  const created = upsert ? { created: createdFields(memory) } : {};
  const { pipeline, receiptId } = createPageCommand(memory, parts, { ...options, ...created }, call);
  if (receiptId === null) {
    // An update without an answer is cheaper: the server would keep a copy of a large document to repeat the answer.
    const result = await collection.updateOne(target.filter, pipeline, call, { upsert });
    return result.modifiedCount + result.upsertedCount > 0 ? { counts: [0, 0] } : null;
  }
  const records = history !== null && target.isHead;
  const changed = await collection.findOneAndUpdate<ReceiptDocument>(target.filter, pipeline, call, {
    upsert,
    returnDocument: "after",
    projection: { _id: 0, lastChange: 1, ...createAnswer(parts, target, call), ...(records && outboxState) },
  });
  if (changed === null) return null;
  const { lastChange, createdAt } = changed;
  if (lastChange?.id !== receiptId) return changed.isNothing === true ? { counts: [0, 0] } : null;
  if (records) await keepOutboxSmall(memory, readOutboxState(changed), call);
  return { counts: lastChange.counts, ...(createdAt && { createdAt }) };
}

/** @throws StaleWrite if one of the writes would change nothing */
async function sendWrites(
  memory: PagedMemory,
  writes: readonly PageWrite[],
  times: WriteTimes,
  session: ClientSession,
  call: CallContext,
): Promise<void> {
  if (writes.length === 0) return;
  const operations = writes.map((write): ExactWrite<MemoryDocument> => {
    if ("deleted" in write) {
      const { _id, revision } = write.deleted;
      return { deleteOne: { filter: { _id, revision: revision ?? 0 } } };
    }
    const { target, parts, upsert = false } = write;
    const { pipeline } = createPageCommand(memory, parts, { ...times, target }, call);
    return { updateOne: { filter: target.filter, update: pipeline, upsert } };
  });
  const result = await memory.collection.bulkWrite(operations, call, { session });
  if (result.modifiedCount + result.upsertedCount + result.deletedCount !== writes.length) throw new StaleWrite();
}

async function sendHead(
  memory: PagedMemory,
  { target, parts }: HeadWrite,
  times: WriteTimes,
  session: ClientSession,
  call: CallContext,
): Promise<OutboxState | null> {
  const { collection, history } = memory;
  const { pipeline, receiptId } = createPageCommand(memory, { ...parts, counts: [0, 0] }, { ...times, target }, call);
  const projection = { _id: 0, lastChange: 1, ...(history && outboxState) };
  const head = await collection.findOneAndUpdate<ReceiptDocument>(target.filter, pipeline, call, {
    returnDocument: "after",
    projection,
    session,
  });
  if (head?.lastChange?.id !== receiptId) throw new StaleWrite();
  return history === null ? null : readOutboxState(head ?? {});
}

function createPageCommand(
  { history, limits }: PagedMemory,
  parts: ChangeParts,
  { target, ...settings }: Omit<PageWriteOptions, "upsert"> & Pick<ChangeSettings, "created">,
  call: CallContext,
): PipelineCommand {
  const recording = history && target.isHead ? { call, at: settings.at, begins: history.begins } : null;
  const maxMemoryBytes = Math.min(limits.maxMemoryBytes, memoryBytesCeiling);
  return createCommand(parts, {
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
    await memory.ready();
    const filter = { ...lookUpPresent(memory), applied: { $exists: true } };
    await memory.collection.updateOne(filter, pipeline, call);
  } catch (error) {
    throw storageError(error, "write", memory.limits.maxMemoryBytes);
  }
}

/** Aborts a transaction because a page has changed since it was read. */
class StaleWrite extends Error {}

/** The result of the projection after a change. */
interface ReceiptDocument extends Partial<OutboxState>, Pick<MadeChange, "createdAt"> {
  lastChange?: LastChange;
  isNothing?: boolean;
}

/**
 * Creates the answer of a change. Only the expected page can report that there was nothing to do, unless the change was
 * made before.
 */
function createAnswer(
  { answer }: ChangeParts,
  page: PageTarget,
  { changeId }: Pick<CallContext, "changeId">,
): ChangeParts["answer"] {
  if (answer === undefined || !("isNothing" in answer)) return answer;
  const unless = [...page.unless, ...(changeId === null ? [] : [isMade(changeId)])];
  return { isNothing: { $and: [answer.isNothing, { $not: [{ $or: unless }] }] } };
}

function readOutboxState(head: Partial<OutboxState>): OutboxState {
  const { recorded = 0, lastBytes = null, lastFiles = 0, versionsExpireAt } = head;
  return { recorded, lastBytes, lastFiles, ...(versionsExpireAt && { versionsExpireAt }) };
}
