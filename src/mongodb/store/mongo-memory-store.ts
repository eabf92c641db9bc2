import { BaseStore, type Item, type Operation, type OperationResults, type SearchItem } from "@langchain/langgraph-checkpoint";
import type { MongoClient } from "mongodb";
import { MemoryError } from "../../core/errors.js";
import { storageError } from "../driver/errors.js";
import { ExactCollection } from "../driver/exact-collection.js";
import type { HistoryContext, MemoryLayout } from "../memories/layout.js";
import { layouts } from "../memories/layouts.js";
import {
  checkForgotten,
  checkMemoryFilter,
  type ForgottenCounts,
  type MemoryFilter,
  type MemoryOwner,
  type MemorySummary,
} from "../memories/memory-filter.js";
import { summariesIn } from "../memories/summary-pages.js";
import type { MemoryAddress } from "../../core/address.js";
import type { Memory } from "../../core/memory.js";
import { openMemoryOver } from "../../core/checked-memory.js";
import { type OngoingCall, type Waiting, withinTime } from "../../core/ongoing-call.js";
import { memoryDefaults, type MemoryOptions } from "../../core/options.js";
import { closeInTime, createClient, isStrict, openDatabase } from "../driver/client.js";
import { Expiry } from "../items/expiry.js";
import { ItemCollection } from "../items/item-collection.js";
import { type CopyReport, type ForeignItem, ForeignItems } from "./foreign-items.js";
import type { ItemDocument } from "../items/item-document.js";
import { defaultItemsCollection } from "../items/item-indexes.js";
import { KeywordRanking } from "../search/keyword-ranking.js";
import { checkNamespace } from "../places/namespaces.js";
import type { Ranking } from "../search/ranking.js";
import { SemanticRanking } from "../search/semantic-ranking.js";
import { type BatchStorage, StoreBatch } from "./store-batch.js";
import { checkStoreOptions, type MongoMemoryStoreOptions } from "./store-options.js";

type SearchOptions = Parameters<BaseStore["search"]>[1];
type ListNamespacesOptions = Parameters<BaseStore["listNamespaces"]>[0];

const brand: symbol = Symbol.for("langgraph-mongo-memory.MongoMemoryStore");

/** For `migrateFromMongoDBStore`. A symbol, which no editor offers among the members. */
export const copyItems: unique symbol = Symbol.for("langgraph-mongo-memory.copyItems");

/**
 * A LangGraph store in MongoDB whose memories are atomic across processes.
 *
 * Memories lie in one collection, with one document for each address. All other items lie in another one. The store's own
 * methods show memories too, under the namespaces `["memory", nodeId, "global"]` and `["memory", nodeId, "perThread", threadId]`.
 * Every method works without `start()`. Indexes are made at first use.
 */
export class MongoMemoryStore extends BaseStore {
  readonly #client: MongoClient;
  #ownsClient = false;
  readonly #openLayout: (makesIndexes: boolean) => MemoryLayout;
  readonly #clock: () => Date;
  readonly #timeoutMs: number;
  readonly #storage: BatchStorage;
  #stopped = false;
  #connected = false;

  /** Sends nothing to the server yet. @throws TypeError for bad options */
  constructor(options: MongoMemoryStoreOptions) {
    super();
    checkStoreOptions(options);
    Object.defineProperty(this, brand, { value: true });
    const clock = options.clock ?? ((): Date => new Date());
    const database = openDatabase(options.client, options.dbName);
    this.#client = options.client;
    this.#clock = clock;
    this.#timeoutMs = options.timeoutMs ?? memoryDefaults.timeoutMs;
    this.#openLayout = (makesIndexes) =>
      layouts[options.layout ?? "document"]({
        db: database,
        collectionName: options.memoriesCollection ?? "memories",
        writeConcern: options.memoryWriteConcern ?? { w: "majority", journal: true },
        connect: () => this.#connect(),
        clock,
        expireMs: options.expireMs ?? {},
        history: historyOf(options.history),
        makesIndexes,
      });
    const collection = new ExactCollection(database.collection<ItemDocument>(options.itemsCollection ?? defaultItemsCollection));
    const expiry = new Expiry(options.ttl);
    const ranking = rankingOf(options, collection.name);
    const items = new ItemCollection({
      collection,
      connect: () => this.#connect(),
      clock,
      expiry,
      indexes: ranking?.indexes ?? [],
      ranked: ranking !== undefined,
    });
    const onUnranked = ranking === undefined && options.textSearch === undefined ? warnOnce() : (): void => undefined;
    this.#storage = { items, memories: this.#openLayout(true), ranking, onUnranked };
  }

  /**
   * Makes a client and connects it to `uri`. `stop()` closes it.
   *
   * @param uri a MongoDB connection string; its options are the driver's.
   * @throws MemoryError EIO if no server answers within the `timeoutMs` of the options, or the driver's
   *   `serverSelectionTimeoutMS` (30 s by default, both); TypeError if the string or the options are malformed. Neither repeats the string.
   */
  static async fromConnString(
    uri: string,
    options: Omit<MongoMemoryStoreOptions, "client"> = {},
  ): Promise<MongoMemoryStore> {
    const client = await createClient(uri);
    const store = new MongoMemoryStore({ ...options, client });
    store.#ownsClient = true;
    try {
      await store.start();
    } catch (error) {
      await closeInTime(client);
      throw error;
    }
    return store;
  }

  /** Recognises the store of any copy of this package. LangGraph's wrapper around one is not one: see `openMemory`. */
  static isInstance(value: unknown): value is MongoMemoryStore {
    return typeof value === "object" && value !== null && brand in value;
  }

  /**
   * Connects and makes the indexes. Without it the first command does so. Idempotent. An index that takes longer than
   * `timeoutMs` is still made, and the next call waits for it. @throws MemoryError EIO
   */
  override start(): Promise<void> {
    return withinTime(this.#waiting(), "read", async () => {
      await this.#connect();
      await Promise.all([this.#storage.memories.ready(), this.#storage.items.ready()]);
    });
  }

  /**
   * Closes the client if `fromConnString` made it. Every later call is then refused with MemoryError EIO. If you passed the client,
   * the client and the store stay open. Idempotent. Waits at most 2 s for a server that does not answer.
   */
  override async stop(): Promise<void> {
    if (!this.#ownsClient) return;
    this.#stopped = true;
    await closeInTime(this.#client);
  }

  /**
   * The memory of an address. Sends nothing to the database.
   * @throws MemoryError EINVAL for a bad address, TypeError for bad options
   */
  memory(address: MemoryAddress, options?: MemoryOptions): Memory {
    const timeoutMs = options?.timeoutMs ?? this.#timeoutMs;
    return openMemoryOver((checked, limits) => this.#storage.memories.backend(checked, limits), address, { ...options, timeoutMs });
  }

  /**
   * The memories that have all of these ids, without their texts; `{}`: all memories. Empty ones are listed too, as their
   * documents hold the ids. In a stable order: global memories, then those of threads, then of users; in each by node, then by
   * thread or user. A page of 500 is one command, and each may take `timeoutMs`.
   * @throws MemoryError EINVAL for a bad filter, at once; EIO while reading
   */
  listMemories(filter: MemoryFilter = {}): AsyncIterable<MemorySummary> {
    const ranges = checkMemoryFilter(filter);
    return summariesIn(ranges, (range, after) =>
      withinTime(this.#waiting(), "read", (call) => this.#memoriesFor(call).summaries(range, after)),
    );
  }

  /**
   * Erases a memory, or all memories of a thread or a user across nodes; what has expired and is not swept yet, too. What is written
   * meanwhile or later is a new memory, in which nothing of the old returns. If it fails, call it again: it finishes the rest.
   * Takes the user or the thread out of the histories of other memories too, where it has changed them.
   * @returns how many memories went, with how many files, versions and proposals
   * @throws MemoryError EINVAL for a bad address or id, EIO if the database failed or did not answer within `timeoutMs`
   */
  async forget(who: MemoryAddress | MemoryOwner): Promise<ForgottenCounts> {
    const range = checkForgotten(who);
    return withinTime(this.#waiting(), "change", (call) => this.#memoriesFor(call).remove(range));
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
   * Returns results in the order of the operations. Checks everything before it reads or writes. All reads see the items as they
   * were before the writes. Of several writes to one place the last one counts.
   * @throws InvalidNamespaceError for namespaces; MemoryError EINVAL, EFBIG or TypeError for other arguments; MemoryError
   *   EIO if the database failed or did not answer within `timeoutMs`; and the refusals of a memory
   */
  override async batch<Operations extends Operation[]>(operations: Operations): Promise<OperationResults<Operations>> {
    const act = Array.isArray(operations) && operations.some(isPut) ? "change" : "read";
    const answers = await withinTime(this.#waiting(), act, (call) =>
      new StoreBatch(this.#storage, call).run(operations),
    );
    return answers as OperationResults<Operations>;
  }

  /** @internal */
  [copyItems](items: readonly ForeignItem[], dryRun: boolean): Promise<CopyReport> {
    const memories = dryRun ? this.#openLayout(false) : this.#storage.memories;
    return new ForeignItems({ ...this.#storage, memories, clock: this.#clock }).copy(items, dryRun);
  }

  #waiting(): Waiting {
    return { signals: [], timeoutMs: this.#timeoutMs };
  }

  #memoriesFor(call: OngoingCall | undefined): MemoryLayout {
    return call === undefined ? this.#storage.memories : this.#storage.memories.forCall(call);
  }

  /**
   * Asked for by name: a client whose first connection failed stays closed for its own implicit connecting. Once is enough:
   * a client that was closed since would connect again, and keep the process alive.
   */
  #connect(): Promise<void> | undefined {
    if (this.#stopped) throw new MemoryError("EIO", "EIO: the store is stopped, and its connections are closed; open another one");
    return this.#connected ? undefined : this.#connectFirst();
  }

  async #connectFirst(): Promise<void> {
    try {
      await this.#client.connect();
      this.#connected = true;
    } catch (error) {
      throw storageError(error, "read", null);
    }
  }
}

function historyOf(history: MongoMemoryStoreOptions["history"] = false): HistoryContext | null {
  if (history === false) return null;
  return { begins: true, ...(history !== true && history) };
}

function isPut(operation: unknown): boolean {
  return typeof operation === "object" && operation !== null && "value" in operation;
}

function rankingOf(
  { client, index, vectorSearch, textSearch, ttl }: MongoMemoryStoreOptions,
  collectionName: string,
): Ranking | undefined {
  if (index !== undefined) {
    return new SemanticRanking({ collectionName, client, config: index, vectorSearch, expires: ttl !== undefined });
  }
  if (textSearch === false || (textSearch === undefined && isStrict(client))) return undefined;
  return new KeywordRanking(typeof textSearch === "object" ? textSearch : {});
}

/** Of a query that has no effect because of the client, once for each store. */
function warnOnce(): () => void {
  let warned = false;
  return () => {
    if (warned) return;
    warned = true;
    const reason = "the client's strict Stable API has no text index; set index, or textSearch: false to leave it so";
    process.emitWarning(`a query ranks nothing: ${reason}`, { type: "MemoryWarning" });
  };
}
