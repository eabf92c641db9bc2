import { describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import type { Document } from "mongodb";
import { MongoClient, ObjectId } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { db, name: dbName, uri } = testDatabase();
const client = useClient(new MongoClient(uri, { monitorCommands: true }));

/** A collection with documents of a shop, and its name. */
async function createCollection(...documents: Document[]): Promise<string> {
  const name = `shop ${randomUUID()}`;
  await db.collection(name).insertMany(documents);
  return name;
}

const listIndexes = async (collection: string): Promise<unknown[]> =>
  (await db.collection(collection).indexes()).map(({ name }) => name);

const ownItem = {
  _id: "users\0ada\0\0k",
  ns: "users\0ada",
  key: "k",
  value: { text: "x" },
  createdAt: new Date(),
  updatedAt: new Date(),
} as never;

describe("a collection with documents of another program", () => {
  const refusal = (option: string): object => ({
    code: "EIO",
    message: expect.stringMatching(new RegExp(`another program.*option ${option}$`)),
  });

  it.each<[string, Document[]]>([
    ["ids of the driver", [{ name: "chair", price: 5 }]],
    ["ids that are numbers", [{ _id: 5 as never, name: "chair" }]],
    ["ids that are texts", [{ _id: "chair" as never, price: 5 }]],
    ["ids of its own beside items of the store", [ownItem, { name: "chair" }]],
  ])("is neither read, indexed nor written for items: %s", async (_, documents) => {
    const itemsCollection = await createCollection(...documents);
    const store = new MongoMemoryStore({ client, dbName, itemsCollection });
    const calls = [
      () => store.put(["a"], "k", {}),
      () => store.start(),
      () => store.get(["a"], "k"),
      () => store.search([]),
      () => store.search(["a"], { query: "chair" }),
      () => store.listNamespaces(),
      () => store.delete(["a"], "k"),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(refusal("itemsCollection"));
    expect(await db.collection(itemsCollection).countDocuments()).toBe(documents.length);
    expect(await listIndexes(itemsCollection)).toEqual(["_id_"]);
  });

  it("is neither read, indexed nor written for memories", async () => {
    const memoriesCollection = await createCollection({ title: "holidays" });
    const store = new MongoMemoryStore({ client, dbName, memoriesCollection });
    const memory = store.memory({ nodeId: "a" });
    const listed = async (): Promise<unknown> => {
      for await (const found of store.listMemories()) return found;
      return null;
    };
    for (const call of [
      () => memory.append("/a", "x"),
      () => memory.list("/"),
      () => store.start(),
      () => store.search(["memory"]),
      () => store.forget({ nodeId: "a" }),
      () => store.forget({ userId: "a" }),
      listed,
    ]) {
      await expect(call()).rejects.toMatchObject(refusal("memoriesCollection"));
    }
    expect(await db.collection(memoriesCollection).countDocuments()).toBe(1);
    expect(await listIndexes(memoriesCollection)).toEqual(["_id_"]);
  });

  it("is taken once the documents are gone", async () => {
    const itemsCollection = await createCollection({ _id: new ObjectId() });
    const store = new MongoMemoryStore({ client, dbName, itemsCollection });
    await expect(store.put(["a"], "k", {})).rejects.toMatchObject({ code: "EIO" });
    await db.collection(itemsCollection).deleteMany({});
    await store.put(["a"], "k", {});
    expect(await store.listNamespaces()).toEqual([["a"]]);
  });
});

describe("a collection of earlier versions", () => {
  it("is found under its default name, its items, and memories that must be rewritten", async () => {
    const own = testDatabase();
    await own.db.collection("items").insertOne(ownItem);
    await own.db
      .collection("memories")
      .insertOne({ nodeId: "assistant", scope: "global", data: { notes: "text" }, revision: 1 });
    const store = new MongoMemoryStore({ client, dbName: own.name });
    expect(await store.get(["users", "ada"], "k")).toMatchObject({ value: { text: "x" } });
    await expect(store.memory({ nodeId: "assistant" }).read("/notes")).rejects.toThrow(/memories of an earlier format/);
  });

  it("is looked at once, by two ids of its index, however large it is", async () => {
    const itemsCollection = await createCollection(
      ...Array.from({ length: 50 }, (_, index) => ({ ...(ownItem as object), _id: `n\0\0${index}` as never })),
    );
    const store = new MongoMemoryStore({ client, dbName, itemsCollection });
    const sent = await commandsOf(client, async () => {
      for (let call = 0; call < 3; call += 1) await store.get(["n"], String(call));
    });
    expect(sent.map(({ commandName }) => commandName)).toEqual(["aggregate", "find", "find", "find"]);
    const { pipeline, collation } = sent[0]?.command ?? {};
    const explain = {
      aggregate: itemsCollection,
      pipeline: (pipeline as Document[]).slice(0, 2),
      collation: collation as Document,
      cursor: {},
    };
    const plan = await db.command({ explain, verbosity: "executionStats" });
    expect(plan["executionStats"]).toMatchObject({ totalKeysExamined: 1 });
  });
});
