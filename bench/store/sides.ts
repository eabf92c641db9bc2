import { deepStrictEqual } from "node:assert/strict";
import type { Item } from "@langchain/langgraph-checkpoint";
import type { Collection, Document, MongoClient } from "mongodb";
import { startedOfficialStore } from "../../__tests__/helpers/official-store.js";
import type { Package } from "../package/built-package.js";
import { type BenchItem, itemAt, itemsAt, newItemAt, officialDocument, pickOf, storeDocument } from "./fixture.js";
import { type OperationName, type Operations, operationsOfStore, rawOperations } from "./operations.js";

export const sideNames = ["ours", "raw", "official"] as const;
export type SideName = (typeof sideNames)[number];

export interface Side {
  name: SideName;
  operations: Operations;
  /** Undoes what the iteration of that operation did, by the raw driver and an index. Untimed. */
  restore: (name: OperationName, iteration: number) => Promise<unknown>;
  collection: Collection;
}

export interface SidesOptions {
  package: Package;
  client: MongoClient;
  dbName: string;
  count: number;
}

/** A collection for each side, loaded with the same items through bulk inserts of the raw driver. */
export async function sidesOf(options: SidesOptions): Promise<Record<SideName, Side>> {
  const { client, dbName, count } = options;
  const nameOf = (side: SideName): string => `${side}_${count}`;
  const collectionOf = (side: SideName): Collection => client.db(dbName).collection(nameOf(side));
  const ours = new options.package.MongoMemoryStore({
    client,
    dbName,
    itemsCollection: nameOf("ours"),
    textSearch: false,
  });
  await ours.start();
  await client.db(dbName).collection(nameOf("raw")).createIndex({ ns: 1, expiresAt: 1 });
  const official = await startedOfficialStore(client, { dbName, collectionName: nameOf("official") });
  const operations = {
    ours: operationsOfStore(ours, count),
    raw: rawOperations(collectionOf("raw"), count),
    official: operationsOfStore(official, count),
  };
  const sideOf = async (name: SideName): Promise<Side> => {
    const collection = collectionOf(name);
    await load(
      collection,
      itemsAt(count).map((item) => documentOf(name, item, new Date())),
    );
    return { name, operations: operations[name], collection, restore: restoreOf(name, collection, count) };
  };
  const sides = { ours: await sideOf("ours"), raw: await sideOf("raw"), official: await sideOf("official") };
  await checkSides(sides, count);
  return sides;
}

export async function load(collection: Collection, documents: readonly Document[]): Promise<void> {
  const chunk = 5_000;
  for (let start = 0; start < documents.length; start += chunk) {
    await collection.insertMany(documents.slice(start, start + chunk), { ordered: false });
  }
}

function documentOf(side: SideName, item: BenchItem, now: Date): Document {
  return side === "official" ? officialDocument(item, now) : storeDocument(item, now);
}

/** By an index of that side. */
function filterOf(side: SideName, item: BenchItem): Document {
  const { _id, namespaceStr, key } = documentOf(side, item, new Date());
  return side === "official" ? { namespaceStr, key } : { _id };
}

function restoreOf(side: SideName, collection: Collection, count: number): Side["restore"] {
  return async (name, iteration) => {
    if (name === "put new") await collection.deleteOne(filterOf(side, newItemAt(iteration)));
    if (name === "delete") await collection.insertOne(documentOf(side, itemAt(pickOf(iteration, count)), new Date()));
  };
}

/** Fails where a store does not find what was loaded, or the sides do not answer or change the same. */
async function checkSides(sides: Record<SideName, Side>, count: number): Promise<void> {
  const { ours, raw, official } = sides;
  const reads = ["get hit", "get miss", "search one namespace", "search a tenth", "search with a filter"] as const;
  for (const name of [...reads, "listNamespaces of a tenth", "listNamespaces", "batch of 100 gets"] as const) {
    for (const iteration of [0, 1]) {
      const [own, byHand, theirs] = await Promise.all(
        [ours, raw, official].map((side) => side.operations[name](iteration)),
      );
      deepStrictEqual(contentOf(own), contentOf(byHand), name);
      // The official store answers in no order, so its pages hold other items.
      if (name === "search a tenth" || name === "search one namespace")
        deepStrictEqual(lengthOf(theirs), lengthOf(own), name);
      else deepStrictEqual(contentOf(theirs).length, contentOf(own).length, name);
    }
  }
  for (const side of [ours, raw, official]) {
    const exists = (item: BenchItem) => side.collection.countDocuments(filterOf(side.name, item));
    for (const iteration of [0, 1]) {
      await side.operations["put new"](iteration);
      deepStrictEqual(await exists(newItemAt(iteration)), 1);
      await side.restore("put new", iteration);
      await side.operations.delete(iteration);
      deepStrictEqual(await exists(itemAt(pickOf(iteration, count))), 0);
      await side.restore("delete", iteration);
      await side.operations["put existing"](iteration);
      await side.operations["batch of 100 puts"](iteration);
    }
    deepStrictEqual(await side.collection.countDocuments(), count, `${side.name} after its writes`);
  }
}

const lengthOf = (answer: unknown): number => (answer as unknown[]).length;

/** Keys and values, or namespaces, of whatever a side answered, sorted. */
function contentOf(answer: unknown): string[] {
  const answers = (Array.isArray(answer) ? answer : [answer]) as (
    | (Partial<Item> & { _id?: string })
    | string[]
    | null
  )[];
  const contents = answers
    .filter((one) => one !== null)
    .map((one) => {
      if (Array.isArray(one)) return one.join("\0");
      return one.value === undefined ? String(one._id) : JSON.stringify([one.key, one.value]);
    });
  return contents.toSorted();
}
