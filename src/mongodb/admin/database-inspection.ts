import { isDeepStrictEqual } from "node:util";
import type { Db, Document } from "mongodb";
import { exactCollation } from "../driver/exact-collection.js";
import { reading } from "../driver/reads.js";
import { type Topology, findTopology } from "../driver/topology.js";
import { byNamespace, defaultItemsCollection } from "../items/item-document.js";
import { listCollectionNames, listIndexes, type NeededIndex } from "../memories/collections.js";
import type { MemoryDatabase } from "./memory-database.js";
import { presentCollections } from "../driver/present-collections.js";
import { getField, isObject } from "../../core/values/unknown-values.js";

export { isUnauthorized, unsupportedServer } from "../driver/errors.js";

/* Reads facts about a database, and changes nothing. */

export interface ServerFacts {
  version: string;
  topology: Topology;
}

export async function serverFacts({ db }: MemoryDatabase): Promise<ServerFacts> {
  const [build, topology] = await Promise.all([reading(() => db.command({ buildInfo: 1 })), findTopology(db)]);
  return { version: String(build["version"]), topology };
}

export interface CollationFacts {
  collection: string;
  holds: "memories" | "items";
  locale: string;
}

/** Reads the collections of the store that have a default collation. Items are found under their default name only. */
export async function defaultCollations({ db, collectionName }: MemoryDatabase): Promise<CollationFacts[]> {
  const filter = {
    name: { $in: [collectionName, defaultItemsCollection] },
    "options.collation": { $exists: true },
  };
  const collections = await reading(() => db.listCollections(filter, { nameOnly: false }).toArray());
  const facts: CollationFacts[] = [];
  for (const { name: collection, options } of collections) {
    const holds = collection === collectionName ? "memories" : "items";
    const isOurs =
      holds === "memories" || (await reading(() => db.collection(collection).indexExists(byNamespace.name)));
    const locale = getField(options?.["collation"], "locale");
    if (isOurs) facts.push({ collection, holds, locale: typeof locale === "string" ? locale : "unknown" });
  }
  return facts;
}

export async function hasCollection(db: Db, name: string): Promise<boolean> {
  return (await presentCollections(db, [name])).has(name);
}

export interface IndexFacts {
  name: string;
  collection: string;
  state: "present" | "missing" | "different";
  /** Whether a query by address reads no more than the index and the document. Null if there is no index to use. */
  used: boolean | null;
}

/** Returns null if the collection does not exist yet. */
export async function indexFacts({ db, collectionName }: MemoryDatabase): Promise<IndexFacts[] | null> {
  const names = await presentCollections(db, listCollectionNames(collectionName));
  if (!names.has(collectionName)) return null;
  return Promise.all(
    listIndexes(db, collectionName)
      .filter(({ madeWith }) => names.has(madeWith))
      .map((index) => readIndexFacts(db, index)),
  );
}

async function readIndexFacts(
  db: Db,
  { collection, description, example, projection = {} }: NeededIndex,
): Promise<IndexFacts> {
  const { name } = description;
  const facts = { name, collection: collection.collectionName };
  const other = (await reading(() => collection.indexes())).find((index) => index.name === name);
  if (other === undefined) return { ...facts, state: "missing", used: null };
  const sameFields = Object.entries(description).every(([field, value]) =>
    isDeepStrictEqual(getField(other, field), value),
  );
  const same = sameFields && other.collation === undefined;
  if (!same) return { ...facts, state: "different", used: null };
  const find = { find: collection.collectionName, filter: example, projection, collation: exactCollation };
  const plan = await reading(() => db.command({ explain: find, verbosity: "queryPlanner" }));
  return { ...facts, state: "present", used: usesOnly(plan, name) };
}

function usesOnly(plan: Document, indexName: string): boolean {
  const winning = JSON.stringify(findValues(plan, "winningPlan"));
  return winning.includes(JSON.stringify(indexName)) && !winning.includes("COLLSCAN");
}

/** Returns every value of the field at any depth: each shard has its own plan. */
function findValues(value: unknown, field: string): unknown[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === field ? [inner] : findValues(inner, field)));
}
