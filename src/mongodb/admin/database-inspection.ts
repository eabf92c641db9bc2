import { isDeepStrictEqual } from "node:util";
import type { Db, Document } from "mongodb";
import { isLegacy } from "../memories/one-document/change.js";
import { memoryIndexes } from "../memories/one-document/indexes.js";
import { checkAddress, type CheckedAddress } from "../../core/address.js";
import { MemoryError } from "../../core/errors.js";
import type { MemoryDatabase } from "./memory-database.js";
import { reading, streaming } from "../driver/reads.js";

/*
 * What can be learnt of a database without changing it.
 */

export interface ServerFacts {
  version: string;
  topology: "standalone" | "replica set" | "sharded cluster";
}

export async function serverFacts({ db }: MemoryDatabase): Promise<ServerFacts> {
  const [build, hello] = await reading(() => Promise.all([db.command({ buildInfo: 1 }), db.command({ hello: 1 })]));
  const topology = hello["msg"] === "isdbgrid" ? "sharded cluster" : hello["setName"] ? "replica set" : "standalone";
  return { version: String(build["version"]), topology };
}

export function hasCollection(db: Db, name: string): Promise<boolean> {
  return reading(() => db.listCollections({ name }, { nameOnly: true }).hasNext());
}

export interface IndexFacts {
  name: string;
  state: "present" | "missing" | "different";
  /** Whether a look-up by address reads no more than the index and the document; null where there is no index to use. */
  used: boolean | null;
}

/** Null where the collection does not exist yet. */
export async function indexFacts({ db, collection }: MemoryDatabase): Promise<IndexFacts[] | null> {
  const { collectionName } = collection;
  if (!(await hasCollection(db, collectionName))) return null;
  const found = await reading(() => collection.indexes());
  const facts = memoryIndexes.map(async (wanted): Promise<IndexFacts> => {
    const other = found.find((index) => index.name === wanted.name);
    if (other === undefined) return { name: wanted.name, state: "missing", used: null };
    const same = Object.entries(wanted).every(([field, value]) => isDeepStrictEqual(other[field as keyof typeof other], value));
    if (!same) return { name: wanted.name, state: "different", used: null };
    const filter = { nodeId: "a", ...("threadId" in wanted.key ? { scope: "perThread", threadId: "a" } : { scope: "global" }) };
    const plan = await reading(() => db.command({ explain: { find: collectionName, filter }, verbosity: "queryPlanner" }));
    return { name: wanted.name, state: "present", used: usesOnly(plan, wanted.name) };
  });
  return Promise.all(facts);
}

function usesOnly(plan: Document, indexName: string): boolean {
  const winning = JSON.stringify(valuesOf(plan, "winningPlan"));
  return winning.includes(JSON.stringify(indexName)) && !winning.includes("COLLSCAN");
}

/** Every value of that field, wherever it lies: shards have a plan each. */
function valuesOf(value: unknown, field: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Record<string, unknown>).flatMap(([name, inner]) => (name === field ? [inner] : valuesOf(inner, field)));
}

export interface MemoryFacts {
  /** Null for ids that no memory can have. */
  address: CheckedAddress | null;
  /** Of its document. */
  sizeBytes: number;
  earlierFormat: boolean;
}

/** Each document of the collection, or of one address only. Reads all of it, but answers a line each. */
export async function* memoryFacts({ collection }: MemoryDatabase, address?: CheckedAddress): AsyncGenerator<MemoryFacts> {
  const pipeline = [
    ...(address ? [{ $match: address }] : []),
    { $project: { nodeId: 1, scope: 1, threadId: 1, sizeBytes: { $bsonSize: "$$ROOT" }, earlierFormat: isLegacy } },
  ];
  const options = { promoteValues: true, promoteLongs: true, useBigInt64: false } as const;
  for await (const found of streaming(collection.aggregate<Record<string, unknown>>(pipeline, options))) {
    const { nodeId, scope, threadId, sizeBytes, earlierFormat } = found;
    yield {
      address: addressOf({ nodeId, scope, ...(threadId !== undefined && { threadId }) }),
      sizeBytes: Number(sizeBytes),
      earlierFormat: earlierFormat === true,
    };
  }
}

function addressOf(stored: unknown): CheckedAddress | null {
  try {
    return checkAddress(stored);
  } catch (error) {
    if (MemoryError.isInstance(error)) return null;
    throw error;
  }
}
