import { isDeepStrictEqual } from "node:util";
import type { Db, IndexDescription, IndexDescriptionInfo } from "mongodb";
import { reading } from "../driver/reads.js";
import { type Topology, findTopology } from "../driver/topology.js";
import { listCollectionNames, listIndexes } from "../memories/collections.js";
import type { MemoryDatabase } from "./memory-database.js";
import { presentCollections } from "../driver/present-collections.js";
import { getField } from "../../core/values/unknown-values.js";

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

export async function hasCollection(db: Db, name: string): Promise<boolean> {
  return (await presentCollections(db, [name])).has(name);
}

export interface IndexFacts {
  name: string;
  collection: string;
  state: "present" | "missing" | "different";
}

/** Returns null if the collection does not exist yet. */
export async function indexFacts({ db, collectionName }: MemoryDatabase): Promise<IndexFacts[] | null> {
  const names = await presentCollections(db, listCollectionNames(collectionName));
  if (!names.has(collectionName)) return null;
  const facts: IndexFacts[] = [];
  for (const { collection, madeWith, descriptions } of listIndexes(collectionName)) {
    if (!names.has(madeWith)) continue;
    const stored = await reading(() => db.collection(collection).indexes());
    for (const description of descriptions) {
      const other = stored.find(({ name }) => name === description.name);
      facts.push({
        name: description.name,
        collection,
        state: other === undefined ? "missing" : isSame(other, description) ? "present" : "different",
      });
    }
  }
  return facts;
}

/** An index of another collation is another index. */
function isSame(stored: IndexDescriptionInfo, description: IndexDescription): boolean {
  const isField = ([field, value]: [string, unknown]): boolean => isDeepStrictEqual(getField(stored, field), value);
  return stored.collation === undefined && Object.entries(description).every(isField);
}
