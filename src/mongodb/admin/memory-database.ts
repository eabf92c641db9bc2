import type { Collection, Db, MongoClient } from "mongodb";
import type { MemoryDocument } from "../memories/one-document/document.js";
import { storageError } from "../driver/errors.js";
import { createMemoryIndexes } from "../memories/one-document/indexes.js";
import { MongoBackend } from "../memories/one-document/one-document-backend.js";
import type { MongoMemoryContext } from "../memories/one-document/stored-document.js";
import { type CheckedAddress, checkAddress, type MemoryAddress } from "../../core/address.js";
import { CheckedMemory } from "../../core/checked-memory.js";
import { KeyedMutex } from "../../core/keyed-mutex.js";
import type { Memory } from "../../core/memory.js";
import { memoryDefaults } from "../../core/options.js";
import type { PathRule } from "../../core/paths.js";
import { connectionOf } from "../driver/client.js";
import { memoriesWithin } from "../memories/one-document/found-documents.js";

export interface MemoryDatabaseOptions {
  uri: string;
  /** @default the database of the connection string, "test" where that names none */
  dbName?: string | undefined;
  memoriesCollection?: string | undefined;
}

export interface OpenOptions {
  paths?: PathRule;
  /** @default the system clock */
  clock?: () => Date;
}

/** Unless the connection string says otherwise: somebody may be waiting at a terminal. */
const selectionTimeoutMs = 10_000;

/** Any but the limit of a document: administration must reach whatever there is. */
const limits = { maxFileBytes: memoryDefaults.maxFileBytes, maxMemoryBytes: memoryDefaults.maxMemoryBytes };

/**
 * The memories of a database, for programs that administer them: opened for reading it makes nothing, neither an index nor
 * a collection, so that it works for users who may only read, and a mistyped name makes no database.
 */
export class MemoryDatabase {
  readonly client: MongoClient;
  readonly db: Db;
  readonly collection: Collection<MemoryDocument>;
  readonly #reading: MongoMemoryContext;
  #indexes: Promise<void> | undefined;

  private constructor(client: MongoClient, { dbName, memoriesCollection = "memories" }: MemoryDatabaseOptions) {
    this.client = client;
    this.db = client.db(dbName);
    const writeConcern = { w: "majority", journal: true } as const;
    this.collection = this.db.collection<MemoryDocument>(memoriesCollection, { writeConcern });
    this.#reading = {
      collection: this.collection,
      ready: async () => undefined,
      edits: new KeyedMutex(),
      clock: () => new Date(),
    };
  }

  /** @throws TypeError for a malformed string, which it does not repeat; MemoryError EIO where no server answers, or for names that no database has */
  static async connect(options: MemoryDatabaseOptions): Promise<MemoryDatabase> {
    const ownTimeout = /[?&]serverSelectionTimeoutMS=/i.test(options.uri);
    const client = await connectionOf(options.uri, ownTimeout ? {} : { serverSelectionTimeoutMS: selectionTimeoutMs });
    try {
      await client.connect();
      return new MemoryDatabase(client, options);
    } catch (error) {
      await client.close();
      throw storageError(error, "read", 0);
    }
  }

  /** @throws MemoryError EINVAL for a bad address */
  memory(address: MemoryAddress, access: "read" | "write", options: OpenOptions = {}): Memory {
    const checked = checkAddress(address);
    const paths = options.paths ?? "posix";
    return new CheckedMemory(this.#backend(checked, access, options), checked, { ...limits, paths });
  }

  /** Of all memories that are not empty, in the order of their namespaces. */
  async *addresses(): AsyncGenerator<CheckedAddress> {
    for await (const { address } of memoriesWithin(this.#reading, [], "address")) yield address;
  }

  /** @returns whether it was in the earlier format. @throws MemoryError EIO, ECONFLICT, ENOSPC */
  rewriteEarlierFormat(address: CheckedAddress): Promise<boolean> {
    return this.#backend(address, "write", {}).rewriteEarlierFormat();
  }

  close(): Promise<void> {
    return this.client.close();
  }

  #backend(address: CheckedAddress, access: "read" | "write", { clock }: OpenOptions): MongoBackend {
    const ready = access === "read" ? this.#reading.ready : (): Promise<void> => this.#makeIndexes();
    return new MongoBackend({ ...this.#reading, ready, ...(clock && { clock }) }, address, limits);
  }

  #makeIndexes(): Promise<void> {
    this.#indexes ??= createMemoryIndexes(this.collection);
    return this.#indexes;
  }
}
