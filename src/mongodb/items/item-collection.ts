import type { SearchItem } from "@langchain/langgraph-checkpoint";
import type { AggregationCursor, Document, FindCursor, FindOptions } from "mongodb";
import type { CallContext } from "../../core/runtime/call.js";
import { isDuplicateKey, isTooLarge, storageError } from "../driver/errors.js";
import { takePage } from "../driver/ordered-streams.js";
import { reading, streamingBatches } from "../driver/reads.js";
import type { Page } from "../operations/checked-operation.js";
import type { ItemFilter } from "../operations/filters.js";
import { parseStoredNamespace, type StoredRange } from "../operations/namespaces.js";
import { isItemExpired, notExpired } from "./expiry.js";
import {
  type ItemDocument,
  type ItemOperation,
  parseItem,
  type RankedFields,
  readOptions,
  withoutScore,
} from "./item-document.js";
import { createOperation, type ItemWrite } from "./item-updates.js";
import { createPreparation, idTaken, type ItemContext, type Preparation } from "./item-preparation.js";

/** The server also ends a batch at 16 MB. */
export const maxBatchItems = 1000;
/** The least size of a further page, after a first page that had items which did not match. */
const minBatchItems = 100;

/** The items outside memories. Arguments are checked before; every failure is a MemoryError EIO. */
export class ItemCollection {
  readonly #context: ItemContext;
  readonly #readOptions: FindOptions;
  readonly #preparation: Preparation;

  constructor(context: ItemContext) {
    this.#context = context;
    this.#preparation = createPreparation(context);
    this.#readOptions = context.ranked ? { projection: { embedded: 0, text: 0 }, ...readOptions } : readOptions;
  }

  /** Whether a read restarts the lifetimes of the items that it returns. */
  get refreshesOnRead(): boolean {
    return this.#context.expiry.refreshOnRead;
  }

  /** Creates the indexes if this process has not done so. */
  ready(): Promise<void> | undefined {
    const { indexed } = this.#preparation;
    return this.#open()?.then(indexed) ?? indexed();
  }

  /** Finds the existing items of these ids, by id, in one command. */
  async find(ids: readonly string[], call: CallContext): Promise<Map<string, ItemDocument>> {
    const distinct = [...new Set(ids)];
    if (distinct.length === 0) return new Map();
    await this.#open();
    const { collection, clock } = this.#context;
    let documents: (ItemDocument | null)[];
    try {
      documents =
        distinct.length === 1
          ? [await collection.findOne<ItemDocument>({ _id: distinct[0] }, call, this.#readOptions)]
          : await this.#cursor<ItemDocument>(
              { _id: { $in: distinct } },
              { batchSize: distinct.length + 1 },
              call,
            ).toArray();
    } catch (error) {
      throw storageError(error, "read", null);
    }
    const now = clock();
    const items = new Map<string, ItemDocument>();
    for (const document of documents) {
      if (document !== null && !isItemExpired(document, now)) items.set(document._id, document);
    }
    return items;
  }

  /** Reads one page, in order. Without conditions the server selects the page. */
  async search(
    range: StoredRange,
    filter: ItemFilter,
    { offset, limit }: Page,
    call: CallContext,
  ): Promise<SearchItem[]> {
    if (!filter.matchesAll || !Number.isFinite(offset + limit)) {
      return takePage(this.batches(range, filter, offset + limit, call), offset, limit);
    }
    const skip = offset === 0 ? {} : { skip: offset };
    const options: FindOptions = { sort: { _id: 1 }, limit, batchSize: Math.min(limit, maxBatchItems), ...skip };
    await this.#open();
    const documents = await reading(() =>
      this.#cursor<ItemDocument>(this.selection(range, filter), options, call).toArray(),
    );
    return documents.map((document) => withoutScore(parseItem(document)));
  }

  /**
   * Reads the matching items of a range in order, at most `atMost`. Keeps at most one batch in memory. Each page is a
   * query of its own with a limit, so that the server ends the query, and one command is enough if all items match.
   */
  async *batches(
    range: StoredRange,
    filter: ItemFilter,
    atMost: number,
    call: CallContext,
  ): AsyncGenerator<SearchItem[]> {
    let left = atMost;
    let limit = Math.min(atMost, maxBatchItems);
    let rest = range;
    for (;;) {
      let count = 0;
      const options: FindOptions = { sort: { _id: 1 }, limit, batchSize: limit };
      for await (const documents of this.query<ItemDocument>(this.selection(rest, filter), options, call)) {
        count += documents.length;
        for (const { _id } of documents.slice(-1)) rest = { ...range, $gt: _id };
        const items = documents.map(parseItem).filter(({ value }) => filter.matches(value));
        yield items.slice(0, left).map(withoutScore);
        left -= items.length;
        if (left <= 0) return;
      }
      if (count < limit) return;
      limit = Math.min(Math.max(left, minBatchItems), maxBatchItems);
    }
  }

  /**
   * Reads the first namespaces of a range with an item, in order and in batches, from the index alone. `distinct` is
   * not used: the Stable API lacks it, and on a sharded cluster it returns values of documents that were moved to
   * another shard and deleted there.
   */
  async *namespaces(range: StoredRange, atMost: number, call: CallContext): AsyncGenerator<string[][]> {
    await this.ready();
    const pipeline: Document[] = [
      { $match: { ns: { $gte: "", ...range }, ...notExpired(this.#context.clock()) } },
      { $group: { _id: "$ns" } },
      { $sort: { _id: 1 } },
      ...(Number.isSafeInteger(atMost) ? [{ $limit: atMost }] : []),
    ];
    const listed = atMost <= maxBatchItems ? await this.#listInOneDocument(pipeline, call) : null;
    if (listed !== null) yield listed.map(parseStoredNamespace);
    else {
      for await (const batch of this.aggregate<{ _id: string }>(pipeline, call))
        yield batch.map(({ _id }) => parseStoredNamespace(_id));
    }
  }

  /** Writes everything in one bulk write, each put with the fields of its ranking. */
  async write(
    writes: readonly ItemWrite[],
    ranked: ReadonlyMap<ItemWrite, RankedFields>,
    call: CallContext,
  ): Promise<void> {
    await this.ready();
    const { expiry, clock } = this.#context;
    const now = clock();
    await this.#bulkWrite(
      writes.map((write) => createOperation(write, ranked.get(write) ?? {}, expiry, now)),
      call,
    );
  }

  /** Restarts the lifetimes of items that were read. Items that expired meanwhile stay expired. */
  async refresh(items: readonly { id: string; namespace: readonly string[] }[], call: CallContext): Promise<void> {
    const { expiry, clock } = this.#context;
    const idsByTtl = new Map<number, Set<string>>();
    for (const { id, namespace } of items) {
      const ttlMs = expiry.getTtlMs(namespace);
      if (ttlMs !== null) idsByTtl.set(ttlMs, (idsByTtl.get(ttlMs) ?? new Set()).add(id));
    }
    if (idsByTtl.size === 0) return;
    const now = clock();
    const operations = Array.from(idsByTtl, ([ttlMs, ids]): ItemOperation => {
      const filter = { _id: { $in: [...ids] }, expiresAt: { $gt: now } };
      return { updateMany: { filter, update: { $set: { expiresAt: new Date(now.getTime() + ttlMs) } } } };
    });
    await this.#bulkWrite(operations, call);
  }

  /** Selects the items of a range as far as the server can decide. Never selects expired items. */
  selection(range: StoredRange, filter: ItemFilter): Document {
    const [first = {}, ...others] = filter.query;
    const matching = others.length === 0 ? first : { $and: filter.query };
    return { _id: { $gte: "", ...range }, ...notExpired(this.#context.clock()), ...matching };
  }

  query<T extends Document>(filter: Document, options: FindOptions, call: CallContext): AsyncGenerator<T[]> {
    return streamingBatches(async () => {
      await this.#open();
      return this.#cursor<T>(filter, options, call);
    });
  }

  aggregate<T extends Document>(pipeline: Document[], call: CallContext): AsyncGenerator<T[]> {
    return streamingBatches(async () => {
      await this.#open();
      return this.#aggregation<T>(pipeline, call);
    });
  }

  /** A document takes half the time of a list of documents. Null if the list is larger than a document can be. */
  async #listInOneDocument(pipeline: readonly Document[], call: CallContext): Promise<string[] | null> {
    const inOne = { $group: { _id: null, ids: { $push: "$_id" } } };
    try {
      const [found] = await this.#aggregation<{ ids: string[] }>([...pipeline, inOne], call).toArray();
      return found?.ids ?? [];
    } catch (error) {
      if (isTooLarge(error)) return null;
      throw storageError(error, "read", null);
    }
  }

  #cursor<T extends Document>(filter: Document, options: FindOptions, call: CallContext): FindCursor<T> {
    return this.#context.collection.find<T>(filter, call, { ...this.#readOptions, ...options });
  }

  #aggregation<T extends Document>(pipeline: Document[], call: CallContext): AggregationCursor<T> {
    return this.#context.collection.aggregate<T>(pipeline, call, { ...readOptions, batchSize: maxBatchItems });
  }

  /** A single operation is its own command: a bulk write of one operation takes a fifth longer. */
  async #bulkWrite(operations: ItemOperation[], call: CallContext): Promise<void> {
    await this.#open();
    const { collection } = this.#context;
    const options = { ordered: false, checkKeys: false, ignoreUndefined: false };
    const only = operations.length === 1 ? operations[0] : undefined;
    try {
      if (only !== undefined && "updateOne" in only) {
        const { filter, update, upsert = false } = only.updateOne;
        await collection.updateOne(filter, update, call, { upsert, ...options });
      } else if (only !== undefined && "deleteOne" in only) {
        await collection.deleteOne(only.deleteOne.filter, call);
      } else await collection.bulkWrite(operations, call, options);
    } catch (error) {
      throw isDuplicateKey(error) ? idTaken(collection.name, error) : storageError(error, "write", null);
    }
  }

  /** Connects, and checks the collection once. Returns undefined if both are done, as `once` does. */
  #open(): Promise<void> | undefined {
    const { checked } = this.#preparation;
    return this.#context.connect()?.then(checked) ?? checked();
  }
}
