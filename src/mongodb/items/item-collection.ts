import type { SearchItem } from "@langchain/langgraph-checkpoint";
import type { BulkWriteOptions, BulkWriteResult, Document, FindCursor, FindOptions, IndexDescription } from "mongodb";
import { MemoryError } from "../../core/values/errors.js";
import type { CallContext } from "../../core/runtime/call.js";
import { createIndexes } from "../driver/create-indexes.js";
import { isDuplicateKey, isTooLarge, storageError } from "../driver/errors.js";
import type { ExactCollection } from "../driver/exact-collection.js";
import { refuseForeignDocuments } from "../driver/foreign-documents.js";
import { once } from "../driver/once.js";
import { type Expiry, isExpired, notExpired } from "./expiry.js";
import type { ItemFilter } from "../places/filters.js";
import {
  type ItemDocument,
  itemFromDocument,
  type ItemOperation,
  type RankedFields,
  readOptions,
} from "./item-document.js";
import { itemIndexes } from "./item-indexes.js";
import { type ItemWrite, bulkOperation } from "./item-updates.js";
import { reading, streaming, streamingBatches } from "../driver/reads.js";
import { namespaceFrom, namespacesFrom, type StoredRange } from "../places/namespaces.js";
import { unscoredItem } from "../places/unscored-item.js";
import type { Page } from "../places/operations.js";
import { pageOf } from "../driver/ordered-streams.js";

export interface ItemContext {
  collection: ExactCollection<ItemDocument>;
  /** As of a layout. */
  connect: () => Promise<void> | undefined;
  clock: () => Date;
  expiry: Expiry;
  /** Indexes of the ranking. */
  indexes: readonly IndexDescription[];
  /** Whether documents hold fields that reads should leave out. */
  ranked: boolean;
}

/** The server also ends a batch at 16 MB. */
export const maxBatchItems = 1000;
/** More would keep the event loop for longer than some 50 ms. */
const maxGatheredIds = 100_000;
/** For streams of which some is filtered out here. */
const minBatchItems = 100;

const own = {
  filter: { _id: { $type: "string" }, ns: { $type: "string" }, key: { $type: "string" } },
  option: "itemsCollection",
};

/** The items that belong to no memory. Arguments arrive checked; every failure is a MemoryError EIO. */
export class ItemCollection {
  readonly #context: ItemContext;
  readonly #readOptions: FindOptions;
  readonly #preparation: Preparation;

  constructor(context: ItemContext, preparation: Preparation = preparationOf(context)) {
    this.#context = context;
    this.#preparation = preparation;
    this.#readOptions = context.ranked ? { projection: { embedded: 0, text: 0 }, ...readOptions } : readOptions;
  }

  /** The same items for one call, which ends with its next command where it is over before. */
  forCall(call: CallContext): ItemCollection {
    return new ItemCollection(
      { ...this.#context, collection: this.#context.collection.forCall(call) },
      this.#preparation,
    );
  }

  /** Makes the indexes if this process has not yet. */
  ready(): Promise<void> | undefined {
    const { createIndexes: create } = this.#preparation;
    return this.#open()?.then(create) ?? create();
  }

  /** The items of those ids which exist, by id, in one command. */
  async find(ids: readonly string[]): Promise<Map<string, ItemDocument>> {
    const [only, ...others] = new Set(ids);
    if (only === undefined) return new Map();
    const filter = { _id: others.length === 0 ? only : { $in: [only, ...others] } };
    const options = { batchSize: others.length + 2, ...this.#readOptions };
    await this.#open();
    const documents = await reading(async () => {
      const { collection } = this.#context;
      if (others.length > 0) return collection.find<ItemDocument>(filter, options).toArray();
      const found = await collection.findOne<ItemDocument>(filter, this.#readOptions);
      return found === null ? [] : [found];
    });
    const now = this.#context.clock();
    return new Map(
      documents.filter((document) => !isExpired(document, now)).map((document) => [document._id, document]),
    );
  }

  /** One page, in order; the server does all of it where it can decide the filter. */
  async search(range: StoredRange, filter: ItemFilter, { offset, limit }: Page): Promise<SearchItem[]> {
    if (!filter.exact || !Number.isFinite(offset + limit)) {
      return pageOf(this.stream(range, filter, offset + limit), offset, limit);
    }
    const options = { sort: { _id: 1 }, skip: offset, limit, batchSize: Math.min(limit, maxBatchItems) } as const;
    await this.#open();
    const documents = await reading(() => this.#cursor<ItemDocument>(this.selection(range, filter), options).toArray());
    return documents.map((document) => unscoredItem(itemFromDocument(document)));
  }

  /** The items of a range that match, in order, at most so many; never more than one batch of them is held. */
  async *stream(range: StoredRange, filter: ItemFilter, atMost: number): AsyncGenerator<SearchItem> {
    const batchSize = Math.min(Math.max(atMost, minBatchItems), maxBatchItems);
    const limited = filter.exact && Number.isFinite(atMost) ? { limit: atMost } : {};
    let left = atMost;
    const options: FindOptions = { sort: { _id: 1 }, batchSize, ...limited };
    for await (const document of this.query<ItemDocument>(this.selection(range, filter), options)) {
      const item = unscoredItem(itemFromDocument(document));
      if (!filter.exact && !filter.matches(item.value)) continue;
      yield item;
      left -= 1;
      if (left <= 0) return;
    }
  }

  /**
   * The namespaces of a range that hold an item, in order and in arrays, from the index alone. Not by `distinct`: the
   * Stable API has none, and on a sharded cluster it answers what has moved to another shard and was deleted there.
   */
  async *namespaces(range: StoredRange): AsyncGenerator<string[][]> {
    await this.ready();
    const pipeline = [
      { $match: { ns: { $gte: "", ...range }, ...notExpired(this.#context.clock()) } },
      { $group: { _id: "$ns" } },
    ];
    const all = await this.#gathered(pipeline);
    if (all !== null) {
      yield* namespacesFrom(all, minBatchItems);
      return;
    }
    const found = this.#context.collection.aggregate<{ _id: string }>([...pipeline, { $sort: { _id: 1 } }], {
      ...readOptions,
      batchSize: maxBatchItems,
    });
    for await (const chunk of streamingBatches(found)) yield chunk.map(({ _id }) => namespaceFrom(_id));
  }

  /** All ids in one document, unsorted: both save a third. Null where they are too many or too long for that. */
  async #gathered(pipeline: Document[]): Promise<string[] | null> {
    const gather = [{ $limit: maxGatheredIds + 1 }, { $group: { _id: null, ids: { $push: "$_id" } } }];
    try {
      const [found] = await this.#context.collection
        .aggregate<{ ids: string[] }>([...pipeline, ...gather], { ...readOptions })
        .toArray();
      const { ids } = found ?? { ids: [] };
      return ids.length <= maxGatheredIds ? ids : null;
    } catch (error) {
      if (isTooLarge(error)) return null;
      throw storageError(error, "read", null);
    }
  }

  /** All in one bulk write, each put with the fields it is ranked by. */
  async write(writes: readonly ItemWrite[], ranked: ReadonlyMap<ItemWrite, RankedFields>): Promise<void> {
    if (writes.length === 0) return;
    await this.ready();
    const { expiry, clock } = this.#context;
    const now = clock();
    await this.#bulkWrite(writes.map((write) => bulkOperation(write, ranked.get(write), expiry, now)));
  }

  /** Upserts of whole documents in one bulk write. Answers how many it made or changed. */
  async copy(operations: ItemOperation[]): Promise<number> {
    if (operations.length === 0) return 0;
    await this.ready();
    const { upsertedCount, modifiedCount } = await this.#bulkWrite(operations);
    return upsertedCount + modifiedCount;
  }

  /** Begins the time of items anew that have been read, where the store is to do so; of none that expired since. */
  async refresh(items: readonly { id: string; namespace: readonly string[] }[]): Promise<void> {
    const { expiry, clock } = this.#context;
    if (!expiry.refreshOnRead) return;
    const idsByTtl = new Map<number, Set<string>>();
    for (const { id, namespace } of items) {
      const ttlMs = expiry.ttlMsOf(namespace);
      if (ttlMs !== null) idsByTtl.set(ttlMs, (idsByTtl.get(ttlMs) ?? new Set()).add(id));
    }
    if (idsByTtl.size === 0) return;
    const now = clock();
    const operations = Array.from(idsByTtl, ([ttlMs, ids]): ItemOperation => {
      const filter = { _id: { $in: [...ids] }, expiresAt: { $gt: now } };
      return { updateMany: { filter, update: { $set: { expiresAt: new Date(now.getTime() + ttlMs) } } } };
    });
    await this.#bulkWrite(operations);
  }

  /** The items of a range as far as the server can decide it; never those that expired. */
  selection(range: StoredRange, filter: ItemFilter): Document {
    return { $and: [{ _id: { $gte: "", ...range } }, notExpired(this.#context.clock()), ...filter.query] };
  }

  async *query<T extends Document>(filter: Document, options: FindOptions): AsyncGenerator<T> {
    await this.#open();
    yield* streaming(this.#cursor<T>(filter, options));
  }

  async *queryBatches<T extends Document>(filter: Document, options: FindOptions): AsyncGenerator<T[]> {
    await this.#open();
    yield* streamingBatches(this.#cursor<T>(filter, options));
  }

  async *aggregate<T extends Document>(pipeline: Document[]): AsyncGenerator<T> {
    await this.#open();
    yield* streaming(this.#context.collection.aggregate<T>(pipeline, { ...readOptions, batchSize: maxBatchItems }));
  }

  #cursor<T extends Document>(filter: Document, options: FindOptions): FindCursor<T> {
    return this.#context.collection.find<T>(filter, { ...this.#readOptions, ...options });
  }

  async #bulkWrite(operations: ItemOperation[]): Promise<WriteCounts> {
    await this.#open();
    const options = { ordered: false, checkKeys: false, ignoreUndefined: false };
    try {
      const [only, ...others] = operations;
      if (only !== undefined && others.length === 0) return await this.#writeOne(only, options);
      return await this.#context.collection.bulkWrite(operations, options);
    } catch (error) {
      throw isDuplicateKey(error) ? this.#idTaken(error) : storageError(error, "write", null);
    }
  }

  /** The index of the ids compares as the collection does, and every write goes by the id alone. */
  #idTaken(cause: unknown): MemoryError {
    const { name } = this.#context.collection;
    return new MemoryError(
      "EIO",
      `EIO: the collection ${name} takes an item's namespace and key for those of another, by its own collation or by a unique index; ` +
        `name another with the option ${own.option}`,
      { cause },
    );
  }

  /** A bulk write of one would take a fifth longer. */
  async #writeOne(operation: ItemOperation, options: BulkWriteOptions): Promise<WriteCounts> {
    const { collection } = this.#context;
    if ("updateOne" in operation) {
      const { filter, update, upsert = false } = operation.updateOne;
      return collection.updateOne(filter, update, { upsert, ...options });
    }
    if (!("deleteOne" in operation)) return collection.bulkWrite([operation], options);
    await collection.deleteOne(operation.deleteOne.filter, options);
    return { upsertedCount: 0, modifiedCount: 0 };
  }

  #open(): Promise<void> | undefined {
    const { refuseForeign } = this.#preparation;
    return this.#context.connect()?.then(refuseForeign) ?? refuseForeign();
  }
}

/** What is done once for all calls, and waited for by those that come meanwhile. */
interface Preparation {
  refuseForeign: () => Promise<void> | undefined;
  createIndexes: () => Promise<void> | undefined;
}

function preparationOf({ collection, expiry, indexes }: ItemContext): Preparation {
  const all = itemIndexes({ expiry: expiry.configured, ranking: indexes });
  return {
    refuseForeign: once(() => refuseForeignDocuments(collection, own)),
    createIndexes: once(() => createIndexes(collection, all, "the store", own.option)),
  };
}

type WriteCounts = Pick<BulkWriteResult, "upsertedCount" | "modifiedCount">;
