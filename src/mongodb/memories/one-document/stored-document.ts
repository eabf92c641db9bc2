import type { FindOneAndUpdateOptions, FindOptions } from "mongodb";
import type { CheckedAddress } from "../../../core/address.js";
import type { BackendLimits } from "../../../core/backend.js";
import type { KeyedMutex } from "../../../core/keyed-mutex.js";
import { lostRace, maxAttempts, pause } from "../../../core/lost-race.js";
import type { OngoingCall } from "../../../core/ongoing-call.js";
import { MemoryTree } from "../../../core/tree.js";
import { type Answer, type Change, changeReport, type Status } from "./change.js";
import { flatFields, lookUp, type MemoryDocument, snapshotOfDocument } from "./document.js";
import { isDuplicateKey, storageError } from "../../driver/errors.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import type { RecordCollection } from "../../proposals/record-collection.js";
import type { MemoryExpiry } from "../memory-expiry.js";
import { type Expression, where } from "./expressions.js";

/** What all memories of one collection share. */
export interface DocumentContext {
  collection: ExactCollection<MemoryDocument>;
  /** Connects, and makes the unique indexes if this process has not yet; without them two first writes could make two documents. */
  ready: () => Promise<void> | undefined;
  /** Queues the edits of one file inside this process, so that they do not race each other. */
  edits: KeyedMutex;
  clock: () => Date;
  /** The times of files, where they are not those of `clock`. */
  fileClock?: () => Date;
  expiry: MemoryExpiry;
  /** The changes that wait for a person. */
  records: RecordCollection;
}

/** Finds the document of an address that has not expired. Without a lifetime it is the plain look-up: see `lookUp`. */
export function presentLookUp({ expiry }: DocumentContext, address: CheckedAddress): object {
  return { ...lookUp(address), ...notExpired(expiry.deadline(address.scope)) };
}

/** Also true for documents of the earlier system without times, which never expire until they are changed. */
export function notExpired(deadline: Date | null): { updatedAt?: object } {
  return deadline === null ? {} : { updatedAt: { $not: { $lte: deadline } } };
}

/** The same, for the commands of one call. */
export function contextFor(call: OngoingCall, context: DocumentContext): DocumentContext {
  return { ...context, collection: context.collection.forCall(call), records: context.records.forCall(call) };
}

export interface Outcome<Report> {
  /** Null where there was no document. */
  report: (Report & { status: Status }) | null;
  /** The time that the change has written. */
  now: Date;
}

/** Values as JavaScript's own, whatever the client's defaults are. */
export const asPlainValues = { promoteValues: true, promoteLongs: true, useBigInt64: false, raw: false } as const;

/** The commands that reach the document of one memory. */
export class StoredDocument {
  readonly #context: DocumentContext;
  readonly #address: CheckedAddress;
  readonly #maxMemoryBytes: number;

  constructor(context: DocumentContext, address: CheckedAddress, { maxMemoryBytes }: Pick<BackendLimits, "maxMemoryBytes">) {
    this.#context = context;
    this.#address = address;
    this.#maxMemoryBytes = maxMemoryBytes;
  }

  /** What the projection answers. It holds the revision; of a document without one, a second command reads the whole tree. */
  async find<Found extends object>(projection: object): Promise<Found | MemoryTree | null> {
    const found = await this.#findRaw<Found & { revision?: number }>(projection);
    return found === null || found.revision !== undefined ? found : new MemoryTree(snapshotOfDocument(await this.findWhole()));
  }

  findWhole(): Promise<MemoryDocument | null> {
    return this.#findRaw<MemoryDocument>({});
  }

  /** Bytes of BSON; null where there is no document. */
  async findSize(): Promise<number | null> {
    const found = await this.#findRaw<{ sizeBytes: number }>({ _id: 0, sizeBytes: { $bsonSize: "$$ROOT" } });
    return found?.sizeBytes ?? null;
  }

  /**
   * One findOneAndUpdate; a second one only after a legacy document was rewritten or a racing insert came first.
   * @param marked makes the change only where the document is as it was read and lacks the mark, and leaves the mark; else "raced"
   */
  async change<Report extends object>(
    build: (now: Date) => Change,
    upsert: boolean,
    marked?: MarkedChange,
  ): Promise<Outcome<Report>> {
    const { clock, fileClock } = this.#context;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const now = (fileClock ?? clock)();
      const change = build(now);
      try {
        const { projection } = change;
        const pipeline = fileClock === undefined ? change.pipeline : [...change.pipeline, changedAt(clock(), now)];
        const all = marked === undefined ? pipeline : [...pipeline, markedStage(marked)];
        const answer = await this.#update<Answer<Report>>(all, { projection, upsert }, marked && markedFilter(marked));
        if (answer === null && marked !== undefined && !upsert) return raced(now);
        const report = answer && changeReport(answer, change);
        if (report?.status !== "legacy") return { report, now };
        await this.#rewriteLegacy();
      } catch (error) {
        if (!isDuplicateKey(error)) throw storageError(error, "write", this.#maxMemoryBytes);
        await this.#deleteExpired();
        if (marked !== undefined) return raced(now);
      }
      await pause(attempt);
    }
    throw lostRace();
  }

  /** A document that has expired and that nobody has swept is in the way of a new one. */
  async #deleteExpired(): Promise<void> {
    const deadline = this.#context.expiry.deadline(this.#address.scope);
    if (deadline === null) return;
    try {
      await this.#context.collection.deleteOne({ ...lookUp(this.#address), updatedAt: { $lte: deadline } }, {});
    } catch (error) {
      throw storageError(error, "write", this.#maxMemoryBytes);
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
        throw storageError(error, "write", this.#maxMemoryBytes);
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
      throw storageError(error, "write", this.#maxMemoryBytes);
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
      throw storageError(error, "read", this.#maxMemoryBytes);
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
