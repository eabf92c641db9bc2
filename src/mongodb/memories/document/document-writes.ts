import type { CallContext } from "../../../core/runtime/call.js";
import { maxAttempts, lostRace, pause } from "../../../core/runtime/lost-race.js";
import type { BackendLimits } from "../../../core/contract/backend.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { MemoryError } from "../../../core/values/errors.js";
import { isDuplicateKey, isTooLarge, storageError } from "../../driver/errors.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { type Expression, literal, where } from "../expressions.js";
import { type PipelineCommand, type ChangeParts, createCommand } from "./change-pipeline.js";
import { flatFields, type LastChange, lookUp, type MemoryDocument, snapshotOfDocument } from "./document.js";
import { type DocumentContext, presentLookUp } from "./document-context.js";
import { DocumentReads } from "./document-reads.js";
import { legacyChangedSince } from "./edit-parts.js";
import { bytesWithoutOutbox, dueFlush, type OutboxState, outboxState } from "./outbox/outbox.js";
import { moveVersions, OutboxSource } from "./outbox/outbox-source.js";

export interface WriteTimes {
  /** The time of the change. */
  at: Date;
  /** The time of creation for a new memory. */
  createdAt: Date;
}

export interface DocumentWriteOptions extends WriteTimes {
  /** Whether to create a missing document. The conditions of the change must then refuse nothing. */
  upsert: boolean;
}

/** The result of a change that was made. */
export interface MadeChange {
  counts: LastChange["counts"];
  /** The creation time of the file, if the change returns it. */
  createdAt?: Date;
}

/** How often a change may be too large for a document without other recorded changes. */
const maxTooLargeAlone = 5;

/** The commands that change the document of one memory. */
export class DocumentWrites {
  readonly #context: DocumentContext;
  readonly #address: CheckedAddress;
  readonly #limits: BackendLimits;

  constructor(context: DocumentContext, address: CheckedAddress, limits: BackendLimits) {
    this.#context = context;
    this.#address = address;
    this.#limits = limits;
  }

  /**
   * Makes a change with one command; with history, one more command now and then. Sends the command again if the server
   * reports that it did not run: because a concurrent insert came first, an expired document is in the way, or the
   * outbox leaves no room.
   * @returns null if nothing was changed. "missing": there is no document
   */
  async make(
    parts: ChangeParts,
    options: DocumentWriteOptions,
    call: CallContext,
  ): Promise<MadeChange | "missing" | null> {
    let tooLargeAlone = 0;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      try {
        // `ready` may read the lifetime of the memory.
        await this.#context.ready();
        return await this.#send(parts, options, call);
      } catch (error) {
        if (isDuplicateKey(error)) await this.deleteExpired(call);
        else if (!isTooLarge(error) || this.#context.history === null) throw this.#toWriteError(error);
        else if (await this.#hasRecorded(call)) await new OutboxSource(this.#context, this.#address).flush(call);
        // Another process may have moved the recorded changes just before this check.
        else if ((tooLargeAlone += 1) === maxTooLargeAlone) throw tooMuchAtOnce(error);
      }
      await pause(attempt);
    }
    throw lostRace();
  }

  /**
   * Computes the size in bytes of the document after a change, without the outbox. Changes nothing.
   * @returns null if the document is larger than the server can measure
   */
  async measure(parts: ChangeParts, { at, createdAt }: WriteTimes, call: CallContext): Promise<number | null> {
    const { maxMemoryBytes } = this.#limits;
    // With a history each change leaves a receipt.
    const counts = this.#context.history === null ? null : [0, 0];
    const measured = { ...parts, counts, growth: 0 };
    const { pipeline } = createCommand(measured, { at, createdAt, recording: null, maxMemoryBytes });
    const match = { $match: presentLookUp(this.#context, this.#address) };
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

  #createCommand(parts: ChangeParts, { at, createdAt }: WriteTimes, call: CallContext): PipelineCommand {
    const { history } = this.#context;
    const recording = history && { actor: call.actor, at, begins: history.begins };
    return createCommand(parts, { at, createdAt, recording, maxMemoryBytes: this.#limits.maxMemoryBytes });
  }

  async #send(
    parts: ChangeParts,
    options: DocumentWriteOptions,
    call: CallContext,
  ): Promise<MadeChange | "missing" | null> {
    const { pipeline, receiptId } = this.#createCommand(parts, options, call);
    const { collection, history } = this.#context;
    const filter = presentLookUp(this.#context, this.#address);
    if (receiptId === null) {
      // An update without an answer is cheaper: the server would keep a copy of a large document to repeat the answer.
      const result = await collection.updateOne(filter, pipeline, { upsert: options.upsert }, call);
      if (result.modifiedCount + result.upsertedCount > 0) return { counts: [0, 0] };
      return result.matchedCount === 0 ? "missing" : null;
    }
    const changed = await collection.findOneAndUpdate<ReceiptDocument>(
      filter,
      pipeline,
      {
        upsert: options.upsert,
        returnDocument: "after",
        projection: { _id: 0, lastChange: 1, ...parts.answer, ...(history && outboxState) },
        ...asPlainValues,
      },
      call,
    );
    if (changed === null) return "missing";
    const { lastChange, createdAt, recorded = 0, lastBytes = null, versionsExpireAt } = changed;
    if (lastChange?.id !== receiptId) return changed.isNothing === true ? { counts: [0, 0] } : null;
    if (history !== null)
      await this.#keepOutboxSmall({ recorded, lastBytes, ...(versionsExpireAt && { versionsExpireAt }) }, call);
    return { counts: lastChange.counts, ...(createdAt && { createdAt }) };
  }

  /**
   * Moves recorded changes if there are many. Errors are ignored because the change is made: a later change tries
   * again.
   */
  async #keepOutboxSmall(state: OutboxState, call: CallContext): Promise<void> {
    try {
      const due = dueFlush(state);
      const moving = due === "none" ? undefined : moveVersions(this.#context, this.#address, call);
      if (due === "behind") moving?.catch(() => undefined);
      else await moving;
      if (state.versionsExpireAt !== undefined) await this.#prolongVersions(state.versionsExpireAt, call);
    } catch {
      // Nothing is lost: recorded changes stay in the document.
    }
  }

  /** Prolongs the versions, which must outlive the memory. */
  async #prolongVersions(versionsExpireAt: Date, call: CallContext): Promise<void> {
    const { clock, expiry, history, versions, collection } = this.#context;
    const until = expiry.versionsExpireAt(this.#address.scope, clock());
    if (history === null || until === null || versionsExpireAt >= until.latest) return;
    const found = await collection.findOne<Pick<MemoryDocument, "_id">>(
      presentLookUp(this.#context, this.#address),
      {
        projection: { _id: 1 },
      },
      call,
    );
    if (found === null) return;
    await versions.prolong(String(found._id), until.expiresAt, call);
    await collection.updateOne({ _id: found._id }, { $set: { versionsExpireAt: until.expiresAt } }, {}, call);
  }

  /** Whether the document contains changes that are not in the collection of versions yet. */
  async #hasRecorded(call: CallContext): Promise<boolean> {
    const projection = { _id: 0, revision: 1, recorded: { $gt: ["$outbox", []] } };
    const found = await new DocumentReads(this.#context, this.#address).find<{ recorded: boolean }>(projection, call);
    return found?.recorded === true;
  }

  /** Deletes an expired document that the server has not deleted yet. Such a document would prevent a new one. */
  async deleteExpired(call: CallContext): Promise<void> {
    const deadline = this.#context.expiry.deadline(this.#address.scope);
    if (deadline === null) return;
    try {
      const { collection, history, versions } = this.#context;
      const filter = { ...lookUp(this.#address), updatedAt: { $lte: deadline } };
      const expired = await collection.findOneAndDelete<Pick<MemoryDocument, "_id">>(
        filter,
        {
          projection: { _id: 1 },
        },
        call,
      );
      if (expired !== null && history !== null) await versions.remove(String(expired._id), call);
    } catch (error) {
      throw this.#toWriteError(error);
    }
  }

  /**
   * Rewrites a document of the earlier system in the flat layout. Its content stays the same.
   * @returns false if the document was changed meanwhile
   */
  async rewriteLegacy(document: MemoryDocument, call: CallContext): Promise<boolean> {
    const fields = literal({ ...flatFields(snapshotOfDocument(document)), revision: 0 });
    const changed: Expression = { $or: legacyChangedSince(document) };
    const pipeline = [{ $replaceWith: where(changed, "$$ROOT", { $mergeObjects: ["$$ROOT", fields] }) }];
    try {
      const filter = presentLookUp(this.#context, this.#address);
      return (await this.#context.collection.updateOne(filter, pipeline, {}, call)).modifiedCount > 0;
    } catch (error) {
      throw this.#toWriteError(error);
    }
  }

  /** Removes ids of approved changes from the document. Nothing else of the document changes. */
  async removeAppliedIds(ids: readonly string[], call: CallContext): Promise<void> {
    const kept: Expression = {
      $filter: { input: { $objectToArray: "$applied" }, as: "mark", cond: { $not: [{ $in: ["$$mark.k", [...ids]] }] } },
    };
    const pipeline = [{ $set: { applied: where({ $eq: [kept, []] }, "$$REMOVE", { $arrayToObject: kept }) } }];
    try {
      await this.#context.ready();
      const filter = { ...presentLookUp(this.#context, this.#address), applied: { $exists: true } };
      await this.#context.collection.updateOne(filter, pipeline, {}, call);
    } catch (error) {
      throw this.#toWriteError(error);
    }
  }

  #toWriteError(error: unknown): MemoryError {
    return storageError(error, "write", this.#limits.maxMemoryBytes);
  }
}

/** The result of the projection after a change. */
interface ReceiptDocument extends Partial<OutboxState>, Pick<MadeChange, "createdAt"> {
  lastChange?: LastChange;
  isNothing?: boolean;
}

function tooMuchAtOnce(cause: unknown): MemoryError {
  const message =
    "ENOSPC: the memory and the texts that the change replaces, which its history keeps, are larger together than " +
    "MongoDB takes a document; change less at once";
  return new MemoryError("ENOSPC", message, { cause });
}
