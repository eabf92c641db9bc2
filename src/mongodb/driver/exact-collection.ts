import type {
  AggregateOptions,
  AggregationCursor,
  AnyBulkWriteOperation,
  BulkWriteOptions,
  BulkWriteResult,
  Collection,
  DeleteOptions,
  Document,
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
import { getCommandSignal } from "./command-signal.js";
import { findWriteErrors, isDuplicateKey, markHarmless } from "./errors.js";

/**
 * Without this option, a command uses the default collation of the collection, in which `ACME` and `acme` may be equal.
 */
export const exactCollation = { locale: "simple" } as const;

/** A collection that compares texts byte by byte in every command and index, whatever its own collation is. */
export class ExactCollection<Stored extends Document> {
  readonly #collection: Collection<Stored>;

  constructor(collection: Collection<Stored>) {
    this.#collection = collection;
  }

  get name(): string {
    return this.#collection.collectionName;
  }

  find<Found extends Document>(filter: object, call: CallContext, options: Own<FindOptions> = {}): FindCursor<Found> {
    return this.#collection.find<Found>(filter, forRead(call, options));
  }

  findOne<Found extends Document>(
    filter: object,
    call: CallContext,
    options: Omit<Own<FindOptions>, keyof SeveralOptions> = {},
  ): Promise<Found | null> {
    return this.#collection.findOne<Found>(filter, forRead(call, options));
  }

  aggregate<Found extends Document>(
    pipeline: Document[],
    call: CallContext,
    options: Own<AggregateOptions> = {},
  ): AggregationCursor<Found> {
    return this.#collection.aggregate<Found>(pipeline, forAnswer(call, options));
  }

  /** Returns the document before the update, unless the options say otherwise. Null if there was none. */
  findOneAndUpdate<Found extends Document>(
    filter: object,
    update: object,
    call: CallContext,
    options: Own<FindOneAndUpdateOptions>,
  ): Promise<Found | null> {
    // The options determine the fields.
    return runWrite(call, (own) =>
      this.#collection.findOneAndUpdate(filter, update, { ...own, ...plainValues, ...options }),
    ) as Promise<Found | null>;
  }

  updateOne(
    filter: object,
    update: object,
    call: CallContext,
    options: Own<UpdateOptions> = {},
  ): Promise<UpdateResult<Stored>> {
    return runWrite(call, (own) => this.#collection.updateOne(filter, update, { ...own, ...options }));
  }

  async updateMany(filter: object, update: object, call: CallContext): Promise<void> {
    await runWrite(call, (own) => this.#collection.updateMany(filter, update, own));
  }

  /** Inserts documents. Skips documents whose id exists already. */
  async insertMissing(documents: readonly Stored[], call: CallContext): Promise<void> {
    try {
      await this.#collection.insertMany(toInsertable(documents), {
        ...limits(call),
        ordered: false,
      });
    } catch (error) {
      if (!isDuplicateKey(error) || !findWriteErrors(error).every(isDuplicateKey)) throw error;
    }
  }

  async deleteOne(filter: object, call: CallContext): Promise<number> {
    return (await runWrite(call, (own) => this.#collection.deleteOne(filter, own))).deletedCount;
  }

  async deleteMany(filter: object, call: CallContext, options: Own<DeleteOptions> = {}): Promise<number> {
    return (await runWrite(call, (own) => this.#collection.deleteMany(filter, { ...own, ...options }))).deletedCount;
  }

  /** Returns the deleted document. Null if there was none. */
  async findOneAndDelete<Found extends Document>(
    filter: object,
    call: CallContext,
    options: Own<FindOneAndDeleteOptions>,
  ): Promise<Found | null> {
    // The options determine the fields.
    return (await runWrite(call, (own) =>
      this.#collection.findOneAndDelete(filter, { ...own, ...plainValues, ...options }),
    )) as Found | null;
  }

  bulkWrite(
    operations: readonly ExactWrite<Stored>[],
    call: CallContext,
    options: Own<BulkWriteOptions> = {},
  ): Promise<BulkWriteResult> {
    return this.#collection.bulkWrite(operations.map(compareExactly), { ...limits(call), ...options });
  }

  /** Continues after its call has ended, because other calls wait for the indexes too. */
  async createIndexes(indexes: readonly IndexDescription[]): Promise<void> {
    await this.#collection.createIndexes(indexes.map((index) => ({ ...index, ...exact })));
  }
}

/** Options that only a cursor of several documents accepts. */
type SeveralOptions = Pick<FindOptions, "batchSize" | "limit" | "noCursorTimeout">;

/** The options of a caller. This class sets the collation and the time limits. */
type Own<Options> = Omit<Options, "collation" | "signal" | "maxTimeMS">;

const exact = { collation: exactCollation };

interface CommandLimits {
  signal: AbortSignal;
  maxTimeMS?: number;
}

/**
 * The driver obeys the signal in every command, although its types name it for reads only. It does not send a command
 * that waits for a connection, and it closes the connection of a command that was sent. A write then continues until
 * `maxTimeMS`.
 */
function limits(call: CallContext): CommandLimits {
  const { timeoutMs } = call;
  const signal = getCommandSignal(call);
  return timeoutMs === Infinity ? { signal } : { signal, maxTimeMS: timeoutMs };
}

/**
 * Runs one command that writes. If it fails before the driver serialises it, nothing was sent, whatever the driver
 * reports: its error does not say whether it comes from a first attempt or from a repeated one. The collation shows
 * when the command is serialised.
 */
async function runWrite<T>(call: CallContext, run: (options: typeof exact & CommandLimits) => Promise<T>): Promise<T> {
  let isSerialised = false;
  const toBSON = (): typeof exactCollation => {
    isSerialised = true;
    return exactCollation;
  };
  try {
    return await run({ collation: Object.assign({ toBSON }, exactCollation), ...limits(call) });
  } catch (error) {
    if (!isSerialised) markHarmless(error);
    throw error;
  }
}

/** Values are read as JavaScript's own, whatever the defaults of the client are. */
const plainValues = { promoteValues: true, promoteLongs: true, useBigInt64: false, raw: false } as const;

function forAnswer<Options extends object>(
  call: CallContext,
  options: Options,
): typeof exact & CommandLimits & typeof plainValues & Options {
  return { ...exact, ...limits(call), ...plainValues, ...options };
}

/** Without `maxTimeMS`: the server ends a find when its connection is closed. */
function forRead<Options extends object>(
  call: CallContext,
  options: Options,
): typeof exact & Pick<CommandLimits, "signal"> & typeof plainValues & Options {
  return { collation: exactCollation, signal: getCommandSignal(call), ...plainValues, ...options };
}

function toInsertable<Stored extends Document>(documents: readonly Stored[]): OptionalUnlessRequiredId<Stored>[] {
  // Our documents contain their ids. The types of the driver cannot see that in a type parameter.
  return documents as OptionalUnlessRequiredId<Stored>[];
}

/** The kinds of writes that bulks of this package use. */
export type ExactWrite<Stored extends Document> = Extract<
  AnyBulkWriteOperation<Stored>,
  { updateOne: unknown } | { updateMany: unknown } | { deleteOne: unknown }
>;

function compareExactly<Stored extends Document>(write: ExactWrite<Stored>): ExactWrite<Stored> {
  if ("updateOne" in write) return { updateOne: { ...write.updateOne, ...exact } };
  if ("updateMany" in write) return { updateMany: { ...write.updateMany, ...exact } };
  return { deleteOne: { ...write.deleteOne, ...exact } };
}
