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

/** What all memories of one collection share. */
export interface DocumentContext {
  collection: ExactCollection<MemoryDocument>;
  /** Connects, and makes the unique indexes if this process has not yet; without them two first writes could make two documents. */
  ready: () => Promise<void> | undefined;
  /** Queues the edits of one file inside this process, so that they do not race each other. */
  edits: KeyedMutex;
  clock: () => Date;
}

/** The same, for the commands of one call. */
export function contextFor(call: OngoingCall, context: DocumentContext): DocumentContext {
  return { ...context, collection: context.collection.forCall(call) };
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

  /** One findOneAndUpdate; a second one only after a legacy document was rewritten or a racing insert came first. */
  async change<Report extends object>(
    build: (now: Date) => Change,
    upsert: boolean,
  ): Promise<Outcome<Report>> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const now = this.#context.clock();
      const change = build(now);
      try {
        const { pipeline, projection } = change;
        const answer = await this.#update<Answer<Report>>(pipeline, { projection, upsert });
        const report = answer && changeReport(answer, change);
        if (report?.status !== "legacy") return { report, now };
        await this.#rewriteLegacy();
      } catch (error) {
        if (!isDuplicateKey(error)) throw storageError(error, "write", this.#maxMemoryBytes);
      }
      await pause(attempt);
    }
    throw lostRace();
  }

  async #update<Report extends object>(
    pipeline: object[],
    options: FindOneAndUpdateOptions,
    extraFilter: object = {},
  ): Promise<Report | null> {
    await this.#context.ready();
    const filter = { ...lookUp(this.#address), ...extraFilter };
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
      return await this.#context.collection.findOne<Found>(lookUp(this.#address), options);
    } catch (error) {
      throw storageError(error, "read", this.#maxMemoryBytes);
    }
  }
}
