import type { Item, SearchItem } from "@langchain/langgraph-checkpoint";
import type { AggregateOptions, AnyBulkWriteOperation, Collection, FindCursor } from "mongodb";
import { storageError } from "../backends/mongodb/errors.js";
import { MemoryError } from "../core/errors.js";
import { restoredValue } from "./item-values.js";
import { namespaceFrom, type StoredRange, storedNamespace } from "./namespaces.js";
import type { ItemFilter } from "./filters.js";
import { reading, streaming } from "./mongo-reads.js";
import type { CheckedOperation, Page } from "./operations.js";
import { pageOf } from "./ordered-streams.js";

/** An item; its place is in `_id`, so reads, ranges and upserts all go by the index that every collection has. */
export interface ItemDocument {
  /** Namespace and key, sorted as the store sorts (`storedPlace`). */
  _id: string;
  /** The namespace alone, likewise (`storedNamespace`). */
  ns: string;
  key: string;
  value: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
}

export type ItemWrite = Extract<CheckedOperation, { kind: "putItem" | "deleteItem" }>;

export interface ItemContext {
  collection: Collection<ItemDocument>;
  /** Awaited before each command; soon done where the client is connected. */
  connect: () => Promise<void>;
  clock: () => Date;
}

const itemIndexes = [{ name: "items_by_namespace", key: { ns: 1 } }];

/** The server also ends a batch at 16 MB. */
const maxBatchItems = 1000;
/** For streams of which some is filtered out here. */
const minBatchItems = 100;

/**
 * Values as JavaScript's own, whatever the client's defaults are; stored 64-bit integers are the ones put as bigint. The
 * driver's default of `fieldsAsRaw` is an ordinary object, in which it finds a field called `constructor`.
 */
const readOptions = {
  promoteValues: true,
  promoteLongs: true,
  promoteBuffers: true,
  useBigInt64: true,
  bsonRegExp: false,
  raw: false,
  fieldsAsRaw: Object.create(null) as Record<string, boolean>,
} satisfies AggregateOptions;

/** The items that belong to no memory. Arguments arrive checked; every failure is a MemoryError EIO. */
export class ItemCollection {
  readonly #collection: Collection<ItemDocument>;
  readonly #connect: () => Promise<void>;
  readonly #clock: () => Date;
  #indexes: Promise<void> | undefined;

  constructor({ collection, connect, clock }: ItemContext) {
    this.#collection = collection;
    this.#connect = connect;
    this.#clock = clock;
  }

  /** Makes the indexes if this process has not yet. A failure is not remembered. */
  ready(): Promise<void> {
    this.#indexes ??= this.#createIndexes().catch((error: unknown) => {
      this.#indexes = undefined;
      throw error;
    });
    return this.#indexes;
  }

  /** The documents of those ids which exist, by id, in one command. */
  async find(ids: readonly string[]): Promise<Map<string, ItemDocument>> {
    const [only, ...others] = new Set(ids);
    if (only === undefined) return new Map();
    const filter = { _id: others.length === 0 ? only : { $in: [only, ...others] } };
    const options = { ...readOptions, batchSize: others.length + 2 };
    await this.#connect();
    const documents = await reading(() => this.#collection.find(filter, options).toArray());
    return new Map(documents.map((document) => [document._id, document]));
  }

  /** One page, in order; the server does all of it where it can decide the filter. */
  async search(range: StoredRange, filter: ItemFilter, { offset, limit }: Page): Promise<SearchItem[]> {
    if (!filter.exact || !Number.isFinite(offset + limit)) {
      return pageOf(this.stream(range, filter, offset + limit), offset, limit);
    }
    await this.#connect();
    const batchSize = Math.min(limit, maxBatchItems);
    const cursor = this.#cursor(range, filter).skip(offset).limit(limit).batchSize(batchSize);
    return (await reading(() => cursor.toArray())).map(searchItemOf);
  }

  /** The items of a range that match, in order, at most so many; never more than one batch of them is held. */
  async *stream(range: StoredRange, filter: ItemFilter, atMost: number): AsyncGenerator<SearchItem> {
    await this.#connect();
    const cursor = this.#cursor(range, filter).batchSize(Math.min(Math.max(atMost, minBatchItems), maxBatchItems));
    if (filter.exact && Number.isFinite(atMost)) cursor.limit(atMost);
    let left = atMost;
    for await (const document of streaming(cursor)) {
      const item = searchItemOf(document);
      if (!filter.exact && !filter.matches(item.value)) continue;
      yield item;
      left -= 1;
      if (left <= 0) return;
    }
  }

  /** The namespaces of a range that hold an item, in order, from the index alone. */
  async *namespaces(range: StoredRange): AsyncGenerator<string[]> {
    await this.ready();
    await this.#connect();
    const pipeline = [
      { $match: { ns: { $gte: "", ...range } } },
      { $group: { _id: "$ns" } },
      { $sort: { _id: 1 } },
    ];
    const cursor = this.#collection.aggregate<{ _id: string }>(pipeline, { ...readOptions, batchSize: maxBatchItems });
    for await (const { _id } of streaming(cursor)) yield namespaceFrom(_id);
  }

  /** All in one bulk write. The filter is the id alone: so a racing first put is retried by the server, never refused. */
  async write(writes: readonly ItemWrite[]): Promise<void> {
    if (writes.length === 0) return;
    await this.ready();
    await this.#connect();
    const now = this.#clock();
    const operations = writes.map((write): AnyBulkWriteOperation<ItemDocument> => {
      const { id, namespace, key } = write.place;
      if (write.kind === "deleteItem") return { deleteOne: { filter: { _id: id } } };
      const update = {
        $set: { value: write.value, updatedAt: now },
        $setOnInsert: { ns: storedNamespace(namespace), key, createdAt: now },
      };
      return { updateOne: { filter: { _id: id }, update, upsert: true } };
    });
    try {
      await this.#collection.bulkWrite(operations, { ordered: false, checkKeys: false, ignoreUndefined: false });
    } catch (error) {
      throw storageError(error, "write", 0);
    }
  }

  #cursor(range: StoredRange, filter: ItemFilter): FindCursor<ItemDocument> {
    const conditions = [{ _id: { $gte: "", ...range } }, ...filter.query];
    return this.#collection.find({ $and: conditions }, { ...readOptions, sort: { _id: 1 } });
  }

  async #createIndexes(): Promise<void> {
    await this.#connect();
    try {
      await this.#collection.createIndexes(itemIndexes);
    } catch (cause) {
      if (!indexConflictCodes.has((cause as { code?: unknown }).code)) throw storageError(cause, "read", 0);
      throw new MemoryError(
        "EIO",
        `EIO: the collection ${this.#collection.collectionName} has an index that conflicts with the one the store needs ` +
          `(items_by_namespace {"ns":1}); drop or rename the other, or use another collection`,
        { cause },
      );
    }
  }
}

const indexConflictCodes = new Set<unknown>([85, 86]);

export function itemOf({ ns, key, value, createdAt, updatedAt }: ItemDocument): Item {
  return { value: restoredValue(value), key, namespace: namespaceFrom(ns), createdAt, updatedAt };
}

function searchItemOf(document: ItemDocument): SearchItem {
  return unscored(itemOf(document));
}

/** As a search without a ranking answers: the reference has the field, undefined, which its own type does not allow. */
export function unscored(item: Item): SearchItem {
  const searchItem: Item & { score: undefined } = { ...item, score: undefined };
  return searchItem as Item;
}
