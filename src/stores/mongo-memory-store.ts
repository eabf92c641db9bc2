import { BaseStore, type Item, type Operation, type OperationResults, type SearchItem } from "@langchain/langgraph-checkpoint";
import type { MongoClient, WriteConcernSettings } from "mongodb";
import { z } from "zod";
import { MongoBackend, type MongoMemoryContext } from "../backends/mongodb/mongo-backend.js";
import { createMemoryIndexes } from "../backends/mongodb/indexes.js";
import { storageError } from "../backends/mongodb/errors.js";
import type { MemoryDocument } from "../backends/mongodb/document.js";
import { checkAddress, type MemoryAddress } from "../core/address.js";
import { CheckedMemory } from "../core/checked-memory.js";
import { KeyedMutex } from "../core/keyed-mutex.js";
import type { Memory } from "../core/memory.js";
import { checkMemoryOptions, checkOptions, type MemoryOptions } from "../core/options.js";
import { ItemCollection, type ItemDocument } from "./item-collection.js";
import { checkNamespace } from "./namespaces.js";
import { StoreBatch } from "./store-batch.js";

type SearchOptions = Parameters<BaseStore["search"]>[1];
type ListNamespacesOptions = Parameters<BaseStore["listNamespaces"]>[0];

export interface MongoMemoryStoreOptions {
  /** A client of the `mongodb` package, connected or not. The caller closes it. */
  client: MongoClient;
  /** @default the database of the client's connection string, "test" where that names none */
  dbName?: string;
  /** Collection of the memories, a document each. @default "memories" */
  memoriesCollection?: string;
  /** Collection of the other items of the store. @default "items" */
  itemsCollection?: string;
  /**
   * How durable a change of a memory is before it is acknowledged. Weaker settings can lose acknowledged changes when
   * a server crashes. Items use the client's own write concern. @default { w: "majority", journal: true }
   */
  memoryWriteConcern?: WriteConcernSettings;
  /** Source of all stored times. @default the system clock */
  clock?: () => Date;
}

const optionsSchema = z
  .object({
    client: z.custom<MongoClient>(
      (client) => typeof (client as MongoClient | undefined)?.db === "function",
      "must be a MongoClient of the mongodb package",
    ),
    dbName: z.string().min(1).optional(),
    memoriesCollection: z.string().min(1).optional(),
    itemsCollection: z.string().min(1).optional(),
    memoryWriteConcern: z
      .object({
        w: z.union([z.string(), z.number().int().min(1)]).optional(),
        journal: z.boolean().optional(),
        wtimeoutMS: z.number().int().min(0).optional(),
      })
      .strict()
      .optional(),
    clock: z.custom<() => Date>((clock) => typeof clock === "function", "must be a function that returns a Date").optional(),
  })
  .strict();

const brand: symbol = Symbol.for("langgraph-mongo-memory.MongoMemoryStore");

/**
 * A LangGraph store in MongoDB whose memories are atomic across processes.
 *
 * Memories lie in one collection, a document for each address; everything else put into the store lies in another.
 * Memories show under the namespaces `["memory", nodeId, "global"]` and `["memory", nodeId, "perThread", threadId]` of
 * the store's own methods too. Every method works without `start()`; indexes are made at first use.
 */
export class MongoMemoryStore extends BaseStore {
  readonly #client: MongoClient;
  readonly #ownsClient: boolean;
  readonly #memories: MongoMemoryContext;
  readonly #items: ItemCollection;
  #memoryIndexes: Promise<void> | undefined;

  constructor(options: MongoMemoryStoreOptions, internal: { ownsClient?: boolean } = {}) {
    super();
    checkOptions("MongoMemoryStoreOptions", optionsSchema, options);
    Object.defineProperty(this, brand, { value: true });
    const clock = options.clock ?? ((): Date => new Date());
    const database = options.client.db(options.dbName);
    const writeConcern = options.memoryWriteConcern ?? { w: "majority", journal: true };
    this.#client = options.client;
    this.#ownsClient = internal.ownsClient ?? false;
    this.#memories = {
      collection: database.collection<MemoryDocument>(options.memoriesCollection ?? "memories", { writeConcern }),
      ready: () => this.#readyMemories(),
      edits: new KeyedMutex(),
      clock,
    };
    this.#items = new ItemCollection({
      collection: database.collection<ItemDocument>(options.itemsCollection ?? "items"),
      connect: () => this.#connect(),
      clock,
    });
  }

  /**
   * Connects to `uri` with a client of its own, which `stop()` closes.
   *
   * @param uri a MongoDB connection string; its options are the driver's.
   * @throws MemoryError EIO where no server answers within the driver's `serverSelectionTimeoutMS` (30 s by default);
   *   TypeError where the string or the options are malformed. Neither repeats the string.
   */
  static async fromConnString(
    uri: string,
    options: Omit<MongoMemoryStoreOptions, "client"> = {},
  ): Promise<MongoMemoryStore> {
    const client = await connectionOf(uri);
    const store = new MongoMemoryStore({ ...options, client }, { ownsClient: true });
    try {
      await store.start();
    } catch (error) {
      await client.close();
      throw error;
    }
    return store;
  }

  /** Recognises the store of any copy of this package. LangGraph's wrapper around one is not one: see `openMemory`. */
  static isInstance(value: unknown): value is MongoMemoryStore {
    return typeof value === "object" && value !== null && brand in value;
  }

  /** Connects and makes the indexes, which the first command would do otherwise. Idempotent. @throws MemoryError EIO */
  override async start(): Promise<void> {
    await this.#connect();
    await Promise.all([this.#readyMemories(), this.#items.ready()]);
  }

  /** Closes the client if `fromConnString` made it; a client that was passed in stays open. */
  override async stop(): Promise<void> {
    if (this.#ownsClient) await this.#client.close();
  }

  /**
   * The memory of an address. Asks nothing of the database.
   * @throws MemoryError EINVAL for a bad address, TypeError for bad options
   */
  memory(address: MemoryAddress, options?: MemoryOptions): Memory {
    const checkedAddress = checkAddress(address);
    const checkedOptions = checkMemoryOptions(options);
    return new CheckedMemory(
      new MongoBackend(this.#memories, checkedAddress, checkedOptions),
      checkedAddress,
      checkedOptions,
    );
  }

  /** @throws InvalidNamespaceError, MemoryError, TypeError, as every method of a store: see {@link batch} */
  override async get(namespace: string[], key: string): Promise<Item | null> {
    checkNamespace(namespace, { allowEmpty: true });
    return super.get(namespace, key);
  }

  override async search(namespacePrefix: string[], options?: SearchOptions): Promise<SearchItem[]> {
    checkNamespace(namespacePrefix, { allowEmpty: true });
    return super.search(namespacePrefix, options ?? {});
  }

  /** Unlike `batch`, refuses the root label `langgraph`. */
  override async put(namespace: string[], key: string, value: Item["value"], index?: false | string[]): Promise<void> {
    checkNamespace(namespace);
    return super.put(namespace, key, value, index);
  }

  override async delete(namespace: string[], key: string): Promise<void> {
    checkNamespace(namespace, { allowEmpty: true });
    return super.delete(namespace, key);
  }

  override async listNamespaces(options?: ListNamespacesOptions): Promise<string[][]> {
    for (const labels of [options?.prefix, options?.suffix]) if (labels) checkNamespace(labels, { allowEmpty: true });
    return super.listNamespaces(options ?? {});
  }

  /**
   * Answers in the order of the operations. Everything is checked before anything is read or written, all reads see the
   * items as they were before the writes, and of several writes to one place the last one counts.
   * @throws InvalidNamespaceError for namespaces; MemoryError EINVAL, EFBIG or TypeError for other arguments; MemoryError
   *   EIO where the database failed; and what a memory refuses
   */
  override async batch<Operations extends Operation[]>(operations: Operations): Promise<OperationResults<Operations>> {
    const batch = new StoreBatch(this.#items, this.#memories);
    return (await batch.run(operations)) as OperationResults<Operations>;
  }

  #readyMemories(): Promise<void> {
    this.#memoryIndexes ??= this.#connect()
      .then(() => createMemoryIndexes(this.#memories.collection))
      .catch((error: unknown) => {
        this.#memoryIndexes = undefined;
        throw error;
      });
    return this.#memoryIndexes;
  }

  /** Asked for by name: a client whose first connection failed stays closed for its own implicit connecting. */
  async #connect(): Promise<void> {
    try {
      await this.#client.connect();
    } catch (error) {
      throw storageError(error, "read", 0);
    }
  }
}

/** The driver is imported here only, so that passing in a client never loads a second copy of it. */
async function connectionOf(uri: string): Promise<MongoClient> {
  const { MongoClient } = await import("mongodb");
  try {
    return new MongoClient(uri);
  } catch (cause) {
    throw new TypeError("the MongoDB connection string is malformed; expected mongodb://… or mongodb+srv://…", { cause });
  }
}
