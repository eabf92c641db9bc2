import type { IndexDescription } from "mongodb";
import { RecentMap } from "../../core/runtime/recent-map.js";
import { TurnQueue } from "../../core/runtime/turn-queue.js";
import { ExactCollection } from "../driver/exact-collection.js";
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
import { makeTogether } from "./changing/change-together.js";
import { expiryIndexes, MemoryExpiry } from "./life/memory-expiry.js";
import { defaultPageBytes, type KnownPages, type MemoriesContext } from "./memory-context.js";
import type { MemoryDocument } from "./documents/page-document.js";
import { addressIndexes, createMemoryIndexes, outboxIndex, ownerIndexes, pageIndex } from "./documents/page-indexes.js";
import { PageCache } from "./reading/page-cache.js";
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
  const versions = new ExactCollection(db.collection<StoredVersion>(versionsName));
  const isReader = !store.makesIndexes;
  const opened = {
    db,
    client,
    collection: new ExactCollection(db.collection<MemoryDocument>(collectionName)),
    versions: new VersionCollection(versions, history ?? {}, clock),
    records: RecordCollection.open(db, { name: proposalsName, connect, clock }),
    vectors: VectorCollection.open(db, vectorsName, {
      connect,
      clock,
      expiryIndexes: expiryIndexes(expireMs),
      isUsed: embeddings !== null,
    }),
    embedder: embeddings && new Embedder(embeddings),
    changes: new TurnQueue({ mostTasks: 64, mostWeight: 2_000_000, doTogether: makeTogether }),
    clock,
    expiry: new MemoryExpiry(expireMs, clock),
    history,
    isReader,
    pageBytes: store.pageBytes ?? defaultPageBytes,
    server: { hasTransactions: null },
    knownPages: new RecentMap<KnownPages>(maxKnownMemories),
    cache: new PageCache(),
  };
  return { ...opened, ready: createMemoryIndexes(store, opened) };
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

/** The indexes that a collection must have. */
export interface NeededIndexes {
  collection: string;
  descriptions: readonly (IndexDescription & { name: string })[];
  /** The name of the collection that is created together with them. If it is absent, they are not missing. */
  madeWith: string;
}

/** Lists the indexes of all collections, for programs that check them. */
export function listIndexes(memoriesCollection: string): NeededIndexes[] {
  const { versionsName, proposalsName, vectorsName } = nameCollections(memoriesCollection);
  const describe = (
    collection: string,
    descriptions: NeededIndexes["descriptions"],
    madeWith = collection,
  ): NeededIndexes => ({ collection, descriptions, madeWith });
  return [
    describe(memoriesCollection, [...Object.values(addressIndexes), ...Object.values(ownerIndexes), pageIndex]),
    describe(memoriesCollection, [outboxIndex], versionsName),
    describe(versionsName, versionIndexes),
    describe(proposalsName, [...proposalIndexes, expiryIndex]),
    describe(vectorsName, vectorIndexes),
  ];
}
