import type { Collection, Db, Document, MongoClient, Timestamp } from "mongodb";
import { exactCollation, plainValues } from "./exact-collection.js";
import { storageError } from "./errors.js";
import { getField } from "../../core/values/unknown-values.js";

/** The longest time that the server waits for a change before it returns without one. */
const maxAwaitTimeMS = 10_000;

/**
 * Codes of servers or users without change streams: Unauthorized, CommandNotFound, CommandNotSupported, NotImplemented,
 * APIStrictError, AtlasError, an unknown stage, no replica set.
 */
const refusals = new Set<unknown>([13, 59, 115, 238, 323, 8000, 40324, 40573]);

/** Number of open streams of each client. */
const openStreams = new WeakMap<MongoClient, number>();

/** A document at a point in time of the server. */
export interface DocumentAtMoment<Found> {
  found: Found | null;
  /** Null if the server does not report such times: a standalone server has no change streams. */
  moment: Timestamp | null;
}

/** The change streams of one collection. */
export class ChangeStreams {
  readonly #db: Db;
  readonly #collection: Collection;

  constructor(db: Db, collectionName: string) {
    this.#db = db;
    this.#collection = db.collection(collectionName);
  }

  /** Reads from the primary, whatever the read preference of the client is. @throws MemoryError EIO */
  async find<Found extends Document>(filter: object, projection: object): Promise<DocumentAtMoment<Found>> {
    const command = {
      find: this.#collection.collectionName,
      filter,
      projection,
      limit: 1,
      singleBatch: true,
      collation: exactCollation,
    };
    try {
      const answer = await this.#db.command(command, {
        ...plainValues,
        readPreference: "primary",
      });
      // The answer of a find. Its documents have the fields of the projection.
      const { cursor, operationTime } = answer as { cursor: { firstBatch: Found[] }; operationTime?: Timestamp };
      return { found: cursor.firstBatch[0] ?? null, moment: operationTime ?? null };
    } catch (error) {
      throw storageError(error, "read", null);
    }
  }

  /**
   * Whether another stream may be open. Each stream occupies a connection of the client; half of the connections are
   * kept for other commands.
   */
  get hasRoom(): boolean {
    const { maxPoolSize } = this.#db.client.options;
    return maxPoolSize === 0 || this.#openCount < Math.floor(maxPoolSize / 2);
  }

  /** Opens a stream of the events at and after a point in time. */
  openAt<Event extends Document>(moment: Timestamp, pipeline: Document[]): EventStream<Event> {
    const stream = this.#collection.watch<Document, Event>(pipeline, {
      startAtOperationTime: moment,
      maxAwaitTimeMS,
      collation: exactCollation,
    });
    this.#openCount += 1;
    let isOpen = true;
    return {
      next: () => stream.next(),
      close: async () => {
        if (isOpen) this.#openCount -= 1;
        isOpen = false;
        await stream.close();
      },
    };
  }

  get #openCount(): number {
    return openStreams.get(this.#db.client) ?? 0;
  }

  set #openCount(count: number) {
    openStreams.set(this.#db.client, count);
  }
}

/** A change stream of the driver. Its pipeline determines the shape of the events. */
export interface EventStream<Event> {
  next(): Promise<Event>;
  close(): Promise<void>;
}

/** Whether this server or user has no change streams at all. */
export function isRefusedStream(error: unknown): boolean {
  return refusals.has(getField(error, "code"));
}
