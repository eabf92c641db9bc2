import { deepStrictEqual } from "node:assert/strict";
import type { Item } from "@langchain/langgraph-checkpoint";
import type { Collection, Document, MongoClient } from "mongodb";
import { startedOfficialStore } from "../../__tests__/helpers/official-store.js";
import { MongoMemoryStore } from "../measuring/built-package.js";
import {
  type BenchItem,
  createItems,
  createNewItem,
  load,
  officialDocument,
  pickItem,
  storeDocument,
} from "./fixture.js";
import { createOperations, createRawOperations, type OperationName, type Operations } from "./operations.js";

export interface StoreSide {
  operations: Operations;
  /** Undoes what the iteration of that operation did, by the raw driver and an index. */
  restore: (name: OperationName, iteration: number) => Promise<unknown>;
  /** How many there are of one item, or of all. */
  countStored: (item?: BenchItem) => Promise<number>;
}

export type StoreSides = Record<"ours" | "raw" | "official", StoreSide>;

/** A collection for each side, loaded with the same items through bulk inserts of the raw driver. */
export async function createSides(client: MongoClient, dbName: string, count: number): Promise<StoreSides> {
  const [ownName, rawName, officialName] = [`ours_${count}`, `raw_${count}`, `official_${count}`];
  const getCollection = (name: string): Collection => client.db(dbName).collection(name);
  const ours = new MongoMemoryStore({ client, dbName, itemsCollection: ownName, textSearch: false });
  await ours.start();
  await getCollection(rawName).createIndex({ ns: 1, expiresAt: 1 });
  const official = await startedOfficialStore(client, { dbName, collectionName: officialName });
  const createSide = async (collection: Collection, operations: Operations): Promise<StoreSide> => {
    const isOfficial = collection.collectionName === officialName;
    const toDocument = (item: BenchItem): Document => (isOfficial ? officialDocument : storeDocument)(item, new Date());
    await load(collection, createItems(count).map(toDocument));
    /** By an index of that side. */
    const toFilter = (item: BenchItem): Document => {
      const { _id, namespaceStr, key } = toDocument(item);
      return isOfficial ? { namespaceStr, key } : { _id };
    };
    return {
      operations,
      restore: async (name, iteration) => {
        if (name === "put new") await collection.deleteOne(toFilter(createNewItem(iteration)));
        if (name === "delete") await collection.insertOne(toDocument(pickItem(iteration, count)));
      },
      countStored: (item) => collection.countDocuments(item === undefined ? {} : toFilter(item)),
    };
  };
  const sides = {
    ours: await createSide(getCollection(ownName), createOperations(ours, count)),
    raw: await createSide(getCollection(rawName), createRawOperations(getCollection(rawName), count)),
    official: await createSide(getCollection(officialName), createOperations(official, count)),
  };
  await checkReads(sides);
  for (const side of Object.values(sides)) await checkWrites(side, count);
  return sides;
}

/** Fails where a store does not find what was loaded. The official one answers in no order, so only how much counts. */
async function checkReads({ ours, raw, official }: StoreSides): Promise<void> {
  const pages = ["search one namespace", "search a tenth", "search with a filter"] as const;
  const lists = ["listNamespaces of a tenth", "listNamespaces"] as const;
  for (const name of ["get hit", "get miss", ...pages, ...lists, "batch of 100 gets"] as const) {
    for (const iteration of [0, 1]) {
      const contents = toContents(await ours.operations[name](iteration));
      deepStrictEqual(toContents(await raw.operations[name](iteration)), contents, name);
      deepStrictEqual(toContents(await official.operations[name](iteration)).length, contents.length, name);
    }
  }
}

async function checkWrites({ operations, restore, countStored }: StoreSide, count: number): Promise<void> {
  for (const iteration of [0, 1]) {
    await operations["put new"](iteration);
    deepStrictEqual(await countStored(createNewItem(iteration)), 1);
    await restore("put new", iteration);
    await operations.delete(iteration);
    deepStrictEqual(await countStored(pickItem(iteration, count)), 0);
    await restore("delete", iteration);
    await operations["put existing"](iteration);
    await operations["batch of 100 puts"](iteration);
  }
  deepStrictEqual(await countStored(), count);
}

type Answer = (Partial<Item> & { _id?: string }) | string[] | null;

/** Keys and values, or namespaces, of whatever a side answered, sorted. */
function toContents(answer: unknown): string[] {
  const answers = (Array.isArray(answer) ? answer : [answer]) as Answer[];
  const contents = answers.flatMap((each) => {
    if (each === null) return [];
    if (Array.isArray(each)) return each.join("\0");
    return each.value === undefined ? String(each._id) : JSON.stringify([each.key, each.value]);
  });
  return contents.toSorted();
}
