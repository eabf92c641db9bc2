import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const writers = 10_000;
/** As many commands at a time as the pool of the driver lets through; all connected before the race. */
const maxPoolSize = 100;

describe.each(["standalone", "replicaSet"] as const)("concurrent first writes, 10,000 of them, %s", (kind) => {
  const { uri, name: dbName, db } = testDatabase(kind);
  let collections = 0;

  async function connected(): Promise<MongoClient> {
    const client = useClient(new MongoClient(uri, { maxPoolSize, minPoolSize: maxPoolSize }));
    await Promise.all(Array.from({ length: 2 * maxPoolSize }, () => client.db(dbName).command({ ping: 1 })));
    return client;
  }

  /** Not started, so that even the making of the index races. */
  async function newStore(options: { ttl?: { defaultTtlMs: number } } = {}): Promise<MongoMemoryStore> {
    collections += 1;
    return new MongoMemoryStore({ client: await connected(), dbName, itemsCollection: `items${collections}`, ...options });
  }

  const indexes = Array.from({ length: writers }, (_, index) => index);

  async function refused(writes: Promise<unknown>[]): Promise<unknown[]> {
    const results = await Promise.allSettled(writes);
    return results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  }

  const stored = (): Promise<number> => db.collection(`items${collections}`).countDocuments();

  // Requirement: store.first-puts-never-refused
  it("of one key make one item, and none is refused", async () => {
    const store = await newStore();
    expect(await refused(indexes.map((index) => store.put(["race"], "same", { index })))).toEqual([]);
    expect(await stored()).toBe(1);
    expect(await store.search(["race"])).toMatchObject([{ key: "same" }]);
  }, 300_000);

  it("of a hundred keys, a hundred each, make a hundred items", async () => {
    const store = await newStore();
    expect(await refused(indexes.map((index) => store.put(["race"], `k${Math.floor(index / 100)}`, { index })))).toEqual([]);
    expect(await stored()).toBe(100);
  }, 300_000);

  it("of different keys make an item each", async () => {
    const store = await newStore();
    expect(await refused(indexes.map((index) => store.put(["race", `n${index % 100}`], `k${index}`, { index })))).toEqual([]);
    expect(await stored()).toBe(writers);
    const items = await store.search(["race"], { limit: writers + 1 });
    expect(new Set(items.map((item) => item.value["index"])).size).toBe(writers);
  }, 300_000);

  it("of one key through a store that expires items and one that does not make one item", async () => {
    const first = await newStore({ ttl: { defaultTtlMs: 600_000 } });
    const second = new MongoMemoryStore({ client: await connected(), dbName, itemsCollection: `items${collections}` });
    const writes = indexes.slice(0, 2000).map((index) => (index % 2 === 0 ? first : second).put(["race"], "same", { index }));
    expect(await refused(writes)).toEqual([]);
    expect(await stored()).toBe(1);
  }, 300_000);

  it("in batches of the same and of other keys make each item once", async () => {
    const store = await newStore();
    const batches = Array.from({ length: 200 }, (_, batch) =>
      store.batch(Array.from({ length: 50 }, (__, index) => ({ namespace: ["race"], key: `k${(batch * 25 + index) % 5000}`, value: { batch } }))),
    );
    expect(await refused(batches)).toEqual([]);
    expect(await stored()).toBe(5000);
  }, 300_000);
});
