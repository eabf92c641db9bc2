import { describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { type Document, MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { FakeEmbeddings } from "../../helpers/fake-embeddings.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { db, name: dbName, uri } = testDatabase();
const client = useClient(new MongoClient(uri, { monitorCommands: true }));

/** A store whose collections take `ACME` for `acme` where a command does not say otherwise. */
async function storeOnFoldingCollections(): Promise<{ store: MongoMemoryStore; memories: string; items: string }> {
  const [memories, items] = [`memories ${randomUUID()}`, `items ${randomUUID()}`];
  for (const collection of [memories, items])
    await db.createCollection(collection, { collation: { locale: "en", strength: 2 } });
  return {
    store: new MongoMemoryStore({ client, dbName, memoriesCollection: memories, itemsCollection: items }),
    memories,
    items,
  };
}

describe("collections that are case-insensitive by default", () => {
  it("keep memories apart whose ids differ in case", async () => {
    const { store, memories } = await storeOnFoldingCollections();
    const secret = store.memory({ nodeId: "acme", scope: "perThread", threadId: "ada" });
    await secret.write("/notes/today", "secret");
    for (const address of [
      { nodeId: "ACME", threadId: "ada" },
      { nodeId: "acme", threadId: "Ada" },
    ]) {
      const other = store.memory({ ...address, scope: "perThread" });
      expect(await other.stat("/notes/today")).toBeNull();
      await other.append("/notes/today", "other");
      expect(await other.delete("/")).toEqual({ files: 1, dirs: 1 });
    }
    expect(await secret.read("/notes/today")).toBe("secret");
    expect(await store.search(["memory", "ACME"])).toEqual([]);
    expect(await store.listNamespaces({ prefix: ["memory", "acme"] })).toEqual([
      ["memory", "acme", "perThread", "ada"],
    ]);
    expect(await db.collection(memories).countDocuments()).toBe(3);
  });

  it("have one document for racing first writes of an address", async () => {
    const { store, memories } = await storeOnFoldingCollections();
    const names = Array.from({ length: 20 }, (_, index) => `/f${index}`);
    await Promise.all(
      names.map((path, index) => store.memory({ nodeId: index % 2 === 0 ? "acme" : "ACME" }).write(path, "x")),
    );
    expect((await store.memory({ nodeId: "acme" }).list("/")).map(({ name }) => name)).toHaveLength(10);
    expect(await db.collection(memories).countDocuments()).toBe(2);
  });

  it("answer no item of a place that differs in case, and refuse to put one there", async () => {
    const { store } = await storeOnFoldingCollections();
    await store.put(["acme"], "key", { text: "secret" });
    for (const [namespace, key] of [
      [["ACME"], "key"],
      [["acme"], "KEY"],
    ] as const) {
      expect(await store.get([...namespace], key)).toBeNull();
      await store.delete([...namespace], key);
    }
    expect(await store.search(["ACME"])).toEqual([]);
    expect(await store.search(["acme"], { filter: { text: "SECRET" } })).toEqual([]);
    expect(await store.listNamespaces({ prefix: ["ACME"] })).toEqual([]);
    await expect(store.put(["ACME"], "key", {})).rejects.toMatchObject({
      code: "EIO",
      message: expect.stringMatching(/collation.*itemsCollection/),
    });
    expect(await store.get(["acme"], "key")).toMatchObject({ value: { text: "secret" } });
  });
});

/** Of each command, or of each of its parts where they have one each. */
function getCollations(command: Document): unknown[] {
  const parts = (command["updates"] ?? command["deletes"] ?? command["indexes"] ?? [command]) as Document[];
  return parts.map(({ collation }) => collation as unknown);
}

it("every command of a store says that texts are compared byte by byte", async () => {
  const options = { client, dbName, ttl: { defaultTtlMs: 60_000, refreshOnRead: true } };
  const store = new MongoMemoryStore({ ...options, itemsCollection: "plain" });
  const semantic = new MongoMemoryStore({
    ...options,
    itemsCollection: "semantic",
    index: { dims: 4, embeddings: new FakeEmbeddings() },
  });
  const sent = await commandsOf(client, async () => {
    for (const each of [store, semantic]) {
      await each.put(["a"], "k", { text: "a" });
      await each.batch([
        { namespace: ["a"], key: "k" },
        { namespace: ["a"], key: "k2" },
        { namespace: ["b"], key: "k", value: {} },
        { namespace: ["c"], key: "k", value: null },
      ]);
      await each.get(["a"], "k");
      await each.search([], { query: "a" });
      await each.search(["a"]);
      await each.listNamespaces();
      await each.delete(["a"], "k");
      await each.search(["memory"]);
    }
    const memory = store.memory({ nodeId: "a" });
    await memory.write("/a/b", "x");
    await memory.edit("/a/b", (text) => `${text}y`);
    await memory.rename("/a", "/c");
    await memory.snapshot();
    await memory.delete("/");
  });
  // What the server is has nothing to do with texts.
  const compared = sent.filter(({ commandName }) => commandName !== "hello");
  expect(new Set(compared.map(({ commandName }) => commandName))).toEqual(
    new Set(["aggregate", "createIndexes", "find", "findAndModify", "update", "delete"]),
  );
  for (const { commandName, command } of compared) {
    // As they are sent: `toBSON` of a write tells the store that the driver has sent it.
    const collations = JSON.parse(JSON.stringify(getCollations(command))) as unknown[];
    expect([commandName, collations]).toEqual([commandName, collations.map(() => ({ locale: "simple" }))]);
  }
});
