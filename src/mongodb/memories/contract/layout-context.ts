import type { IndexConfig } from "@langchain/langgraph-checkpoint";
import type { Db, MongoClient, WriteConcernSettings } from "mongodb";
import type { Embedder } from "../../embeddings/embedder.js";
import type { VectorCollection } from "../../embeddings/vector-collection.js";
import type { Retention, VersionCollection } from "../../history/version-collection.js";
import type { RecordCollection } from "../../proposals/record-collection.js";
import type { ExpireMsOptions, MemoryExpiry } from "../expiry/memory-expiry.js";

/** The place and the settings of a store's memories. */
export interface StoreContext {
  /** Its reads go to the primary: an attempt of a change must see whether another one has overtaken it. */
  db: Db;
  /** The client of the database. It opens sessions. */
  client: MongoClient;
  /** The option `memoriesCollection`. In a layout of several collections, their names begin with this name. */
  collectionName: string;
  writeConcern: WriteConcernSettings;
  /**
   * Awaited before each command. Returns undefined if the client is connected already.
   * @throws MemoryError EIO, at once if the store is stopped
   */
  connect: () => Promise<void> | undefined;
  clock: () => Date;
  /** Expired memories are missing to all methods except `facts` and `remove`, and are deleted later. */
  expireMs: ExpireMsOptions;
  /** Null if the store keeps no history. */
  history: HistorySettings | null;
  /** The embeddings that find passages. Null if the search compares words only. */
  embeddings: EmbeddingsContext | null;
  /**
   * False for readers: they create no index, so that a mistyped name creates no database, and rights to read are
   * enough. A revert then only returns the versions that it would write.
   */
  makesIndexes: boolean;
  /**
   * A memory with more documents than this number gets its searches prefiltered by an index of words. A layout that
   * keeps a memory in one document ignores the number. Undefined: no such index exists, and every search reads all
   * texts. At least 1.
   */
  narrowsAbove?: number | undefined;
}

export interface LayoutContext extends StoreContext {
  shared: SharedCollections;
  expiry: MemoryExpiry;
  /** Whether the layout only keeps memories that have moved to it, and creates none. */
  isGuest: boolean;
}

export interface EmbeddingsContext {
  client: MongoClient;
  config: IndexConfig;
}

export interface HistorySettings extends Retention {
  /** False if only memories that already have a history continue it. */
  begins: boolean;
}

/** The collections that all layouts share. Their documents stay in them when a memory moves. */
export interface SharedCollections {
  /** Exists without a history too: a forgotten memory can have one from an earlier time. */
  versions: VersionCollection;
  /** The changes that wait for a person. */
  records: RecordCollection;
  /** Exists without embeddings too: another store can have stored some. */
  vectors: VectorCollection;
  /** Null if passages are found by their words only. */
  embeddings: { client: MongoClient; embedder: Embedder } | null;
}
