import type { Collection, MongoClient } from "mongodb";
import { notWaiting } from "../measuring/servers.js";
import type { Package } from "../package/built-package.js";
import type { Version } from "./versions.js";

export interface Server {
  client: MongoClient;
  dbName: string;
}

/** A store of a version, with collections of its own. */
export interface Place {
  version: Version;
  store: InstanceType<Package["MongoMemoryStore"]>;
  memories: Collection;
}

type StoreOptions = ConstructorParameters<Package["MongoMemoryStore"]>[0];

export async function placeOf(
  version: Version,
  { client, dbName }: Server,
  name: string,
  options: Partial<StoreOptions> = {},
): Promise<Place> {
  const [memoriesCollection, itemsCollection] = ["memories", "items"].map(
    (kind) => `${kind} ${name} ${version.name}`,
  ) as [string, string];
  const collections = { client, dbName, memoriesCollection, itemsCollection };
  const store = new version.package.MongoMemoryStore({ ...collections, memoryWriteConcern: notWaiting, ...options });
  await store.start();
  return { version, store, memories: client.db(dbName).collection(memoriesCollection) };
}

/** Brings the collection back to what it holds now. It knows no layout, so any version may be measured. */
export async function resetOf(collection: Collection, { client, dbName }: Server): Promise<() => Promise<void>> {
  const { collectionName } = collection;
  const kept = `${collectionName} kept`;
  await collection.aggregate([{ $out: kept }]).toArray();
  return async () => {
    await collection.deleteMany({});
    await client
      .db(dbName)
      .collection(kept)
      .aggregate([{ $merge: collectionName }])
      .toArray();
  };
}
