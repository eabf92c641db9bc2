import type { SharedCollections, StoreContext } from "./contract/store-context.js";
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
import type { LayoutIndex } from "./contract/layout.js";
import { expiryIndexes } from "./expiry/expiry-indexes.js";

export function openSharedCollections(context: StoreContext): SharedCollections {
  const { db, collectionName, writeConcern, connect, clock, expireMs, history, embeddings, makesIndexes } = context;
  const { versionsName, proposalsName, vectorsName } = nameCollections(collectionName);
  const versions = new ExactCollection(db.collection<StoredVersion>(versionsName, { writeConcern }));
  return {
    versions: new VersionCollection(versions, history ?? {}, clock),
    records: RecordCollection.open(db, {
      name: proposalsName,
      memories: collectionName,
      isReader: !makesIndexes,
      writeConcern,
      connect,
      clock,
      expireMs,
    }),
    vectors: VectorCollection.open(db, vectorsName, {
      writeConcern,
      connect,
      clock,
      expiryIndexes: expiryIndexes(expireMs),
      isUsed: embeddings !== null,
    }),
    embeddings: embeddings && { client: embeddings.client, embedder: new Embedder(embeddings.config) },
  };
}

/** Describes the indexes that the collections must have, for programs that check them. */
export function describeSharedCollections({ db, collectionName }: StoreContext): {
  indexes: LayoutIndex[];
  collectionNames: string[];
} {
  const { versionsName, proposalsName, vectorsName } = nameCollections(collectionName);
  const describe = (name: string, descriptions: readonly LayoutIndex["description"][]): LayoutIndex[] =>
    descriptions.map((description) => ({
      collection: db.collection(name),
      description,
      example: createExample(description),
      madeWith: name,
    }));
  return {
    indexes: [
      ...describe(versionsName, versionIndexes),
      ...describe(proposalsName, [...proposalIndexes, expiryIndex]),
      ...describe(vectorsName, vectorIndexes),
    ],
    collectionNames: [versionsName, proposalsName, vectorsName],
  };
}

/** Returns a query that an index serves, by its first field. The `$type` condition is for partial indexes. */
export function createExample({ key, expireAfterSeconds }: LayoutIndex["description"]): LayoutIndex["example"] {
  const [field = ""] = Object.keys(key);
  return { [field]: expireAfterSeconds === undefined ? { $eq: "a", $type: "string" } : { $lte: new Date(0) } };
}

function nameCollections(memoriesCollection: string): Record<"versionsName" | "proposalsName" | "vectorsName", string> {
  return {
    versionsName: versionsCollectionName(memoriesCollection),
    proposalsName: `${memoriesCollection}_proposals`,
    vectorsName: vectorsCollectionName(memoriesCollection),
  };
}
