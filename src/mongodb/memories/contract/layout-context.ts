import type { IndexConfig } from "@langchain/langgraph-checkpoint";
import type { Db, MongoClient, WriteConcernSettings } from "mongodb";
import type { Embedder } from "../../embeddings/embedder.js";
import type { VectorCollection } from "../../embeddings/vector-collection.js";
import type { Retention, VersionCollection } from "../../history/version-collection.js";
import type { RecordCollection } from "../../proposals/record-collection.js";
import type { ExpireMsOptions, MemoryExpiry } from "../memory-expiry.js";

/** Where and how a store keeps its memories. */
export interface StoreContext {
  db: Db;
  /** The client of the database, which opens sessions. */
  client: MongoClient;
  /** The option `memoriesCollection`. A layout of several collections begins their names with it. */
  collectionName: string;
  writeConcern: WriteConcernSettings;
  /**
   * Awaited before each command. Answers nothing where the client is connected. @throws MemoryError EIO, at once if the
   * store is stopped
   */
  connect: () => Promise<void> | undefined;
  clock: () => Date;
  /** Memories that have expired are missing to all methods but `facts` and `remove`, and are swept. */
  expireMs: ExpireMsOptions;
  /** Null: none is kept. */
  history: HistorySettings | null;
  /** By which passages are found. Null: by their words alone. */
  embeddings: EmbeddingsContext | null;
  /**
   * False for readers: nothing is made, so that a mistyped name makes no database, and rights to read are enough. A
   * revert then only tells which versions it would make.
   */
  makesIndexes: boolean;
  /**
   * Above how many documents of a memory an index of words narrows its searches. A layout that keeps a memory in one
   * document ignores it. Undefined: there is no such index, and every search reads all. At least 1.
   */
  narrowsAbove?: number | undefined;
}

/** What a layout is given. */
export interface LayoutContext extends StoreContext {
  shared: SharedCollections;
  expiry: MemoryExpiry;
  /** Whether it only keeps memories that have moved to it, and makes none. */
  isGuest: boolean;
}

/** Which embeddings, and the client of the database. */
export interface EmbeddingsContext {
  client: MongoClient;
  config: IndexConfig;
}

/** How a history is kept. */
export interface HistorySettings extends Retention {
  /** False where only memories that have a history already go on with it. */
  begins: boolean;
}

/** The collections beside the memories, which all layouts share: what is in them stays there when a memory moves. */
export interface SharedCollections {
  /** Also without history: what is forgotten may have one of another time. */
  versions: VersionCollection;
  /** The changes that wait for a person. */
  records: RecordCollection;
  /** Also without embeddings: another store may have stored some. */
  vectors: VectorCollection;
  /** Null: passages are found by their words alone. */
  embeddings: { client: MongoClient; embedder: Embedder } | null;
}
