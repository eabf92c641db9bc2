import { beforeAll, describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const writers = repetitions({ usual: 300, long: 3_000 });
/** Items know no transactions, so a standalone shows nothing else. */
const kinds: ServerKind[] = isLong ? ["standalone", "replicaSet"] : ["replicaSet"];
const batchCount = repetitions({ usual: 20, long: 200 });
/** As many commands at a time as the pool of the driver lets through; all connected before the race. */
const maxPoolSize = 100;

describe.each(kinds)(`concurrent first writes, ${writers.toLocaleString("en")} of them, %s`, (kind) => {
  const { uri, name: dbName, db } = testDatabase(kind);
  let collections = 0;
  const newClient = (): MongoClient => useClient(new MongoClient(uri, { maxPoolSize, minPoolSize: maxPoolSize }));
  const [client, otherClient] = [newClient(), newClient()];

  beforeAll(async () => {
    const pings = Array.from({ length: 2 * maxPoolSize }, () =>
      [client, otherClient].map((each) => each.db(dbName).command({ ping: 1 })),
    );
    await Promise.all(pings.flat());
  });

  /** Not started, so that even the making of the index races. */
  function newStore(options: { ttl?: { defaultTtlMs: number } } = {}): MongoMemoryStore {
    collections += 1;
    return new MongoMemoryStore({ client, dbName, itemsCollection: `items${collections}`, ...options });
  }

  const indexes = Array.from({ length: writers }, (_, index) => index);

  async function refused(writes: Promise<unknown>[]): Promise<unknown[]> {
    const results = await Promise.allSettled(writes);
    return results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  }

  const stored = (): Promise<number> => db.collection(`items${collections}`).countDocuments();

  it("of one key make one item, and none is refused", async () => {
    const store = newStore();
    expect(await refused(indexes.map((index) => store.put(["race"], "same", { index })))).toEqual([]);
    expect(await stored()).toBe(1);
    expect(await store.search(["race"])).toMatchObject([{ key: "same" }]);
  });

  it("of different keys make an item each", async () => {
    const store = newStore();
    expect(
      await refused(indexes.map((index) => store.put(["race", `n${index % 100}`], `k${index}`, { index }))),
    ).toEqual([]);
    expect(await stored()).toBe(writers);
    const items = await store.search(["race"], { limit: writers + 1 });
    expect(new Set(items.map((item) => item.value["index"])).size).toBe(writers);
  });

  it("that race deletes of their key end in one of the two orders", async () => {
    const store = newStore();
    for (let round = 0; round < 10; round += 1) {
      const writes = indexes
        .slice(0, 20)
        .map((index) => (index % 2 === 0 ? store.put(["race"], "k", { index }) : store.delete(["race"], "k")));
      expect(await refused(writes)).toEqual([]);
      expect(await store.search(["race"])).toHaveLength((await store.get(["race"], "k")) === null ? 0 : 1);
    }
  });

  it("are seen whole by readers, never parts of two", async () => {
    const store = newStore();
    const puts = indexes.slice(0, 100).map((index) => store.put(["race"], "k", { a: index, b: index }));
    const read = await Promise.all(indexes.slice(0, 100).map(() => store.get(["race"], "k")));
    expect(read.filter((item) => item?.value["a"] !== item?.value["b"])).toEqual([]);
    expect(await refused(puts)).toEqual([]);
  });

  it("of one key through a store that expires items and one that does not make one item", async () => {
    const first = newStore({ ttl: { defaultTtlMs: 600_000 } });
    const second = new MongoMemoryStore({ client: otherClient, dbName, itemsCollection: `items${collections}` });
    const writes = indexes
      .slice(0, writers / 5)
      .map((index) => (index % 2 === 0 ? first : second).put(["race"], "same", { index }));
    expect(await refused(writes)).toEqual([]);
    expect(await stored()).toBe(1);
  });

  it("in batches of the same and of other keys make each item once", async () => {
    const store = newStore();
    const keyCount = batchCount * 25;
    const batches = Array.from({ length: batchCount }, (_, batch) =>
      store.batch(
        Array.from({ length: 50 }, (__, index) => ({
          namespace: ["race"],
          key: `k${(batch * 25 + index) % keyCount}`,
          value: { batch },
        })),
      ),
    );
    expect(await refused(batches)).toEqual([]);
    expect(await stored()).toBe(keyCount);
  });
});
