import { beforeAll, describe, expect, it } from "@jest/globals";
import { type Document, MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { FakeEmbeddings } from "../../helpers/fake-embeddings.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { db, name, uri } = testDatabase();
const watched = useClient(new MongoClient(uri, { monitorCommands: true }));
const store = new MongoMemoryStore({ client: watched, dbName: name });
const namespaceCount = 50;
const itemCount = 1000;

beforeAll(async () => {
  await store.start();
  await store.batch(
    Array.from({ length: itemCount }, (_, index) => ({
      namespace: ["users", `u${index % namespaceCount}`],
      key: `k${index}`,
      value: { index, parity: index % 2 },
    })),
  );
});

/** The commands that a call sends to the items, in order. */
async function getCommands(run: () => Promise<unknown>, collection = "items"): Promise<Document[]> {
  const sent = await commandsOf(watched, run);
  return sent.map(({ command }) => command).filter((command) => Object.values(command).includes(collection));
}

const getName = (command: Document): string | undefined => Object.keys(command)[0];

/** Of a store with ten items in each of ten namespaces, of which half have expired, in one namespace all. */
async function expiringCommands(run: (store: MongoMemoryStore) => Promise<unknown>): Promise<Document[]> {
  let now = Date.parse("2100-01-01");
  const options = { client: watched, dbName: name, itemsCollection: "expiring", clock: () => new Date(now) };
  const expiring = new MongoMemoryStore({ ...options, ttl: { defaultTtlMs: 10 } });
  const puts = Array.from({ length: 100 }, (_, index) => ({
    namespace: [`n${index % 10}`],
    key: `k${index}`,
    value: {},
  }));
  await expiring.batch(puts.slice(0, 50));
  now += 5;
  await expiring.batch(puts.slice(50).filter(({ namespace }) => namespace[0] !== "n0"));
  now += 5;
  return getCommands(() => run(expiring), "expiring");
}

interface Plan {
  text: string;
  keysExamined: number;
  docsExamined: number;
}

async function explainPlan(command: Document | undefined): Promise<Plan> {
  const addedByDriver = new Set(["lsid", "txnNumber", "$db", "$clusterTime", "$readPreference"]);
  const explain = Object.fromEntries(Object.entries(command ?? {}).filter(([field]) => !addedByDriver.has(field)));
  const explained = await db.command({ explain, verbosity: "executionStats" });
  const stats = explained["executionStats"] ?? explained["stages"][0]["$cursor"]["executionStats"];
  return {
    text: JSON.stringify(explained),
    keysExamined: stats["totalKeysExamined"],
    docsExamined: stats["totalDocsExamined"],
  };
}

describe("the commands of the store", () => {
  it("get an item by its id", async () => {
    const commands = await getCommands(() => store.get(["users", "u1"], "k1"));
    expect(commands.map(getName)).toEqual(["find"]);
    expect((await explainPlan(commands[0])).text).toMatch(/"IDHACK"/);
  });

  it("get a hundred items with one find", async () => {
    const gets = Array.from({ length: 100 }, (_, index) => ({
      namespace: ["users", `u${index % namespaceCount}`],
      key: `k${index}`,
    }));
    const commands = await getCommands(() => store.batch([...gets, ...gets]));
    expect(commands.map(getName)).toEqual(["find"]);
    const plan = await explainPlan(commands[0]);
    expect(plan.text).not.toMatch(/COLLSCAN/);
    expect(plan.docsExamined).toBe(100);
  });

  it("write a hundred puts with one update, and deletes with one delete", async () => {
    const puts = Array.from({ length: 100 }, (_, index) => ({ namespace: ["written"], key: `k${index}`, value: {} }));
    expect((await getCommands(() => store.batch(puts))).map(getName)).toEqual(["update"]);
    const half = puts.map((put, index) => (index % 2 === 0 ? put : { ...put, value: null }));
    const commands = await getCommands(() => store.batch(half));
    expect(new Set(commands.map(getName))).toEqual(new Set(["delete", "update"]));
    expect(commands).toHaveLength(2);
    for (const { updates, deletes } of commands) {
      for (const { q } of updates ?? deletes) expect(Object.keys(q)).toEqual(["_id"]);
    }
    await store.batch(puts.map((put) => ({ ...put, value: null })));
  });

  it.each<[string, () => Promise<unknown[]>, number, number]>([
    ["one namespace", () => store.search(["users", "u7"]), 10, 11],
    ["a broad prefix", () => store.search(["users"], { limit: 10, offset: 10 }), 10, 21],
    ["a filter the server decides", () => store.search(["users", "u7"], { filter: { parity: 1 }, limit: 5 }), 5, 20],
    [
      "a filter decided half here",
      () => store.search(["users", "u7"], { filter: { index: { $gte: 500 } }, limit: 5 }),
      5,
      21,
    ],
    ["a filter decided here", () => store.search(["users", "u7"], { filter: { "a.b": undefined }, limit: 5 }), 5, 21],
    ["everything", () => store.search([]), 10, 1],
  ])("search %s in a range of ids, in their order", async (_, search, found, mostKeys) => {
    let answers: unknown[] = [];
    const commands = (await getCommands(async () => (answers = await search()))).filter((command) => "find" in command);
    expect(answers).toHaveLength(found);
    const plan = await explainPlan(commands[0]);
    expect(plan.text).toMatch(/"IXSCAN"/);
    expect(plan.text).not.toMatch(/COLLSCAN|"SORT"/);
    expect(plan.keysExamined).toBeLessThanOrEqual(mostKeys);
  });

  it("ask nothing of the memories where the items before them fill the page", async () => {
    await store.put(["a"], "k", {});
    const sent = await commandsOf(watched, async () => expect(await store.search([], { limit: 1 })).toHaveLength(1));
    const commands = sent.map(({ command }) => command);
    expect(commands.map((command) => [getName(command), command["find"]])).toEqual([["find", "items"]]);
    await store.delete(["a"], "k");
  });

  it("list namespaces from the index, a key for each", async () => {
    const commands = await getCommands(() => store.listNamespaces({ prefix: ["users"] }));
    expect(commands.map(getName)).toEqual(["aggregate"]);
    const plan = await explainPlan({ ...commands[0], cursor: {} });
    expect(plan.text).toMatch(/"DISTINCT_SCAN"/);
    expect(plan.keysExamined).toBeLessThanOrEqual(namespaceCount + 2);
    expect(plan.docsExamined).toBe(0);
  });

  it("list namespaces in which items expire from the index too, and pass over what expired in it", async () => {
    let namespaces: string[][] = [];
    const commands = await expiringCommands(async (expiring) => (namespaces = await expiring.listNamespaces()));
    expect(namespaces).toHaveLength(9);
    expect(commands.map(getName)).toEqual(["aggregate"]);
    const plan = await explainPlan({ ...commands[0], cursor: {} });
    expect(plan).toMatchObject({ text: expect.stringMatching(/"DISTINCT_SCAN"/), docsExamined: 0 });
    expect(plan.keysExamined).toBeLessThanOrEqual(22);
  });

  it("search items that may expire in a range of ids, in their order", async () => {
    const commands = await expiringCommands((expiring) => expiring.search(["n1"], { limit: 10 }));
    expect(commands.map(getName)).toEqual(["find"]);
    const plan = await explainPlan(commands[0]);
    expect(plan.text).not.toMatch(/COLLSCAN|"SORT"|items_by_expiry/);
    // Five in ten have expired.
    expect(plan.keysExamined).toBeLessThanOrEqual(21);
  });

  it("compare the vectors of a range of ids, and get the best by their ids", async () => {
    const index = { dims: 4, embeddings: new FakeEmbeddings() };
    const semantic = new MongoMemoryStore({ client: watched, dbName: name, index });
    await semantic.put(["ranked", "a"], "k", { text: "a" });
    await semantic.put(["ranked", "b"], "k", { text: "b" });
    const commands = await getCommands(() => semantic.search(["ranked"], { query: "a" }));
    expect(commands.map(getName)).toEqual(["find", "find"]);
    const plans = await Promise.all(commands.map(explainPlan));
    for (const { text, docsExamined } of plans) {
      expect(text).toMatch(/"IXSCAN"/);
      expect(text).not.toMatch(/COLLSCAN|"SORT"/);
      expect(docsExamined).toBe(2);
    }
    const written = await getCommands(() => semantic.put(["ranked", "a"], "k", { text: "c" }));
    expect(written.map(getName)).toEqual(["find", "update"]);
    expect((await explainPlan(written[0])).text).toMatch(/"IDHACK"/);
    await semantic.batch(["a", "b"].map((label) => ({ namespace: ["ranked", label], key: "k", value: null })));
  });

  it("send $vectorSearch where there is an index for it", async () => {
    const index = { dims: 4, embeddings: new FakeEmbeddings() };
    const searching = new MongoMemoryStore({
      client: watched,
      dbName: name,
      index,
      vectorSearch: { indexName: "vectors" },
    });
    await searching.start();
    // The server of these tests has no search.
    const commands = await getCommands(() => searching.search(["users"], { query: "a", limit: 5 }).catch(() => []));
    expect(commands.map(getName)).toEqual(["aggregate"]);
    expect(commands[0]?.["pipeline"][0]).toEqual({
      $vectorSearch: {
        index: "vectors",
        path: "embedded.vectors.text0",
        queryVector: [1, 0, 0, 0],
        numCandidates: 100,
        limit: 5,
        filter: { $and: [{ ns: { $gte: "users", $lt: "users\u0001" } }] },
      },
    });
  });

  it("find words by the text index", async () => {
    const texts = new MongoMemoryStore({ client: watched, dbName: name, itemsCollection: "texts", textSearch: true });
    await texts.batch(
      Array.from({ length: 100 }, (_, index) => ({
        namespace: [`n${index % 5}`],
        key: `k${index}`,
        value: { text: `word${index % 10} all` },
      })),
    );
    const commands = await getCommands(() => texts.search(["n1"], { query: "word1 word6" }), "texts");
    expect(commands.map(getName)).toEqual(["find"]);
    const plan = await explainPlan(commands[0]);
    expect(plan.text).toMatch(/"TEXT_MATCH"/);
    expect(plan.text).not.toMatch(/COLLSCAN/);
    expect(plan.keysExamined).toBe(20);
  });

  it("ask nothing for a page of none, or a filter that nothing can satisfy", async () => {
    expect(await getCommands(() => store.search(["users"], { limit: 0 }))).toEqual([]);
    expect(await getCommands(() => store.listNamespaces({ limit: 0 }))).toEqual([]);
    expect(await getCommands(() => store.search(["users"], { filter: { index: { $in: [] } } }))).toEqual([]);
    expect(await getCommands(() => store.search(["users"], { filter: { index: { $gt: "x" } } }))).toEqual([]);
  });

  it("make the index once, at the first write or by start", async () => {
    const fresh = new MongoMemoryStore({ client: watched, dbName: name });
    const commands = await getCommands(async () => {
      await Promise.all([fresh.put(["x"], "k", {}), fresh.listNamespaces(), fresh.start()]);
      await fresh.delete(["x"], "k");
    });
    expect(commands.filter((command) => "createIndexes" in command)).toHaveLength(1);
    expect(await db.collection("items").indexes()).toMatchObject([
      { name: "_id_" },
      { name: "items_by_namespace", key: { ns: 1, expiresAt: 1 } },
      { name: "items_by_text" },
    ]);
  });

  it.each<[string, Record<string, "text" | 1>, object]>([
    ["items_by_namespace", { other: 1 }, { name: "items_by_namespace" }],
    ["items_by_expiry", { expiresAt: 1 }, { name: "items_by_expiry", expireAfterSeconds: 60 }],
    ["items_by_text", { value: "text" }, { name: "of another program" }],
  ])("say which index is in the way of %s, and try again at the next write", async (named, key, options) => {
    const items = db.collection(`conflicting ${named}`);
    const index = await items.createIndex(key, options);
    const conflicting = new MongoMemoryStore({
      client: watched,
      dbName: name,
      itemsCollection: items.collectionName,
      ttl: { defaultTtlMs: 1e9 },
    });
    await expect(conflicting.put(["a"], "k", {})).rejects.toMatchObject({
      code: "EIO",
      message: expect.stringMatching(named),
    });
    await items.dropIndex(index);
    await conflicting.put(["a"], "k", {});
    expect(await conflicting.listNamespaces()).toEqual([["a"]]);
  });
});
