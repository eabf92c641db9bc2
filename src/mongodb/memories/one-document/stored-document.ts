import type { FindOneAndUpdateOptions, ObjectId } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { BackendLimits } from "../../../core/contract/backend.js";
import { MemoryError } from "../../../core/values/errors.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import { type Answer, type Change, changeReport, type Circumstances, type Status } from "./change.js";
import { asRecord, flatFields, lookUp, type MemoryDocument, snapshotOfDocument } from "./document.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { notHere } from "../moved-memory.js";
import { type DocumentContext, knownIdOf, presentLookUp, versionsInCall } from "./document-context.js";
import { DocumentReads } from "./document-reads.js";
import type { KnownDocument } from "./known-documents.js";
import { isDuplicateKey, isTooLarge, storageError } from "../../driver/errors.js";
import { type Expression, where } from "../expressions.js";
import { dueFlush, type OutboxReport } from "./outbox-expressions.js";
import { moveVersions } from "./outbox-source.js";
import type { LastChange } from "./stored-change.js";

export interface Outcome<Report> {
  /** Null where there was no document. */
  report: (Report & { status: Status }) | null;
  /** The time that the change has written. */
  now: Date;
}

const overtaken: { status: Status } = { status: "overtaken" };

/** How often a change may be too large for a document that holds no other change. */
const maxTooLargeAlone = 5;

/** The commands that reach the document of one memory. Its own are those that change it. */
export class StoredDocument {
  readonly #context: DocumentContext;
  readonly #address: CheckedAddress;
  readonly #limits: BackendLimits;
  readonly #known: KnownDocument;
  readonly reads: DocumentReads;

  constructor(context: DocumentContext, address: CheckedAddress, limits: BackendLimits, known: KnownDocument) {
    this.#context = context;
    this.#address = address;
    this.#limits = limits;
    this.#known = known;
    this.reads = new DocumentReads(context, address, limits, known);
  }

  /**
   * One command, and one find if it changed nothing. More only where a strict change was refused that is allowed, after
   * a legacy document was rewritten or a racing insert came first, and with history once in a while.
   * @param marked makes the change only where the document is as it was read and lacks the mark, and leaves the mark;
   * else "raced"
   */
  async change<Report extends object>(
    build: (circumstances: Circumstances) => Change,
    upsert: boolean,
    marked?: MarkedChange,
  ): Promise<Outcome<Report>> {
    const { clock, fileClock, history, actor, expiry, isGuest = false } = this.#context;
    const { maxFileBytes, maxMemoryBytes } = this.#limits;
    let tooLargeAlone = 0;
    let isStrict = history === null;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const now = (fileClock ?? clock)();
      try {
        // How long the memory is kept may be known only then.
        await this.#context.ready();
        const knownId =
          marked === undefined && fileClock === undefined
            ? knownIdOf(this.#context, this.#address, this.#known)
            : undefined;
        const recording = history && {
          actor,
          at: fileClock === undefined ? now : clock(),
          begins: history.begins,
          expires: expiry.lifetimeMs(this.#address.scope) !== null,
        };
        const change = build({
          maxFileBytes,
          maxMemoryBytes,
          now,
          recording,
          isOther: knownId && this.#known.isOther,
          isStrict: isStrict && knownId !== undefined,
        });
        const pipeline = fileClock === undefined ? change.pipeline : [...change.pipeline, changedAt(clock(), now)];
        const all = marked === undefined ? pipeline : [...pipeline, markedStage(marked)];
        const filter =
          knownId === undefined
            ? { ...presentLookUp(this.#context, this.#address), ...(marked && markedFilter(marked)) }
            : { _id: knownId };
        const report = await this.#make<Report & OutboxReport>(
          change,
          all,
          filter,
          upsert && !isGuest && knownId === undefined,
        );
        if (knownId !== undefined && (report === null || report.status === "overtaken")) {
          if (report !== null && change.isStrict === true) isStrict = false;
          else this.#known.forgetId();
          continue;
        }
        if (report === null && marked !== undefined && !(upsert && !isGuest)) return raced(now);
        if (report === null && isGuest) throw notHere();
        if (report?.status === "ok" && history !== null) await this.#keepOutboxSmall(report);
        if (report?.status === "legacy") await this.#rewriteLegacy();
        else if (report?.status === "memoryFull" && (report.recorded ?? 0) > 0) await this.#flush();
        else if (report?.status !== "overtaken") return { report, now };
      } catch (error) {
        if (isTooLarge(error) && history !== null) {
          if (await this.#hasRecorded()) await this.flush();
          // Others may have moved what was recorded just before this looked.
          else if ((tooLargeAlone += 1) === maxTooLargeAlone) throw tooMuchAtOnce(error);
        } else if (!isDuplicateKey(error)) throw storageError(error, "write", this.#limits.maxMemoryBytes);
        else await this.deleteExpired();
        if (marked !== undefined && isDuplicateKey(error)) return raced(now);
      }
      await pause(attempt);
    }
    throw lostRace();
  }

  /** Null where there was no document. */
  async #make<Report extends object>(
    change: Change,
    pipeline: object[],
    filter: object,
    upsert: boolean,
  ): Promise<(Report & { status: Status }) | null> {
    const { receipt, silentAnswer = null } = change;
    if (silentAnswer !== null) return this.#makeSilently(change, pipeline, filter);
    if (receipt === null) {
      const answer = await this.#update<Answer<Report>>(filter, pipeline, { projection: change.projection, upsert });
      return answer && changeReport(answer, change);
    }
    const changed = await this.#update<Partial<Report> & { _id: ObjectId; lastChange?: LastChange }>(filter, pipeline, {
      projection: receipt.projection,
      upsert,
      returnDocument: "after",
    });
    if (changed === null) return null;
    const { _id, lastChange } = changed;
    if (lastChange?.id === receipt.id) {
      this.#known.setId(_id);
      return Object.assign(changed, lastChange, { status: "ok" }) as unknown as Report & { status: Status };
    }
    return this.#reasonOf<Report>(change);
  }

  /**
   * Of a large document the server keeps no copy for it, by which it could answer the command again. Also null where
   * there was no document.
   */
  async #makeSilently<Report extends object>(
    change: Change,
    pipeline: object[],
    filter: object,
  ): Promise<(Report & { status: Status }) | null> {
    const { modifiedCount, matchedCount } = await this.#context.collection.updateOne(filter, pipeline, {});
    if (matchedCount === 0) return null;
    if (modifiedCount === 1) return change.silentAnswer as Report & { status: Status };
    if (change.isRemembered !== true) return this.#reasonOf<Report>(change);
    // The memory may have been put back as a whole, and then nothing of it is as it was.
    this.#known.forgetFiles();
    return overtaken as Report & { status: Status };
  }

  /** Why a change was not made. */
  async #reasonOf<Report extends object>(change: Change): Promise<Report & { status: Status }> {
    const found = await this.reads.findRaw<Answer<Report>>(change.projection);
    const report = found && changeReport(found, change);
    return report === null || report.status === "ok" ? (overtaken as Report & { status: Status }) : report;
  }

  /** The change has been made, whatever becomes of this: the next one to fill the outbox tries again. */
  async #keepOutboxSmall(report: OutboxReport): Promise<void> {
    const { clock, expiry, history } = this.#context;
    const until = expiry.versionsExpireAt(this.#address.scope, clock());
    try {
      const due = dueFlush(report);
      const moving = due === "none" ? undefined : this.#flush();
      if (due === "behind") moving?.catch(() => undefined);
      else await moving;
      const { versionsExpireAt } = report;
      if (history === null || until === null || versionsExpireAt === undefined || versionsExpireAt >= until.latest)
        return;
      const { collection } = this.#context;
      const found = await collection.findOne<Pick<MemoryDocument, "_id">>(presentLookUp(this.#context, this.#address), {
        projection: { _id: 1 },
      });
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
    const { history } = this.#context;
    if (history !== null)
      await moveVersions(this.#context, this.#address, versionsInCall(this.#context, history.versions));
  }

  /** Whether the document holds changes that are not in the collection of versions yet. */
  async #hasRecorded(): Promise<boolean> {
    const found = await this.reads.findRaw<{ recorded: boolean }>({
      _id: 0,
      revision: 1,
      recorded: { $gt: ["$outbox", []] },
    });
    return found?.recorded === true;
  }

  /** A document that has expired and that nobody has swept is in the way of a new one. */
  async deleteExpired(): Promise<void> {
    const deadline = this.#context.expiry.deadline(this.#address.scope);
    if (deadline === null) return;
    try {
      const { collection, history } = this.#context;
      const filter = { ...lookUp(this.#address), updatedAt: { $lte: deadline } };
      const expired = await collection.findOneAndDelete<Pick<MemoryDocument, "_id">>(filter, {
        projection: { _id: 1 },
      });
      if (expired !== null && history !== null)
        await versionsInCall(this.#context, history.versions).remove(String(expired._id));
    } catch (error) {
      throw storageError(error, "write", this.#limits.maxMemoryBytes);
    }
  }

  /** Once the context is ready. */
  #update<Report extends object>(
    filter: object,
    pipeline: object[],
    options: FindOneAndUpdateOptions,
  ): Promise<Report | null> {
    return this.#context.collection.findOneAndUpdate<Report>(filter, pipeline, {
      upsert: false,
      ...asPlainValues,
      ...options,
    });
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
    const kept: Expression = {
      $filter: { input: { $objectToArray: "$applied" }, as: "mark", cond: { $not: [{ $in: ["$$mark.k", [...ids]] }] } },
    };
    const pipeline = [{ $set: { applied: where({ $eq: [kept, []] }, "$$REMOVE", { $arrayToObject: kept }) } }];
    try {
      await this.#context.ready();
      await this.#update({ ...presentLookUp(this.#context, this.#address), applied: { $exists: true } }, pipeline, {
        projection: { _id: 1 },
      });
    } catch (error) {
      throw storageError(error, "write", this.#limits.maxMemoryBytes);
    }
  }

  /** Unless the content of the document has changed since it was read. */
  async #rewriteLegacy(): Promise<"rewritten" | "raced" | "not legacy"> {
    const document = await this.reads.findWhole();
    if (document === null || document.revision !== undefined) return "not legacy";
    const { data, dirs } = document;
    const unchanged = {
      revision: { $exists: false },
      data: data === undefined ? { $exists: false } : { $eq: asRecord(data) },
      dirs: dirs === undefined ? { $exists: false } : { $eq: asRecord(dirs) },
    };
    const fields = { ...flatFields(snapshotOfDocument(document)), revision: 0 };
    const pipeline = [{ $replaceWith: { $mergeObjects: ["$$ROOT", { $literal: fields }] } }];
    const found = await this.#update({ ...presentLookUp(this.#context, this.#address), ...unchanged }, pipeline, {
      projection: { _id: 1 },
    });
    return found === null ? "raced" : "rewritten";
  }
}

/** A change that is made once, and only if nobody has changed the document since it was read. */
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

/**
 * A file that is written with an earlier time, as by an import, changes its memory now all the same; else it could
 * expire at once.
 */
function changedAt(now: Date, fileTime: Date): Record<string, Expression> {
  return { $set: { updatedAt: where({ $eq: ["$updatedAt", fileTime] }, now, "$updatedAt") } };
}

function tooMuchAtOnce(cause: unknown): MemoryError {
  const message =
    "ENOSPC: the memory and the texts that the change replaces, which its history keeps, are larger together than MongoDB takes a document; change less at once";
  return new MemoryError("ENOSPC", message, { cause });
}
