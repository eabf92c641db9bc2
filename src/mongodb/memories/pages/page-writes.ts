import type { ClientSession } from "mongodb";
import type { BackendLimits } from "../../../core/contract/backend.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { memoryBytesCeiling } from "../../../core/memory-options.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { MemoryError } from "../../../core/values/errors.js";
import { isDuplicateKey, isTooLarge, storageError } from "../../driver/errors.js";
import type { ExactWrite } from "../../driver/exact-collection.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { inTransaction } from "../../driver/transactions.js";
import { type Expression, where } from "../expressions.js";
import { transactionError } from "../transaction-errors.js";
import { type ChangeParts, createCommand, type PipelineCommand } from "./change-pipeline.js";
import { bytesWithoutOutbox, type OutboxState, outboxState } from "./outbox/outbox.js";
import { OutboxUpkeep } from "./outbox/outbox-upkeep.js";
import type { LastChange, MemoryDocument } from "./page-document.js";
import { type PageTarget, targetHeadAlone } from "./page-target.js";
import { lookUpPresent, type PagesContext } from "./pages-context.js";
import { removeExpired } from "./removal.js";

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
  splitBytes: number | null;
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

/** The commands that change the pages of one memory. */
export class PageWrites {
  readonly #context: PagesContext;
  readonly #address: CheckedAddress;
  readonly #limits: BackendLimits;
  readonly #outbox: OutboxUpkeep;

  constructor(context: PagesContext, address: CheckedAddress, limits: BackendLimits) {
    this.#context = context;
    this.#address = address;
    this.#limits = limits;
    this.#outbox = new OutboxUpkeep(context, address);
  }

  /**
   * Changes one page with one command; with history, one more command now and then. Sends the command again if the
   * server reports that it did not run: because a concurrent insert came first, an expired document is in the way, or
   * the outbox leaves no room.
   * @returns null if nothing was changed. "missing": there is no such page
   */
  async make(parts: ChangeParts, options: PageWriteOptions, call: CallContext): Promise<MadeChange | "missing" | null> {
    let tooLargeAlone = 0;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      try {
        return await this.#send(parts, options, call);
      } catch (error) {
        if (isDuplicateKey(error)) await this.deleteExpired(call);
        else if (isTooLarge(error) && this.#context.history !== null)
          tooLargeAlone = await this.#outbox.makeRoom(error, tooLargeAlone, call);
        else throw this.toWriteError(error);
      }
      await pause(attempt);
    }
    throw lostRace();
  }

  /**
   * Makes all writes in one step, or none.
   * @param head the change of the head
   * @returns whether they were made
   */
  async commit(
    writes: readonly PageWrite[],
    head: { target: PageTarget; parts: ChangeParts },
    times: WriteTimes,
    call: CallContext,
  ): Promise<boolean> {
    let tooLargeAlone = 0;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      try {
        const state = await this.#transact(writes, head, times, call);
        if (state !== null) await this.#outbox.keepSmall(state, call);
        return true;
      } catch (error) {
        if (error instanceof StaleWrite) return false;
        if (!isTooLarge(error) || this.#context.history === null)
          throw MemoryError.isInstance(error) ? error : transactionError(error);
        tooLargeAlone = await this.#outbox.makeRoom(error, tooLargeAlone, call);
      }
      await pause(attempt);
    }
    throw lostRace();
  }

  #transact(
    writes: readonly PageWrite[],
    head: { target: PageTarget; parts: ChangeParts },
    times: WriteTimes,
    call: CallContext,
  ): Promise<OutboxState | null> {
    const { client, writeConcern } = this.#context;
    return inTransaction({ client, writeConcern }, call, async (session) => {
      // All such transactions write the head, so one that comes second ends here.
      const state = await this.#sendHead(head, times, session, call);
      await this.#sendAll(writes, times, session, call);
      return state;
    });
  }

  /** @throws StaleWrite if one of the writes would change nothing */
  async #sendAll(
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
      const { pipeline } = this.#createCommand(parts, { ...times, target, splitBytes: null }, call);
      return { updateOne: { filter: target.filter, update: pipeline, upsert } };
    });
    const result = await this.#context.collection.bulkWrite(operations, { session }, call);
    if (result.modifiedCount + result.upsertedCount + result.deletedCount !== writes.length) throw new StaleWrite();
  }

  async #sendHead(
    { target, parts }: { target: PageTarget; parts: ChangeParts },
    times: WriteTimes,
    session: ClientSession,
    call: CallContext,
  ): Promise<OutboxState | null> {
    const { collection, history } = this.#context;
    const command = this.#createCommand({ ...parts, counts: [0, 0] }, { ...times, target, splitBytes: null }, call);
    const projection = { _id: 0, lastChange: 1, ...(history && outboxState) };
    const options = { returnDocument: "after", projection, session, ...asPlainValues } as const;
    const head = await collection.findOneAndUpdate<ReceiptDocument>(target.filter, command.pipeline, options, call);
    if (head?.lastChange?.id !== command.receiptId) throw new StaleWrite();
    return history === null ? null : readOutboxState(head ?? {});
  }

  /**
   * Computes the size in bytes of the head after a change, without the outbox. Changes nothing.
   * @returns null if the document is larger than the server can measure
   */
  async measure(parts: ChangeParts, times: WriteTimes, call: CallContext): Promise<number | null> {
    const { maxMemoryBytes } = this.#limits;
    // With a history each change leaves a receipt.
    const counts = this.#context.history === null ? null : [0, 0];
    const measured = { ...parts, counts, growth: 0 };
    const target = targetHeadAlone(this.#context, this.#address);
    const form = { ...target.form, splitBytes: null };
    const { pipeline } = createCommand(measured, { ...times, recording: null, maxMemoryBytes, page: form });
    const match = { $match: lookUpPresent(this.#context, this.#address) };
    const project = { $project: { _id: 0, sizeBytes: bytesWithoutOutbox("$$ROOT") } };
    try {
      const found = this.#context.collection.aggregate<{ sizeBytes: number }>([match, ...pipeline, project], {}, call);
      const [first] = await found.toArray();
      return first?.sizeBytes ?? 0;
    } catch (error) {
      if (isTooLarge(error)) return null;
      throw storageError(error, "read", maxMemoryBytes);
    }
  }

  #createCommand(
    parts: ChangeParts,
    { at, createdAt, target, splitBytes }: Omit<PageWriteOptions, "upsert">,
    call: CallContext,
  ): PipelineCommand {
    const { history } = this.#context;
    const recording = history && target.isHead ? { actor: call.actor, at, begins: history.begins } : null;
    const maxMemoryBytes = Math.min(this.#limits.maxMemoryBytes, memoryBytesCeiling);
    return createCommand(parts, { at, createdAt, recording, maxMemoryBytes, page: { ...target.form, splitBytes } });
  }

  async #send(
    parts: ChangeParts,
    options: PageWriteOptions,
    call: CallContext,
  ): Promise<MadeChange | "missing" | null> {
    const { collection, history } = this.#context;
    const { pipeline, receiptId } = this.#createCommand(parts, options, call);
    const { target, upsert } = options;
    if (receiptId === null) {
      // An update without an answer is cheaper: the server would keep a copy of a large document to repeat the answer.
      const result = await collection.updateOne(target.filter, pipeline, { upsert }, call);
      if (result.modifiedCount + result.upsertedCount > 0) return { counts: [0, 0] };
      return result.matchedCount === 0 ? "missing" : null;
    }
    const records = history !== null && target.isHead;
    const changed = await collection.findOneAndUpdate<ReceiptDocument>(
      target.filter,
      pipeline,
      {
        upsert,
        returnDocument: "after",
        projection: { _id: 0, lastChange: 1, ...createAnswer(parts, target), ...(records && outboxState) },
        ...asPlainValues,
      },
      call,
    );
    if (changed === null) return "missing";
    const { lastChange, createdAt } = changed;
    if (lastChange?.id !== receiptId) return changed.isNothing === true ? { counts: [0, 0] } : null;
    if (records) await this.#outbox.keepSmall(readOutboxState(changed), call);
    return { counts: lastChange.counts, ...(createdAt && { createdAt }) };
  }

  /** Removes ids of approved changes from the head. Nothing else changes. */
  async removeAppliedIds(ids: readonly string[], call: CallContext): Promise<void> {
    const kept: Expression = {
      $filter: { input: { $objectToArray: "$applied" }, as: "mark", cond: { $not: [{ $in: ["$$mark.k", [...ids]] }] } },
    };
    const pipeline = [{ $set: { applied: where({ $eq: [kept, []] }, "$$REMOVE", { $arrayToObject: kept }) } }];
    try {
      await this.#context.ready();
      const filter = { ...lookUpPresent(this.#context, this.#address), applied: { $exists: true } };
      await this.#context.collection.updateOne(filter, pipeline, {}, call);
    } catch (error) {
      throw this.toWriteError(error);
    }
  }

  /** Removes an expired memory that is not removed yet. Its head would prevent a new one. */
  async deleteExpired(call: CallContext): Promise<void> {
    try {
      await removeExpired(this.#context, this.#address, call);
    } catch (error) {
      throw this.toWriteError(error);
    }
  }

  toWriteError(error: unknown): MemoryError {
    return storageError(error, "write", this.#limits.maxMemoryBytes);
  }
}

/** Ends a transaction in which a page is not as it was read. */
class StaleWrite extends Error {}

/** The result of the projection after a change. */
interface ReceiptDocument extends Partial<OutboxState>, Pick<MadeChange, "createdAt"> {
  lastChange?: LastChange;
  isNothing?: boolean;
}

/** Only the page that was expected can say that there was nothing to do. */
function createAnswer({ answer }: ChangeParts, { form }: PageTarget): ChangeParts["answer"] {
  if (answer === undefined || !("isNothing" in answer)) return answer;
  return { isNothing: { $and: [answer.isNothing, { $not: [{ $or: form.unless }] }] } };
}

function readOutboxState({ recorded = 0, lastBytes = null, versionsExpireAt }: Partial<OutboxState>): OutboxState {
  return { recorded, lastBytes, ...(versionsExpireAt && { versionsExpireAt }) };
}
