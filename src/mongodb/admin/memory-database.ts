import { createUnlimitedCall } from "../../core/runtime/call.js";
import { defaultItemsCollection } from "../items/item-document.js";
import type { ProposalSummary } from "../../core/approval/memory-proposals.js";
import type { DatabasePlace } from "../../core/values/database-place.js";
import type { Db, MongoClient } from "mongodb";
import type { CheckedAddress, MemoryAddress } from "../../core/values/address.js";
import type { Memory } from "../../core/memory.js";
import { openMemoryOver } from "../../core/open-memory-over.js";
import { memoryDefaults } from "../../core/memory-options.js";
import type { PathRule } from "../../core/values/paths.js";
import { closeInTime, createClient, getDatabasePlace, openMemoriesDatabase } from "../driver/client.js";
import { connectFirst } from "../driver/first-connection.js";
import { findTopology } from "../driver/topology.js";
import type { AddressRange } from "../memories/addresses/address-ranges.js";
import { listCollectionNames, openCollections } from "../memories/collections.js";
import { type MemoryFacts, type NodeFacts, readFacts, readNodes } from "../memories/listing/memory-facts.js";
import { rewriteEarlierHead } from "../memories/documents/earlier-documents.js";
import { type MemoriesContext, openContext } from "../memories/memory-context.js";
import { openMongoMemory } from "../memories/mongo-memory.js";
import { forgetRange } from "../memories/life/forget.js";
import { findMemoriesOfRun } from "../memories/listing/memories-of-run.js";
import { readSummaries } from "../memories/listing/memory-summaries.js";
import { presentCollections } from "../driver/present-collections.js";
import type { ForgottenCounts, MemorySummary, ProposalRange } from "../memories/addresses/memory-filter.js";
import { type ProposalPageEnd, readAllPages, summariesIn } from "../memories/listing/summary-pages.js";

export type { MemoryFacts, NodeFacts } from "../memories/listing/memory-facts.js";
export type { ForgottenCounts, MemorySummary } from "../memories/addresses/memory-filter.js";

export interface MemoryDatabaseOptions {
  uri: string;
  /** @default the database of the connection string, or "test" if it names none */
  dbName?: string | undefined;
  memoriesCollection?: string | undefined;
}

export interface OpenOptions {
  paths?: PathRule | undefined;
  maxFileBytes?: number | undefined;
}

/**
 * The limits unless the connection string sets others: a person may be waiting at a terminal. The defaults of the
 * driver are 30 s, 30 s and none.
 */
const timeouts = { serverSelectionTimeoutMS: 5000, connectTimeoutMS: 5000, socketTimeoutMS: 30_000 };

/**
 * The memories of a database, for programs that administer them. Opened for reading, it creates no indexes and no
 * collections. So it works for users who may only read, and a mistyped name creates no database.
 */
export class MemoryDatabase {
  readonly client: MongoClient;
  readonly db: Db;
  /** The option `memoriesCollection` of the store. */
  readonly collectionName: string;
  readonly #memories: Record<"read" | "write", MemoriesContext>;

  private constructor(client: MongoClient, { dbName, memoriesCollection = "memories" }: MemoryDatabaseOptions) {
    this.client = client;
    this.db = openMemoriesDatabase(client, dbName);
    this.collectionName = memoriesCollection;
    const open = (makesIndexes: boolean): MemoriesContext =>
      openCollections({
        db: this.db,
        client,
        collectionName: memoriesCollection,
        connect: () => Promise.resolve(),
        clock: () => new Date(),
        // Shows the stored state: memories that have expired for an application can still be listed and erased.
        expireMs: {},
        // Continues the histories that an application records.
        history: { begins: false },
        embeddings: null,
        makesIndexes,
      });
    this.#memories = { read: open(false), write: open(true) };
  }

  /**
   * @throws TypeError for a malformed string, or for a name of a database in it that MongoDB does not allow; neither
   * message repeats the string. MemoryError EIO if no server answers
   */
  static async connect(options: MemoryDatabaseOptions): Promise<MemoryDatabase> {
    const unset = Object.entries(timeouts).filter(([name]) => !new RegExp(`[?&]${name}=`, "i").test(options.uri));
    const client = await createClient(options.uri, Object.fromEntries(unset));
    const database = new MemoryDatabase(client, options);
    try {
      await connectFirst(client);
      return database;
    } catch (error) {
      await closeInTime(client);
      throw error;
    }
  }

  /** The place of the memories, for people. */
  get place(): DatabasePlace {
    return getDatabasePlace(this.client, this.db.databaseName);
  }

  /** @throws MemoryError EINVAL for a bad address */
  memory(
    address: MemoryAddress,
    access: "read" | "write",
    { paths = memoryDefaults.paths, maxFileBytes = memoryDefaults.maxFileBytes }: OpenOptions = {},
  ): Memory {
    return openMemoryOver((checked, limits) => openMongoMemory(this.#memories[access], checked, limits), address, {
      paths,
      maxFileBytes,
    });
  }

  /**
   * Whether a memory cannot exceed 15,000,000 bytes: without transactions it is one document. @throws MemoryError EIO
   */
  async limitsMemories(): Promise<boolean> {
    return (await findTopology(this.db)) === "standalone";
  }

  /** Reads facts of one memory or of all, including empty ones. Reads all of them, but returns a line for each. */
  facts(address: CheckedAddress | null = null): AsyncIterable<MemoryFacts> {
    return readFacts(this.#memories.read, address, createUnlimitedCall());
  }

  /** Reads the nodes that have a memory of each scope, even an empty one: at most 10,000 of each scope. */
  nodes(): AsyncIterable<NodeFacts> {
    return readNodes(this.#memories.read, 10_000, createUnlimitedCall());
  }

  /** @returns whether the memory had an outdated form. @throws MemoryError EIO, ECONFLICT, ENOSPC */
  upgrade(address: CheckedAddress): Promise<boolean> {
    return rewriteEarlierHead(openContext(this.#memories.write, address), createUnlimitedCall());
  }

  /** Whether there is anything to erase. Erasing from a missing collection would create it. @throws MemoryError EIO */
  async hasCollections(): Promise<boolean> {
    return (await presentCollections(this.db, listCollectionNames(this.collectionName))).size > 0;
  }

  /** @throws MemoryError EIO */
  summaries(ranges: readonly AddressRange[]): AsyncIterable<MemorySummary> {
    return summariesIn(ranges, (range, after) =>
      readSummaries(this.#memories.read, range, after, createUnlimitedCall()),
    );
  }

  /** Reads the proposals of all memories, oldest first, without their texts. @throws MemoryError EIO */
  proposals({ memories, statuses }: ProposalRange): AsyncIterable<ProposalSummary> {
    return readAllPages((after: ProposalPageEnd | null) =>
      this.#memories.read.records.summaries(memories, statuses, after, createUnlimitedCall()),
    );
  }

  /** Finds the memories whose history has versions of a run. @throws MemoryError EIO */
  memoriesOfRun(runId: string): Promise<CheckedAddress[]> {
    return findMemoriesOfRun(this.#memories.read, runId, createUnlimitedCall());
  }

  /** @throws MemoryError EIO */
  forget(range: AddressRange): Promise<ForgottenCounts> {
    return forgetRange(this.#memories.write, range, { itemsCollection: defaultItemsCollection }, createUnlimitedCall());
  }

  close(): Promise<void> {
    return closeInTime(this.client);
  }
}
