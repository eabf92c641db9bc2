import type {
  AggregateOptions,
  AggregationCursor,
  AnyBulkWriteOperation,
  BulkWriteOptions,
  BulkWriteResult,
  Collection,
  DeleteOptions,
  Document,
  Filter,
  FindCursor,
  FindOneAndDeleteOptions,
  FindOneAndUpdateOptions,
  FindOptions,
  IndexDescription,
  OptionalUnlessRequiredId,
  UpdateOptions,
  UpdateResult,
} from "mongodb";
import type { CallContext } from "../../core/runtime/call.js";
import { driverSignal } from "./driver-signal.js";
import { isDuplicateKey } from "./errors.js";

/** Without it, a command uses the default collation of the collection, in which `ACME` and `acme` may be equal. */
export const exactCollation = { locale: "simple" } as const;

const exact = { collation: exactCollation };

/*
 * The options of what is called often are put together by `Object.assign`: V8 takes 0.8 µs for each new property that
 * follows a spread at the beginning of an object.
 */

/** A collection that compares texts byte by byte in every command and index, whatever its own collation is. */
export class ExactCollection<Stored extends Document> {
  readonly #collection: Collection<Stored>;
  readonly #limits: CallLimits;

  constructor(collection: Collection<Stored>, limits: CallLimits = {}) {
    this.#collection = collection;
    this.#limits = limits;
  }

  /**
   * The same collection, whose commands end with a call. Commands that make indexes go on, because others wait for them
   * too.
   */
  forCall(call: CallContext): ExactCollection<Stored> {
    return new ExactCollection(this.#collection, limitsOf(call));
  }

  get name(): string {
    return this.#collection.collectionName;
  }

  find<Found extends Document>(filter: object, options: FindOptions): FindCursor<Found> {
    return this.#collection.find<Found>(filter as Filter<Stored>, Object.assign({}, options, this.#ofReads));
  }

  findOne<Found extends Document>(filter: object, options: FindOptions): Promise<Found | null> {
    return this.#collection.findOne<Found>(filter as Filter<Stored>, Object.assign({}, options, this.#ofReads));
  }

  aggregate<Found extends Document>(pipeline: Document[], options: AggregateOptions): AggregationCursor<Found> {
    return this.#collection.aggregate<Found>(pipeline, Object.assign({}, options, exact, this.#limits));
  }

  /** Returns the document as it was before, unless told otherwise; null if there was none. */
  findOneAndUpdate<Found extends Document>(
    filter: object,
    update: object,
    options: FindOneAndUpdateOptions,
  ): Promise<Found | null> {
    const all = {
      returnDocument: "before",
      ...options,
      ...exact,
      ...this.#limits,
      includeResultMetadata: false,
    } as const;
    return this.#collection.findOneAndUpdate(filter, update, all) as Promise<Found | null>;
  }

  updateOne(filter: object, update: object, options: UpdateOptions): Promise<UpdateResult<Stored>> {
    return this.#collection.updateOne(filter, update, Object.assign({}, options, exact, this.#limits));
  }

  async updateMany(filter: object, update: object, options: UpdateOptions): Promise<number> {
    return (await this.#collection.updateMany(filter, update, Object.assign({}, options, exact, this.#limits)))
      .modifiedCount;
  }

  /** In their order, by one command for as many as it takes. */
  async insertMany(documents: readonly Stored[], options: BulkWriteOptions): Promise<void> {
    const [first] = documents as OptionalUnlessRequiredId<Stored>[];
    // The driver tells errors of a list in a form of its own.
    if (first !== undefined && documents.length === 1)
      await this.#collection.insertOne(first, { ...options, ...this.#limits });
    else
      await this.#collection.insertMany(documents as OptionalUnlessRequiredId<Stored>[], {
        ...options,
        ...this.#limits,
      });
  }

  /** In their order. Passes over those whose id is there already. */
  async insertMissing(documents: readonly Stored[]): Promise<void> {
    try {
      await this.#collection.insertMany(documents as OptionalUnlessRequiredId<Stored>[], {
        ordered: false,
        ...this.#limits,
      });
    } catch (error) {
      if (!isDuplicateKey(error) || !writeErrorsOf(error).every(isDuplicateKey)) throw error;
    }
  }

  async deleteOne(filter: object, options: DeleteOptions): Promise<number> {
    return (await this.#collection.deleteOne(filter, Object.assign({}, options, exact, this.#limits))).deletedCount;
  }

  async deleteMany(filter: object, options: DeleteOptions): Promise<number> {
    return (await this.#collection.deleteMany(filter, Object.assign({}, options, exact, this.#limits))).deletedCount;
  }

  /** Answers the document as it was, null where there was none. */
  async findOneAndDelete<Found extends Document>(
    filter: object,
    options: FindOneAndDeleteOptions,
  ): Promise<Found | null> {
    const all = { ...options, ...exact, ...this.#limits, includeResultMetadata: false } as const;
    return (await this.#collection.findOneAndDelete(filter, all)) as Found | null;
  }

  bulkWrite(operations: readonly ExactWrite<Stored>[], options: BulkWriteOptions): Promise<BulkWriteResult> {
    return this.#collection.bulkWrite(operations.map(exactly), Object.assign({}, options, this.#limits));
  }

  async createIndexes(indexes: readonly IndexDescription[]): Promise<void> {
    await this.#collection.createIndexes(indexes.map((index) => ({ ...index, ...exact })));
  }

  hasIndex(name: string): Promise<boolean> {
    return this.#collection.indexExists(name);
  }

  /**
   * Without `maxTimeMS`, which costs a small read two hundredths: the server ends a find when its connection is closed.
   */
  get #ofReads(): typeof exact & { signal?: AbortSignal } {
    const { signal } = this.#limits;
    return signal === undefined ? exact : { collation: exactCollation, signal };
  }
}

function writeErrorsOf(error: unknown): readonly unknown[] {
  const { writeErrors, result } = error as { writeErrors?: unknown; result?: { getWriteConcernError?(): unknown } };
  const failed = Array.isArray(writeErrors) ? (writeErrors as unknown[]) : [writeErrors];
  return [...failed, result?.getWriteConcernError?.()].filter((each) => each !== undefined);
}

interface CallLimits {
  signal?: AbortSignal;
  maxTimeMS?: number;
}

/**
 * The driver obeys the signal in every command, although its types name it for reads only. It does not send a command
 * that waits for a connection, and it closes the connection of a command that was sent. A write then goes on until
 * `maxTimeMS`.
 */
function limitsOf(call: CallContext): CallLimits {
  const signal = driverSignal(call);
  return call.timeoutMs === Infinity ? { signal } : { signal, maxTimeMS: call.timeoutMs };
}

/** The kinds of writes in a bulk that we use. */
export type ExactWrite<Stored extends Document> = Extract<
  AnyBulkWriteOperation<Stored>,
  { updateOne: unknown } | { updateMany: unknown } | { deleteOne: unknown }
>;

function exactly<Stored extends Document>(write: ExactWrite<Stored>): ExactWrite<Stored> {
  if ("updateOne" in write) return { updateOne: Object.assign({}, write.updateOne, exact) };
  if ("updateMany" in write) return { updateMany: Object.assign({}, write.updateMany, exact) };
  return { deleteOne: Object.assign({}, write.deleteOne, exact) };
}
