import type { Db, MongoClient } from "mongodb";
import type { EmbeddingsConfig } from "../embeddings/embedder.js";
import type { Retention } from "../history/version-collection.js";
import type { ExpireMsOptions } from "./life/memory-expiry.js";

/** The place and the settings of a store's memories. */
export interface StoreContext {
  /** The database. Reads go to the primary: an attempt of a change must see whether another one has overtaken it. */
  db: Db;
  /** The client of the database. It opens sessions. */
  client: MongoClient;
  /** The option `memoriesCollection`. */
  collectionName: string;
  /**
   * Awaited before each command. Returns undefined if the client is connected already.
   * @throws MemoryError EIO, at once if the store is stopped
   */
  connect: () => Promise<void> | undefined;
  clock: () => Date;
  /** Expired memories are missing to all methods except `facts` and `forget`, and are deleted later. */
  expireMs: ExpireMsOptions;
  /** Null if the store keeps no history. */
  history: HistorySettings | null;
  /** The embeddings that find passages. Null if the search compares words only. */
  embeddings: EmbeddingsConfig | null;
  /**
   * False for readers: they create no index, so that a mistyped name creates no database, and rights to read are
   * enough. A revert then only returns the versions that it would write.
   */
  makesIndexes: boolean;
  /** The size in bytes from which on a page of a memory is split. @default 256 kB */
  pageBytes?: number | undefined;
}

export interface HistorySettings extends Retention {
  /** False if only memories that already have a history continue it. */
  begins: boolean;
}
