import type { FindOneAndUpdateOptions, FindOptions } from "mongodb";
import type { CheckedAddress } from "../../../core/address.js";
import type { BackendLimits } from "../../../core/backend.js";
import { lostRace, maxAttempts, pause } from "../../../core/lost-race.js";
import { MemoryTree } from "../../../core/tree.js";
import { flush } from "../../history/flush.js";
import { type Answer, type Change, changeReport, type Circumstances, type Status } from "./change.js";
import { flatFields, lookUp, type MemoryDocument, snapshotOfDocument } from "./document.js";
import { asPlainValues, type DocumentContext, presentLookUp, versionsInCall } from "./document-context.js";
import { isDuplicateKey, isTooLarge, storageError } from "../../driver/errors.js";
import { type Expression, where } from "./expressions.js";
import { bytesWithoutOutbox, fillsOutbox, type OutboxReport } from "./outbox-expressions.js";
import { OutboxSource } from "./outbox-source.js";

export interface Outcome<Report> {
  /** Null where there was no document. */
  report: (Report & { status: Status }) | null;
  /** The time that the change has written. */
  now: Date;
}

/** The commands that reach the document of one memory. */
export class StoredDocument {
  readonly #context: DocumentContext;
  readonly #address: CheckedAddress;
  readonly #limits: BackendLimits;

  constructor(context: DocumentContext, address: CheckedAddress, limits: BackendLimits) {
    this.#context = context;
    this.#address = address;
    this.#limits = limits;
  }

  /** What the projection answers. It holds the revision; of a document without one, a second command reads the whole tree. */
  async find<Found extends object>(projection: object): Promise<Found | MemoryTree | null> {
    const found = await this.#findRaw<Found & { revision?: number }>(projection);
    return found === null || found.revision !== undefined ? found : new MemoryTree(snapshotOfDocument(await this.findWhole()));
  }

  findWhole(): Promise<MemoryDocument | null> {
    // To leave a field out takes the server some time, so not where there is hardly ever one.
    return this.#findRaw<MemoryDocument>(this.#context.history === null ? {} : { outbox: 0 });
  }

  /** Bytes of BSON, without what the history has in it; null where there is no document. */
  async findSize(): Promise<number | null> {
    const found = await this.#findRaw<{ sizeBytes: number }>({ _id: 0, sizeBytes: bytesWithoutOutbox });
    return found?.sizeBytes ?? null;
  }

  /**
   * One findOneAndUpdate; a second one only after a legacy document was rewritten or a racing insert came first. With history some
   * more, once in a while.
   * @param marked makes the change only where the document is as it was read and lacks the mark, and leaves the mark; else "raced"
   */
  async change<Report extends object>(
    build: (circumstances: Circumstances) => Change,
    upsert: boolean,
    marked?: MarkedChange,
  ): Promise<Outcome<Report>> {
    const { clock, fileClock, history, actor, expiry } = this.#context;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const now = (fileClock ?? clock)();
      const recording = history && { actor, at: fileClock === undefined ? now : clock(), begins: history.begins, expires: expiry.deadline(this.#address.scope) !== null };
      const change = build({ ...this.#limits, now, recording });
      try {
        const { projection } = change;
        const pipeline = fileClock === undefined ? change.pipeline : [...change.pipeline, changedAt(clock(), now)];
        const all = marked === undefined ? pipeline : [...pipeline, markedStage(marked)];
        const answer = await this.#update<Answer<Report & OutboxReport>>(all, { projection, upsert }, marked && markedFilter(marked));
        if (answer === null && marked !== undefined && !upsert) return raced(now);
        const report = answer && changeReport(answer, change);
        if (report?.status === "ok" && history !== null) await this.#keepOutboxSmall(report);
        if (report?.status === "legacy") await this.#rewriteLegacy();
        else if (report?.status === "memoryFull" && attempt === 0 && (report.recorded?.count ?? 0) > 0) await this.#flush();
        else return { report, now };
      } catch (error) {
        if (isTooLarge(error) && history !== null && attempt === 0) await this.#flush();
        else if (!isDuplicateKey(error)) throw storageError(error, "write", this.#limits.maxMemoryBytes);
        else await this.#deleteExpired();
        if (marked !== undefined && isDuplicateKey(error)) return raced(now);
      }
      await pause(attempt);
    }
    throw lostRace();
  }

  /** The change has been made, whatever becomes of this: the next one to fill the outbox tries again. */
  async #keepOutboxSmall(report: OutboxReport): Promise<void> {
    const { clock, expiry, history } = this.#context;
    const until = expiry.versionsExpireAt(this.#address.scope, clock());
    try {
      if (fillsOutbox(report)) await this.#flush();
      const { versionsExpireAt } = report.recorded ?? {};
      if (history === null || until === null || versionsExpireAt === undefined || versionsExpireAt >= until.latest) return;
      const { collection } = this.#context;
      const found = await collection.findOne<Pick<MemoryDocument, "_id">>(presentLookUp(this.#context, this.#address), { projection: { _id: 1 } });
      if (found === null) return;
      await versionsInCall(this.#context, history.versions).prolong(String(found._id), until.expiresAt);
      await collection.updateOne({ _id: found._id }, { $set: { versionsExpireAt: until.expiresAt } }, {});
    } catch {
      // Nothing is lost: what is recorded stays in the document.
    }
  }

  /** Moves what is recorded into the collection of versions. @throws MemoryError EIO */
  async flush(): Promise<void> {
    try {
      await this.#flush();
    } catch (error) {
      throw storageError(error, "read", null);
    }
  }

  async #flush(): Promise<void> {
    const { history, expiry, clock } = this.#context;
    if (history === null) return;
    const expiresAt = expiry.versionsExpireAt(this.#address.scope, clock())?.expiresAt ?? null;
    await flush(new OutboxSource(this.#context, this.#address), versionsInCall(this.#context, history.versions), expiresAt);
  }

  /** A document that has expired and that nobody has swept is in the way of a new one. */
  async #deleteExpired(): Promise<void> {
    const deadline = this.#context.expiry.deadline(this.#address.scope);
    if (deadline === null) return;
    try {
      const { collection, history } = this.#context;
      const filter = { ...lookUp(this.#address), updatedAt: { $lte: deadline } };
      const expired = await collection.findOneAndDelete<Pick<MemoryDocument, "_id">>(filter, { projection: { _id: 1 } });
      if (expired !== null && history !== null) await versionsInCall(this.#context, history.versions).remove(String(expired._id));
    } catch (error) {
      throw storageError(error, "write", this.#limits.maxMemoryBytes);
    }
  }

  async #update<Report extends object>(
    pipeline: object[],
    options: FindOneAndUpdateOptions,
    extraFilter: object = {},
  ): Promise<Report | null> {
    await this.#context.ready();
    const filter = { ...presentLookUp(this.#context, this.#address), ...extraFilter };
    return this.#context.collection.findOneAndUpdate<Report>(filter, pipeline, { ...asPlainValues, ...options });
  }

  /**
   * Rewrites a document of the earlier system flat, as the first change of it would do. Nothing else of it changes.
   * @returns whether it was one. @throws ECONFLICT, ENOSPC
   */
  async rewriteEarlierFormat(): Promise<boolean> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      try {
        const outcome = await this.#rewriteLegacy();
        if (outcome !== "raced") return outcome === "rewritten";
      } catch (error) {
        throw storageError(error, "write", this.#limits.maxMemoryBytes);
      }
      await pause(attempt);
    }
    throw lostRace();
  }

  /** Takes marks away. Nothing else of the document changes. */
  async unmark(ids: readonly string[]): Promise<void> {
    const kept: Expression = { $filter: { input: { $objectToArray: "$applied" }, as: "mark", cond: { $not: [{ $in: ["$$mark.k", [...ids]] }] } } };
    const pipeline = [{ $set: { applied: where({ $eq: [kept, []] }, "$$REMOVE", { $arrayToObject: kept }) } }];
    try {
      await this.#update(pipeline, { projection: { _id: 1 } }, { applied: { $exists: true } });
    } catch (error) {
      throw storageError(error, "write", this.#limits.maxMemoryBytes);
    }
  }

  /** Unless the content of the document has changed since it was read. */
  async #rewriteLegacy(): Promise<"rewritten" | "raced" | "not legacy"> {
    const document = await this.findWhole();
    if (document === null || document.revision !== undefined) return "not legacy";
    const { data, dirs } = document;
    const unchanged = {
      revision: { $exists: false },
      data: data === undefined ? { $exists: false } : { $eq: data },
      dirs: dirs === undefined ? { $exists: false } : { $eq: dirs },
    };
    const fields = { ...flatFields(snapshotOfDocument(document)), revision: 0 };
    const pipeline = [{ $replaceWith: { $mergeObjects: ["$$ROOT", { $literal: fields }] } }];
    const found = await this.#update(pipeline, { projection: { _id: 1 } }, unchanged);
    return found === null ? "raced" : "rewritten";
  }

  async #findRaw<Found extends object>(projection: FindOptions["projection"]): Promise<Found | null> {
    try {
      await this.#context.ready();
      const options = { ...asPlainValues, projection: projection ?? {} };
      return await this.#context.collection.findOne<Found>(presentLookUp(this.#context, this.#address), options);
    } catch (error) {
      throw storageError(error, "read", this.#limits.maxMemoryBytes);
    }
  }
}

/** A change that is made once, of a document as it was read. */
export interface MarkedChange {
  /** The mark. */
  id: string;
  /** Null where there was no document. */
  found: Pick<MemoryDocument, "_id" | "revision"> | null;
}

function markedFilter({ id, found }: MarkedChange): object {
  // An inserted document takes the revision from here.
  return { revision: found?.revision ?? 0, [`applied.${id}`]: { $exists: false }, ...(found && { _id: found._id }) };
}

/** The revision tells whether the stages before have made the change. */
function markedStage({ id, found }: MarkedChange): Record<string, Expression> {
  const isMade: Expression = { $ne: ["$revision", found?.revision ?? 0] };
  return { $set: { applied: where(isMade, { $mergeObjects: ["$applied", { [id]: true }] }, "$applied") } };
}

function raced<Report>(now: Date): Outcome<Report> {
  return { report: { status: "raced" } as Report & { status: Status }, now };
}

/** A file that is written with an earlier time, as by an import, changes its memory now all the same; else it could expire at once. */
function changedAt(now: Date, fileTime: Date): Record<string, Expression> {
  return { $set: { updatedAt: where({ $eq: ["$updatedAt", fileTime] }, now, "$updatedAt") } };
}
