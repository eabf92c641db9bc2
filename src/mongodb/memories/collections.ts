import type { Collection, Db, IndexDescription } from "mongodb";
import { KeyedMutex } from "../../core/runtime/keyed-mutex.js";
import { RecentMap } from "../../core/runtime/recent-map.js";
import { addressFor, memoryScopes } from "../../core/values/address.js";
import { ExactCollection } from "../driver/exact-collection.js";
import { once } from "../driver/once.js";
import { prepareDue } from "./listing/due-memories.js";
import { Embedder } from "../embeddings/embedder.js";
import { VectorCollection, vectorIndexes, vectorsCollectionName } from "../embeddings/vector-collection.js";
import {
  type StoredVersion,
  VersionCollection,
  versionIndexes,
  versionsCollectionName,
} from "../history/version-collection.js";
import { expiryIndex, proposalIndexes } from "../proposals/proposal-indexes.js";
import { RecordCollection } from "../proposals/record-collection.js";
import { expiryIndexes, MemoryExpiry } from "./life/memory-expiry.js";
import { defaultPageBytes, type KnownPages, type MemoriesContext } from "./memory-context.js";
import { lookUp, type MemoryDocument } from "./documents/page-document.js";
import { addressIndexes, createMemoryIndexes, outboxIndex, ownerIndexes, pageIndex } from "./documents/page-indexes.js";
import { PageSummaries } from "./reading/page-summaries.js";
import type { StoreContext } from "./store-context.js";

/** The most large memories whose pages a process remembers. */
const maxKnownMemories = 1000;

/**
 * Opens all memories of a store, each as one page or more (ADR 0051). Sends nothing to the server. Every failure of a
 * command is a MemoryError EIO. Ids and paths are checked before they arrive.
 */
export function openCollections(store: StoreContext): MemoriesContext {
  const { db, client, collectionName, connect, clock, expireMs, history, embeddings } = store;
  const { versionsName, proposalsName, vectorsName } = nameCollections(collectionName);
  const documents = db.collection<MemoryDocument>(collectionName);
  const versions = new ExactCollection(db.collection<StoredVersion>(versionsName));
  const isReader = !store.makesIndexes;
  const opened = {
    db,
    client,
    collection: new ExactCollection(documents),
    versions: new VersionCollection(versions, history ?? {}, clock),
    records: RecordCollection.open(db, {
      name: proposalsName,
      memories: collectionName,
      isReader,
      connect,
      clock,
      expireMs,
    }),
    vectors: VectorCollection.open(db, vectorsName, {
      connect,
      clock,
      expiryIndexes: expiryIndexes(expireMs),
      isUsed: embeddings !== null,
    }),
    embeddings: embeddings && { client: embeddings.client, embedder: new Embedder(embeddings.config) },
    edits: new KeyedMutex(),
    clock,
    expiry: new MemoryExpiry(expireMs, clock),
    history,
    isReader,
    pageBytes: store.pageBytes ?? defaultPageBytes,
    server: { isSharded: false, hasTransactions: null },
    knownPages: new RecentMap<KnownPages>(maxKnownMemories),
    summaries: new PageSummaries(),
  };
  const context = { ...opened, ready: createMemoryIndexes(store, opened, documents) };
  return { ...context, prepareDue: once(() => prepareDue(context)) };
}

function nameCollections(memoriesCollection: string): Record<"versionsName" | "proposalsName" | "vectorsName", string> {
  return {
    versionsName: versionsCollectionName(memoriesCollection),
    proposalsName: `${memoriesCollection}_proposals`,
    vectorsName: vectorsCollectionName(memoriesCollection),
  };
}

/** Returns the names of all collections that contain parts of memories. */
export function listCollectionNames(memoriesCollection: string): string[] {
  return [memoriesCollection, ...Object.values(nameCollections(memoriesCollection))];
}

/** An index that a collection must have. */
export interface NeededIndex {
  collection: Collection;
  description: IndexDescription & { name: string };
  /** A query that the index is for. */
  example: Record<string, unknown>;
  /** The fields that the query reads, if the index alone answers it. */
  projection?: Record<string, 1>;
  /**
   * The name of the collection that is created together with the index. If the collection is absent, the index is not
   * reported as missing.
   */
  madeWith: string;
}

/** Lists the indexes of all collections, for programs that check them. */
export function listIndexes(db: Db, memoriesCollection: string): NeededIndex[] {
  const { versionsName, proposalsName, vectorsName } = nameCollections(memoriesCollection);
  const describe = (name: string, description: NeededIndex["description"], madeWith = name): NeededIndex => ({
    collection: db.collection(name),
    description,
    example: createExample(description),
    madeWith,
  });
  const ofMemories = (description: NeededIndex["description"]): NeededIndex =>
    describe(memoriesCollection, description);
  return [
    ...memoryScopes.map((scope) => ({
      ...ofMemories(addressIndexes[scope]),
      example: lookUp(addressFor("a", scope, "a")),
    })),
    ...Object.values(ownerIndexes).map(ofMemories),
    {
      ...ofMemories(pageIndex),
      example: { _id: { $gte: "a", $lt: "b" }, lo: { $gt: "" } },
      projection: pageIndex.key,
    },
    describe(memoriesCollection, outboxIndex, versionsName),
    ...versionIndexes.map((index) => describe(versionsName, index)),
    ...[...proposalIndexes, expiryIndex].map((index) => describe(proposalsName, index)),
    ...vectorIndexes.map((index) => describe(vectorsName, index)),
  ];
}

/** Returns a query that an index serves, by its first field. The `$type` condition is for partial indexes. */
function createExample({ key, expireAfterSeconds }: NeededIndex["description"]): NeededIndex["example"] {
  const [field = ""] = Object.keys(key);
  return { [field]: expireAfterSeconds === undefined ? { $eq: "a", $type: "string" } : { $lte: new Date(0) } };
}
