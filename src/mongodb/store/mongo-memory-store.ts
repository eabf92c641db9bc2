import {
  BaseStore,
  type GetOperation,
  type Item,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import type { MongoClient } from "mongodb";
import { z } from "zod";
import { type DatabasePlace, describePlace } from "../../core/values/database-place.js";
import { MemoryError } from "../../core/values/errors.js";
import { checkOptions } from "../../core/settings/check-options.js";
import { defaultItemsCollection } from "../items/item-document.js";
import { connectFirst } from "../driver/first-connection.js";
import type { MemoriesContext } from "../memories/memory-context.js";
import { openMongoMemory } from "../memories/mongo-memory.js";
import { sweep } from "../memories/life/expire.js";
import { forgetRange } from "../memories/life/forget.js";
import { readSummaries } from "../memories/listing/memory-summaries.js";
import {
  checkForgotten,
  checkMemoryFilter,
  checkProposalFilter,
  type ForgetOptions,
  type ForgottenCounts,
  type MemoryFilter,
  type MemoryOwner,
  type MemorySummary,
  type ProposalFilter,
} from "../memories/addresses/memory-filter.js";
import { type ProposalPageEnd, readAllPages, summariesIn } from "../memories/listing/summary-pages.js";
import type { CheckedAddress, MemoryAddress } from "../../core/values/address.js";
import type { ProposalSummary } from "../../core/approval/memory-proposals.js";
import type { BackendLimits, MemoryBackend } from "../../core/contract/backend.js";
import type { Memory } from "../../core/memory.js";
import { openMemoryOver } from "../../core/open-memory-over.js";
import { type CallContext, runWithDeadline, type Stage } from "../../core/runtime/call.js";
import { memoryDefaults, type MemoryOptions } from "../../core/memory-options.js";
import { closeInTime, createClient, getDatabasePlace, openDatabase } from "../driver/client.js";
import { checkNamespace } from "../operations/check-namespace.js";
import { readInRun } from "../../langchain/read-in-run.js";
import { describeBatch } from "./shown-reads.js";
import { type BatchStorage, checkBatch, StoreBatch } from "./store-batch.js";
import { openItems, openMemories } from "./open-storage.js";
import { checkStoreOptions, type MongoMemoryStoreOptions } from "./store-options.js";

type SearchOptions = Parameters<BaseStore["search"]>[1];
type ListNamespacesOptions = Parameters<BaseStore["listNamespaces"]>[0];

const forgetOptionsSchema = z.strictObject({ mentions: z.boolean().default(true) });

const brand: symbol = Symbol.for("langgraph-mongo-memory.MongoMemoryStore");

/**
 * A LangGraph store in MongoDB whose memories are atomic across processes.
 *
 * It keeps memories in one collection: a document for each address, and more for a memory that grows large. It keeps all other items in
 * another collection. Its own methods show memories too, under the namespaces `["memory", nodeId, "global"]`,
 * `["memory", nodeId, "perThread", threadId]` and `["memory", nodeId, "perUser", userId]`. Every method works without
 * `start()`. It makes the indexes at first use.
 */
export class MongoMemoryStore extends BaseStore {
  readonly #client: MongoClient;
  #ownsClient = false;
  readonly #memories: MemoriesContext;
  readonly #timeoutMs: number;
  readonly #storage: BatchStorage;
  readonly #databaseName: string;
  readonly #itemsCollection: string;
  #stopped = false;
  #connected = false;

  /**
   * Sends nothing to the server yet.
   * @throws TypeError for bad options
   */
  constructor(options: MongoMemoryStoreOptions) {
    super();
    checkStoreOptions(options);
    Object.defineProperty(this, brand, { value: true });
    const clock = options.clock ?? ((): Date => new Date());
    const database = openDatabase(options.client, options.dbName);
    this.#client = options.client;
    this.#databaseName = database.databaseName;
    this.#itemsCollection = options.itemsCollection ?? defaultItemsCollection;
    this.#timeoutMs = options.timeoutMs ?? memoryDefaults.timeoutMs;
    const connect = (): Promise<void> | undefined => this.#connect();
    this.#memories = openMemories(options, { connect, clock, makesIndexes: true });
    this.#storage = { ...openItems(options, database, { connect, clock }), memories: this.#memories };
  }

  /**
   * Makes a client and connects it to `uri`. `stop()` closes it.
   *
   * @param uri a MongoDB connection string; its options are the driver's.
   * @throws MemoryError EIO within 5 s if no server can be reached, with the reason, and a cause that names the host; or
   *   if none answers within the `timeoutMs` of the options or the driver's `serverSelectionTimeoutMS` (30 s
   *   by default, both). TypeError if the string or the options are malformed. Neither repeats the string.
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

  /** Recognises stores of any copy of this package. It does not recognise LangGraph's wrapper: see `openMemory`. */
  static isInstance(value: unknown): value is MongoMemoryStore {
    return typeof value === "object" && value !== null && brand in value;
  }

  /**
   * Connects and creates the indexes. If you do not call `start`, the first command does so. Idempotent. An index that
   * takes longer than `timeoutMs` is still created, and the next call waits for it. @throws MemoryError EIO
   */
  override start(): Promise<void> {
    return this.#run("read", async () => {
      await Promise.all([this.#memories.ready(), this.#storage.items.ready()]);
    });
  }

  /**
   * Closes the client if `fromConnString` made it. Every later call is then refused with MemoryError EIO. If you passed
   * the client, the client and the store stay open. Idempotent. Waits at most 2 s for a server that does not answer.
   */
  override async stop(): Promise<void> {
    if (!this.#ownsClient) return;
    this.#stopped = true;
    await closeInTime(this.#client);
  }

  /**
   * Opens the memory of an address. Sends nothing to the database.
   * @throws MemoryError EINVAL for a bad address; TypeError for bad options
   */
  memory(address: MemoryAddress, options?: MemoryOptions): Memory {
    const timeoutMs = options?.timeoutMs ?? this.#timeoutMs;
    const isLimited = options?.maxMemoryBytes !== undefined;
    const open = (checked: CheckedAddress, limits: BackendLimits): MemoryBackend =>
      openMongoMemory(this.#memories, checked, { ...limits, isLimited });
    return openMemoryOver(open, address, { ...options, timeoutMs });
  }

  /**
   * Lists the memories that match all fields, without their texts; `{}` lists all memories. Empty memories are listed
   * too, because their documents contain the ids. The order is stable: global memories, then memories of threads, then
   * memories of users; within each by node, then by thread or user. Reads pages of 500, each within `timeoutMs`. A page
   * is one command.
   * @throws MemoryError EINVAL for a bad filter, at once; EIO while reading
   */
  listMemories(filter: MemoryFilter = {}): AsyncIterable<MemorySummary> {
    const ranges = checkMemoryFilter(filter);
    return summariesIn(ranges, (range, after) =>
      this.#run("read", (call) => readSummaries(this.#memories, range, after, call)),
    );
  }

  /**
   * Lists the proposals of all memories that match all fields, oldest first, without their texts; by default those that
   * still wait. `memory(address).proposals` reads one with its texts, and approves or rejects it. Reads pages of 500,
   * each within `timeoutMs`. A page is one command, which uses an index.
   * @throws MemoryError EINVAL for a bad filter, at once; EIO while reading
   */
  listProposals(filter: ProposalFilter = {}): AsyncIterable<ProposalSummary> {
    const { memories, statuses } = checkProposalFilter(filter);
    return readAllPages((after: ProposalPageEnd | null) =>
      this.#run("read", (call) => this.#memories.records.summaries(memories, statuses, after, call)),
    );
  }

  /**
   * Erases a memory, or all memories of a thread or a user in all nodes, also expired ones. An address without a scope is
   * that of the global memory, while `listMemories({ nodeId })` lists the memories of all scopes. It also removes the id
   * of the user or the thread from the histories of other memories. A write during `forget` or later makes a new memory,
   * without the old texts. If it fails, call it again: it finishes the rest.
   * @returns the number of erased memories, files, versions and proposals, and what still mentions the thread or user
   * @throws MemoryError EINVAL for a bad address or id, TypeError for bad options, EIO if the database failed or did not
   * answer within `timeoutMs`
   */
  async forget(who: MemoryAddress | MemoryOwner, options: ForgetOptions = {}): Promise<ForgottenCounts> {
    const range = checkForgotten(who);
    const { mentions } = checkOptions("ForgetOptions", forgetOptionsSchema, options);
    const itemsCollection = mentions ? this.#itemsCollection : null;
    return this.#run("change", (call) => forgetRange(this.#memories, range, { itemsCollection }, call));
  }

  /**
   * Removes all memories that have expired by the `expireMs` of this store, with their versions, and the versions of
   * memories that MongoDB has removed. Without `expireMs` it removes nothing. It has no time limit as a whole; each
   * memory has `timeoutMs`. If it fails, call it again: it removes the rest.
   * @returns the number of memories that this call removed
   * @throws MemoryError EIO if the database failed or did not answer within `timeoutMs`
   */
  async sweepExpired(): Promise<{ memories: number }> {
    return sweep(this.#memories, { signals: [], timeoutMs: this.#timeoutMs });
  }

  /** @throws InvalidNamespaceError, MemoryError, TypeError, as every method of a store: see {@link batch} */
  override async get(namespace: string[], key: string): Promise<Item | null> {
    return (await this.batch<[GetOperation]>([{ namespace, key }]))[0];
  }

  override async search(namespacePrefix: string[], options?: SearchOptions): Promise<SearchItem[]> {
    return (await this.batch<[SearchOperation]>([{ ...options, namespacePrefix }]))[0];
  }

  /** Unlike `batch`, refuses the root label `langgraph`. */
  override async put(namespace: string[], key: string, value: Item["value"], index?: false | string[]): Promise<void> {
    if (Array.isArray(namespace) && namespace[0] === "langgraph") return super.put(namespace, key, value, index);
    await this.batch<[PutOperation]>([{ namespace, key, value, ...(index !== undefined && { index }) }]);
  }

  override async delete(namespace: string[], key: string): Promise<void> {
    await this.batch([{ namespace, key, value: null }]);
  }

  override async listNamespaces(options?: ListNamespacesOptions): Promise<string[][]> {
    for (const labels of [options?.prefix, options?.suffix]) if (labels) checkNamespace(labels, { allowEmpty: true });
    return super.listNamespaces(options ?? {});
  }

  /**
   * Returns results in the order of the operations. Checks everything before it reads or writes. All reads see the
   * items as they were before the writes. If several writes have the same namespace and key, the last one counts.
   * @throws InvalidNamespaceError for namespaces; MemoryError EINVAL, EFBIG or TypeError for other arguments;
   *   MemoryError EIO if the database failed or did not answer within `timeoutMs`; and the refusals of a memory
   */
  override async batch<Operations extends Operation[]>(operations: Operations): Promise<OperationResults<Operations>> {
    const stage = Array.isArray(operations) && operations.some(isPut) ? "change" : "read";
    const run = (): Promise<unknown[]> => {
      const checked = checkBatch(operations, this.#storage.ranking);
      return this.#run(stage, (call) => new StoreBatch(this.#storage, checked, call).run());
    };
    const answers = await (stage === "read" ? readInRun(() => describeBatch(operations), run) : run());
    // One answer for each operation, of its kind.
    return answers as OperationResults<Operations>;
  }

  /** @internal */
  [describePlace](): DatabasePlace {
    return getDatabasePlace(this.#client, this.#databaseName);
  }

  /** Runs a call within its time limit. The stage begins when the client is connected: nothing is sent before. */
  #run<T>(stage: Stage, run: (call: CallContext) => Promise<T>): Promise<T> {
    return runWithDeadline({ signals: [], timeoutMs: this.#timeoutMs, actor: null }, (call) => {
      const begin = (): Promise<T> => {
        call.stage = stage;
        return run(call);
      };
      return this.#connect()?.then(begin) ?? begin();
    });
  }

  /**
   * Connects explicitly. Reason: after a failed first connection, a client does not connect by itself. Connects only
   * once: otherwise a client that was closed would connect again, and keep the process alive.
   */
  #connect(): Promise<void> | undefined {
    if (this.#stopped) return Promise.reject(stopped());
    return this.#connected ? undefined : this.#connectFirst();
  }

  async #connectFirst(): Promise<void> {
    await connectFirst(this.#client, this.#timeoutMs);
    this.#connected = true;
  }
}

function stopped(): MemoryError {
  return new MemoryError("EIO", "EIO: the store is stopped, and its connections are closed; open another one");
}

function isPut(operation: unknown): boolean {
  return typeof operation === "object" && operation !== null && "value" in operation;
}
