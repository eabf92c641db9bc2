import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { db, name, uri } = testDatabase();
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const minuteMs = 60_000;
let collections = 0;

/** Ahead of the server's own clock, so that its sweeper takes nothing. */
const start = Date.parse("2100-01-01T00:00:00.000Z");

interface Fixture {
  store: MongoMemoryStore;
  collection: string;
  at: (minutes: number) => void;
  /** Another store over the same items, configured otherwise. */
  reopened: (options: Partial<MongoMemoryStoreOptions>) => MongoMemoryStore;
}

function fixture(ttl: MongoMemoryStoreOptions["ttl"]): Fixture {
  collections += 1;
  const collection = `items${collections}`;
  let now = start;
  const options = {
    client,
    dbName: name,
    itemsCollection: collection,
    memoriesCollection: `memories${collections}`,
    clock: () => new Date(now),
  };
  const reopened = (more: Partial<MongoMemoryStoreOptions>): MongoMemoryStore =>
    new MongoMemoryStore({ ...options, ...more });
  return {
    store: reopened(ttl === undefined ? {} : { ttl }),
    collection,
    at: (minutes) => (now = start + minutes * minuteMs),
    reopened,
  };
}

async function getCommandNames(run: () => Promise<unknown>): Promise<string[]> {
  return (await commandsOf(client, run)).map(({ commandName }) => commandName);
}

describe("an item that expired", () => {
  it("is gone at once for get, search, listNamespaces and batch, though it is not swept", async () => {
    const { store, at, collection } = fixture({ defaultTtlMs: 10 * minuteMs });
    await store.put(["a", "b"], "k", { x: 1 });
    at(5);
    await store.put(["a", "c"], "later", { x: 1 });
    at(9.999);
    expect(await store.get(["a", "b"], "k")).not.toBeNull();
    expect(await store.listNamespaces()).toEqual([
      ["a", "b"],
      ["a", "c"],
    ]);
    at(10);
    expect(await store.get(["a", "b"], "k")).toBeNull();
    expect((await store.search(["a"])).map((item) => item.key)).toEqual(["later"]);
    expect((await store.search([], { filter: { x: { $gte: 1 } } })).map((item) => item.key)).toEqual(["later"]);
    expect(await store.listNamespaces()).toEqual([["a", "c"]]);
    const gets = await store.batch([
      { namespace: ["a", "b"], key: "k" },
      { namespace: ["a", "c"], key: "later" },
    ]);
    expect(gets.map((item) => item?.key)).toEqual([undefined, "later"]);
    expect(await db.collection(collection).countDocuments()).toBe(2);
  });

  it("hides no other item of its namespace", async () => {
    const { store, at, reopened } = fixture({ defaultTtlMs: 10 * minuteMs });
    const forever = reopened({});
    await store.put(["mixed"], "first", {});
    await store.put(["expired"], "first", {});
    await forever.put(["stays"], "k", {});
    await store.put(["stays"], "expires", {});
    at(5);
    await store.put(["mixed"], "second", {});
    at(12);
    expect(await store.listNamespaces()).toEqual([["mixed"], ["stays"]]);
    expect(await forever.listNamespaces({ limit: 1, offset: 1 })).toEqual([["stays"]]);
    expect((await store.search([])).map((item) => item.key)).toEqual(["second", "k"]);
  });

  it("is a new item when put again, with one command", async () => {
    const { store, at } = fixture({ defaultTtlMs: 10 * minuteMs });
    await store.put(["a"], "k", { version: 1 });
    at(9);
    await store.put(["a"], "k", { version: 2 });
    expect(await store.get(["a"], "k")).toMatchObject({
      createdAt: new Date(start),
      updatedAt: new Date(start + 9 * minuteMs),
    });
    at(20);
    expect(await getCommandNames(() => store.put(["a"], "k", { version: 3 }))).toEqual(["update"]);
    const created = new Date(start + 20 * minuteMs);
    expect(await store.get(["a"], "k")).toMatchObject({
      value: { version: 3 },
      createdAt: created,
      updatedAt: created,
    });
  });

  it("stays gone when TTL is switched off, and what is put then stays", async () => {
    const { store, at, collection, reopened } = fixture({ defaultTtlMs: 10 * minuteMs });
    await store.batch([
      { namespace: ["a"], key: "old", value: {} },
      { namespace: ["a"], key: "rewritten", value: {} },
    ]);
    const without = reopened({});
    await without.put(["a"], "rewritten", {});
    expect(await db.collection(collection).findOne({ key: "rewritten" })).not.toHaveProperty("expiresAt");
    at(11);
    expect(await without.get(["a"], "old")).toBeNull();
    expect((await without.search(["a"])).map((item) => item.key)).toEqual(["rewritten"]);
    await without.delete(["a"], "rewritten");
    expect(await without.listNamespaces()).toEqual([]);
  });

  it("can be put by 50 at once", async () => {
    const { store, at } = fixture({ defaultTtlMs: minuteMs });
    const puts = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 50 }, (_, index) => store.put(["a"], "k", { index })));
    await puts();
    at(2);
    await puts();
    expect(await store.search(["a"])).toMatchObject([{ createdAt: new Date(start + 2 * minuteMs) }]);
  });
});

describe("the time of an item", () => {
  it("is that of the longest prefix of whole labels", async () => {
    const { store, at } = fixture({
      defaultTtlMs: 10 * minuteMs,
      namespaces: [
        { prefix: ["users"], ttlMs: 20 * minuteMs },
        { prefix: ["users", "ada"], ttlMs: null },
        { prefix: ["users", "ada", "session"], ttlMs: minuteMs },
      ],
    });
    const namespaces = [
      ["other"],
      ["users"],
      ["users-2"],
      ["users", "bob", "x"],
      ["users", "ada"],
      ["users", "ada", "session"],
    ];
    await store.batch(namespaces.map((namespace) => ({ namespace, key: "k", value: {} })));
    const left = async (): Promise<string[]> => (await store.listNamespaces()).map((labels) => labels.join("/"));
    at(1);
    expect(await left()).toEqual(["other", "users", "users/ada", "users/bob/x", "users-2"]);
    at(10);
    expect(await left()).toEqual(["users", "users/ada", "users/bob/x"]);
    at(20);
    expect(await left()).toEqual(["users/ada"]);
    at(1_000_000);
    expect(await left()).toEqual(["users/ada"]);
  });

  it("is never up for memories", async () => {
    const { store, at } = fixture({ defaultTtlMs: minuteMs });
    const memory = store.memory({ nodeId: "n" });
    await memory.write("/file", "text");
    await store.put(["memory", "n", "global"], "/other", { content: "text" });
    at(1_000_000);
    expect(await store.search(["memory"])).toHaveLength(2);
    expect(await store.get(["memory", "n", "global"], "/file")).not.toBeNull();
  });

  it("begins anew with a put, and with reads only where asked for", async () => {
    for (const refreshOnRead of [false, true]) {
      const { store, at, collection } = fixture({ defaultTtlMs: 10 * minuteMs, refreshOnRead });
      await store.put(["a"], "got", {});
      await store.put(["a"], "found", { x: 1 });
      await store.put(["b"], "unread", {});
      at(6);
      expect(await getCommandNames(() => store.get(["a"], "got"))).toEqual(
        refreshOnRead ? ["find", "update"] : ["find"],
      );
      await store.search(["a"], { filter: { x: 1 } });
      at(12);
      expect((await store.search([])).map((item) => item.key)).toEqual(refreshOnRead ? ["found", "got"] : []);
      const stored = await db.collection(collection).find().toArray();
      expect(stored.map((item) => (item["updatedAt"] as Date).getTime())).toEqual([start, start, start]);
    }
  });

  it("is moved by one command for a whole batch, and for no item that expired", async () => {
    const { store, at, collection } = fixture({
      defaultTtlMs: 10 * minuteMs,
      refreshOnRead: true,
      namespaces: [
        { prefix: ["long"], ttlMs: 20 * minuteMs },
        { prefix: ["kept"], ttlMs: null },
      ],
    });
    await store.batch(["short", "long", "kept"].map((label) => ({ namespace: [label], key: "k", value: {} })));
    at(10);
    const reads = ["short", "long", "kept"].map((label) => ({ namespace: [label], key: "k" }));
    const commands = await getCommandNames(() =>
      store.batch([...reads, { namespacePrefix: [] }, { namespacePrefix: ["long"] }]),
    );
    expect(commands.filter((command) => command === "update")).toHaveLength(1);
    const ends = await db.collection(collection).find().sort({ _id: 1 }).toArray();
    expect(ends.map((item) => (item["expiresAt"] as Date | undefined)?.getTime())).toEqual([
      undefined,
      start + 30 * minuteMs,
      start + 10 * minuteMs,
    ]);
    expect(await getCommandNames(() => store.get(["kept"], "k"))).toEqual(["find"]);
    expect(await getCommandNames(() => store.get(["short"], "k"))).toEqual(["find"]);
  });

  it("is not moved for an item that expires while it is read, nor made up for one without", async () => {
    const { store, collection, reopened } = fixture({ defaultTtlMs: minuteMs });
    await store.put(["a"], "k", {});
    await reopened({}).put(["a"], "forever", {});
    const times = [start + minuteMs - 1, start + minuteMs];
    const clock = (): Date => new Date(times.shift() ?? 0);
    const refreshing = reopened({ ttl: { defaultTtlMs: minuteMs, refreshOnRead: true }, clock });
    expect(
      await refreshing.batch([
        { namespace: ["a"], key: "k" },
        { namespace: ["a"], key: "forever" },
      ]),
    ).not.toContain(null);
    const ends = await db.collection(collection).find().sort({ _id: 1 }).toArray();
    expect(ends.map((item) => item["expiresAt"] as unknown)).toEqual([undefined, new Date(start + minuteMs)]);
  });
});

describe("the sweeper of MongoDB", () => {
  it("has an index to go by where TTL is configured, and only there", async () => {
    const { store, collection, reopened } = fixture(undefined);
    await store.start();
    const names = async (): Promise<string[]> =>
      (await db.collection(collection).indexes()).map((index) => index.name ?? "");
    expect(await names()).toEqual(["_id_", "items_by_namespace", "items_by_text"]);
    await reopened({ ttl: {} }).start();
    expect(await db.collection(collection).indexes()).toContainEqual(
      expect.objectContaining({ name: "items_by_expiry", key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
    );
  });
});

describe("values under TTL", () => {
  it("come back equal, whatever looks like an expression in them", async () => {
    const { store } = fixture({ defaultTtlMs: minuteMs });
    const value = {
      $set: { $inc: "$key" },
      "a.b": "$$ROOT",
      $literal: { $literal: 1 },
      text: "x".repeat(16 * 1024 * 1024 - 1700),
    };
    await store.put(["$$NOW"], "$key", value);
    const found = await store.get(["$$NOW"], "$key");
    expect(found?.value).toEqual(value);
    expect(found?.namespace).toEqual(["$$NOW"]);
  });

  it("come back equal from as deep as a value may be", async () => {
    const { store } = fixture({ defaultTtlMs: minuteMs });
    const value = Array.from({ length: 148 }).reduce<Record<string, unknown>>((inner) => ({ inner }), {});
    await store.put(["a"], "k", value);
    expect((await store.get(["a"], "k"))?.value).toEqual(value);
  });
});

describe("the ttl option", () => {
  it.each<[unknown, string]>([
    [{ defaultTtlMs: 0 }, "ttl.defaultTtlMs"],
    [{ defaultTtlMs: 1.5 }, "ttl.defaultTtlMs"],
    [{ defaultTtlMs: "60000" }, "ttl.defaultTtlMs"],
    [{ defaultTtl: 5 }, "ttl"],
    [{ namespaces: [{ prefix: [], ttlMs: 5 }] }, "ttl.namespaces.0.prefix"],
    [{ namespaces: [{ prefix: ["a.b"], ttlMs: 5 }] }, "ttl.namespaces.0.prefix"],
    [{ namespaces: [{ prefix: "a", ttlMs: 5 }] }, "ttl.namespaces.0.prefix"],
    [{ namespaces: [{ prefix: ["memory", "n", "global"], ttlMs: 5 }] }, "which expire by the option expireMs"],
    [{ namespaces: [{ prefix: ["memory", "n"], ttlMs: 5 }] }, "which expire by the option expireMs"],
    [
      {
        namespaces: [
          { prefix: ["a"], ttlMs: 5 },
          { prefix: ["a"], ttlMs: null },
        ],
      },
      "twice",
    ],
    [{ namespaces: [{ prefix: ["a"] }] }, "ttl.namespaces.0.ttlMs"],
  ])("refuses %j", (ttl, message) => {
    const create = (): MongoMemoryStore =>
      new MongoMemoryStore({ client, ttl: ttl as NonNullable<MongoMemoryStoreOptions["ttl"]> });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });
});
