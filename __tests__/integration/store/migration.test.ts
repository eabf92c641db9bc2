import { describe, expect, it } from "@jest/globals";
import type { MongoDBStore } from "@langchain/langgraph-checkpoint-mongodb";
import { type Collection, MongoClient, ObjectId } from "mongodb";
import { openMemory, MongoMemoryStore } from "../../../src/index.js";
import {
  migrateFromMongoDBStore,
  type MigrationProgress,
} from "../../../src/mongodb/migrate/migrate-from-mongodb-store.js";
import { startedOfficialStore } from "../../helpers/official-store.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { client, name: dbName, db } = testDatabase();
let collections = 0;

interface Stores {
  official: MongoDBStore;
  source: Collection;
  store: MongoMemoryStore;
}

async function newStores(ttl?: { defaultTtl: number; refreshOnRead: boolean }): Promise<Stores> {
  collections += 1;
  const collectionName = `official${collections}`;
  const official = await startedOfficialStore(client, { dbName, collectionName, ...(ttl && { ttl }) });
  return { official, source: db.collection(collectionName), store: newTarget() };
}

function newTarget(options: { clock?: () => Date } = {}): MongoMemoryStore {
  collections += 1;
  const suffix = String(collections);
  return new MongoMemoryStore({
    client,
    dbName,
    itemsCollection: `items${suffix}`,
    memoriesCollection: `memories${suffix}`,
    ...options,
  });
}

/** One put, and documents like the one it made: a put of the official store takes longer with every item it holds. */
async function putMany({ official, source }: Stores, count: number): Promise<void> {
  const namespaceOf = (index: number): string[] => ["users", `u${index % 97}`, "a/b"];
  await official.put(namespaceOf(0), "k0", { index: 0 });
  const { _id, ...first } = (await source.findOne({ key: "k0" })) ?? {};
  const others = Array.from({ length: count - 1 }, (_, other) => {
    const namespace = namespaceOf(other + 1);
    return {
      ...first,
      namespace,
      namespaceStr: namespace.join("/"),
      key: `k${other + 1}`,
      value: { index: other + 1 },
    };
  });
  await source.insertMany(others);
}

const countsOf = ({ read, copied, unchanged, skipped, refused }: MigrationProgress): number[] => [
  read,
  copied,
  unchanged,
  skipped,
  refused,
];

describe("migrateFromMongoDBStore", () => {
  it("copies thousands of items with their namespaces, keys, values and times", async () => {
    const stores = await newStores();
    const { official, source, store } = stores;
    const count = repetitions({ usual: 1_500, long: 3_000 });
    await putMany(stores, count);
    const odd = JSON.parse('{"a.b":1,"$set":{"x":[1,null,{"y":"$z"}]},"":2,"__proto__":{"p":1}}') as object;
    await official.put(["odd", "a/b", "$x", "é"], "k\0 .$", {
      ...odd,
      at: new Date(5),
      long: 2n ** 40n,
      huge: 2n ** 60n,
      bytes: Uint8Array.of(1),
    });
    const progress: MigrationProgress[] = [];
    const summary = await migrateFromMongoDBStore({ source, store, onProgress: (one) => void progress.push(one) });
    expect(countsOf(summary)).toEqual([count + 1, count + 1, 0, 0, 0]);
    expect(summary).toMatchObject({ total: count + 1, refusals: [], resumeAfter: progress.at(-1)?.resumeAfter });
    expect(progress.map(({ read }) => read)).toEqual([
      ...Array.from({ length: count / 500 }, (_, page) => (page + 1) * 500),
      count + 1,
    ]);
    const copied = await store.search([], { limit: 5000 });
    expect(copied).toHaveLength(count + 1);
    const documents = await source.find({ key: /^k\d/ }).toArray();
    const expected = new Map(documents.map((one) => [JSON.stringify([one["namespace"], one["key"]]), one]));
    for (const { namespace, key, value, createdAt, updatedAt } of copied.filter(
      (item) => item.namespace[0] === "users",
    )) {
      expect(expected.get(JSON.stringify([namespace, key]))).toMatchObject({ value, createdAt, updatedAt });
    }
    const item = await store.get(["odd", "a/b", "$x", "é"], "k\0 .$");
    expect(item?.value).toEqual({ ...odd, at: new Date(5), long: 2 ** 40, huge: 2n ** 60n, bytes: Uint8Array.of(1) });
  });

  it("changes nothing when run again, and then copies what is new in the source only", async () => {
    const stores = await newStores();
    const { official, source, store } = stores;
    await putMany(stores, 600);
    await migrateFromMongoDBStore({ source, store });
    const before = await store.search([], { limit: 1000 });
    expect(countsOf(await migrateFromMongoDBStore({ source, store }, 7))).toEqual([600, 0, 600, 0, 0]);
    expect(await store.search([], { limit: 1000 })).toEqual(before);
    await official.put(["users", "u0", "a/b"], "k0", { index: "new" });
    await official.put(["users", "later"], "k", { index: 1 });
    expect(countsOf(await migrateFromMongoDBStore({ source, store }))).toEqual([601, 2, 599, 0, 0]);
    const first = await store.get(["users", "u0", "a/b"], "k0");
    const document = await source.findOne({ key: "k0" });
    expect(first).toMatchObject({
      value: { index: "new" },
      createdAt: document?.["createdAt"],
      updatedAt: document?.["updatedAt"],
    });
  });

  it("never overwrites an item that is newer in the store", async () => {
    const stores = await newStores();
    const { source, store } = stores;
    await putMany(stores, 20);
    await store.put(["users", "u3", "a/b"], "k3", { mine: true });
    const older = newTarget({ clock: () => new Date(1000) });
    await older.put(["users", "u3", "a/b"], "k3", { mine: true });
    expect(countsOf(await migrateFromMongoDBStore({ source, store }))).toEqual([20, 19, 1, 0, 0]);
    expect((await store.get(["users", "u3", "a/b"], "k3"))?.value).toEqual({ mine: true });
    expect(countsOf(await migrateFromMongoDBStore({ source, store: older }))).toEqual([20, 20, 0, 0, 0]);
    expect((await older.get(["users", "u3", "a/b"], "k3"))?.value).toEqual({ index: 3 });
  });

  it("goes on where it was interrupted", async () => {
    const stores = await newStores();
    const { source, store } = stores;
    await putMany(stores, 2500);
    let last: MigrationProgress | undefined;
    const onProgress = (progress: MigrationProgress): void => {
      last = progress;
      if (progress.read >= 1200) throw new Error("interrupted");
    };
    const interrupted = migrateFromMongoDBStore({ source, store, onProgress }, 300);
    await expect(interrupted).rejects.toThrow("interrupted");
    expect(await store.search([], { limit: 5000 })).toHaveLength(1200);
    const summary = await migrateFromMongoDBStore({ source, store, resumeAfter: last?.resumeAfter ?? null }, 300);
    expect(countsOf(summary)).toEqual([1300, 1300, 0, 0, 0]);
    expect(await store.search([], { limit: 5000 })).toHaveLength(2500);
  });

  it("loses nothing where several run at once, and the store is written meanwhile", async () => {
    const stores = await newStores();
    const { source, store } = stores;
    await putMany(stores, 1000);
    const runs = Array.from({ length: 3 }, () => migrateFromMongoDBStore({ source, store }, 50));
    const own = Array.from({ length: 100 }, (_, index) =>
      store.put(["users", `u${index % 97}`, "a/b"], `k${index}`, { mine: index }),
    );
    const [summaries] = await Promise.all([Promise.all(runs), Promise.all(own)]);
    expect(summaries.map(({ refused, read }) => [refused, read])).toEqual([
      [0, 1000],
      [0, 1000],
      [0, 1000],
    ]);
    const items = await store.search([], { limit: 2000 });
    expect(items).toHaveLength(1000);
    expect(items.filter((item) => "mine" in item.value)).toHaveLength(100);
  });

  it("reports what the store cannot hold and goes on", async () => {
    const { official, source, store } = await newStores();
    await official.batch([
      { namespace: ["user:1"], key: "colon", value: {} },
      { namespace: ["a"], key: "fine", value: {} },
      { namespace: ["a"], key: "object id", value: { id: new ObjectId() } },
      { namespace: ["memory", "n", "global"], key: "/file", value: { other: 1 } },
    ]);
    await source.insertMany([
      { namespace: "a", key: "no array", value: {}, createdAt: new Date(), updatedAt: new Date() },
      { key: "nothing" },
    ]);
    await source.insertOne({
      namespace: ["a"],
      namespaceStr: "null",
      key: "null",
      value: null,
      createdAt: new Date(),
      updatedAt: new Date(),
    });
    const summary = await migrateFromMongoDBStore({ source, store }, 2);
    const { refusals: refused } = summary;
    expect(countsOf(summary)).toEqual([7, 1, 0, 0, 6]);
    expect(Object.fromEntries(refused.map(({ key, reason }) => [key, reason.name]))).toEqual({
      "/file": "MemoryError",
      colon: "InvalidNamespaceError",
      "no array": "InvalidNamespaceError",
      nothing: "TypeError",
      null: "TypeError",
      "object id": "TypeError",
    });
    const colon = refused.find(({ key }) => key === "colon");
    expect(
      await source.findOne({ _id: new ObjectId((JSON.parse(colon?.id ?? "") as { $oid: string }).$oid) }),
    ).toMatchObject({ key: "colon" });
  });

  it("keeps the end of items that expire, and leaves out those that have", async () => {
    const { official, source } = await newStores({ defaultTtl: 3600, refreshOnRead: false });
    let now = Date.now();
    const store = newTarget({ clock: () => new Date(now) });
    await official.put(["a"], "kept", {});
    await official.put(["a"], "expired", {});
    await source.updateOne({ key: "expired" }, { $set: { expiresAt: new Date(now - 1000) } });
    await source.updateOne({ key: "kept" }, { $set: { expiresAt: new Date(now + 3_600_000) } });
    expect(countsOf(await migrateFromMongoDBStore({ source, store }))).toEqual([2, 1, 0, 1, 0]);
    expect((await store.search(["a"])).map((item) => item.key)).toEqual(["kept"]);
    now += 3_600_000;
    expect(await store.get(["a"], "kept")).toBeNull();
    expect(await store.search(["a"])).toEqual([]);
  });

  it("makes memories of the files of memories, with their times", async () => {
    const { official, source, store } = await newStores();
    const address = { nodeId: "ann@example.com", scope: "perThread", threadId: "t.1" } as const;
    const old = openMemory(official, address);
    await old.write("/notes/today", "milk");
    await old.append("/notes/today", "bread");
    await old.write("/plan", "x");
    expect(countsOf(await migrateFromMongoDBStore({ source, store }))).toMatchObject([
      expect.any(Number),
      2,
      0,
      expect.any(Number),
      0,
    ]);
    const memory = store.memory(address);
    const { files, directories } = await memory.snapshot();
    expect({ files, directories }).toEqual({ files: (await old.snapshot()).files, directories: ["/notes"] });
    expect(countsOf(await migrateFromMongoDBStore({ source, store }))).toMatchObject([
      expect.any(Number),
      0,
      2,
      expect.any(Number),
      0,
    ]);
    await memory.append("/plan", "mine");
    await old.append("/notes/today", "eggs");
    expect(countsOf(await migrateFromMongoDBStore({ source, store }))).toMatchObject([
      expect.any(Number),
      1,
      1,
      expect.any(Number),
      0,
    ]);
    expect(await memory.read("/plan")).toBe("x\nmine");
    expect(await memory.read("/notes/today")).toBe("milk\nbread\neggs");
  });

  it("makes the items findable by a store that ranks", async () => {
    const { official, source } = await newStores();
    await official.put(["dishes"], "risotto", { text: "mushroom risotto" });
    await official.put(["dishes"], "soup", { text: "onion soup" });
    collections += 1;
    const ranked = new MongoMemoryStore({ client, dbName, itemsCollection: `items${collections}`, textSearch: true });
    expect(countsOf(await migrateFromMongoDBStore({ source, store: ranked }))).toEqual([2, 2, 0, 0, 0]);
    expect((await ranked.search(["dishes"], { query: "risotto" })).map((item) => item.key)).toEqual(["risotto"]);
  });

  it("takes ids of any kind", async () => {
    const { official, source, store } = await newStores();
    await official.put(["a"], "k0", {});
    const put = (key: string): object => ({
      namespace: ["a"],
      namespaceStr: key,
      key,
      value: {},
      createdAt: new Date(),
      updatedAt: new Date(),
    });
    await source.insertMany([
      { _id: "text" as never, ...put("k1") },
      { _id: 5 as never, ...put("k2") },
      { _id: "z" as never, ...put("k3") },
    ]);
    const seen: (string | null)[] = [];
    const onProgress = ({ resumeAfter }: MigrationProgress): void => void seen.push(resumeAfter);
    const summary = await migrateFromMongoDBStore({ source, store, onProgress }, 1);
    expect(countsOf(summary)).toEqual([4, 4, 0, 0, 0]);
    expect(seen).toEqual(["5", '"text"', '"z"', expect.stringMatching(/^\{"\$oid":"[0-9a-f]{24}"\}$/)]);
    expect((await migrateFromMongoDBStore({ source, store, resumeAfter: '"text"' })).read).toBe(2);
  });

  it("reads a page by the index, and holds no more than a page", async () => {
    const { official, source, store } = await newStores();
    await official.batch(
      Array.from({ length: 40 }, (_, index) => ({
        namespace: ["large"],
        key: `k${index}`,
        value: { text: "x".repeat(1_000_000) },
      })),
    );
    const progress: number[] = [];
    await migrateFromMongoDBStore({ source, store, onProgress: ({ read }) => void progress.push(read) });
    expect(progress).toEqual([17, 34, 40]);
    const middle = await source.find().sort({ _id: 1 }).skip(20).next();
    const filter = { $expr: { $gt: ["$_id", { $toObjectId: String(middle?._id) }] } };
    const plan = await source.find(filter, { sort: { _id: 1 }, limit: 5 }).explain("executionStats");
    expect(JSON.stringify(plan)).toMatch(/"IXSCAN"/);
    expect(plan["executionStats"]["totalKeysExamined"]).toBeLessThanOrEqual(6);
  });

  it("refuses a place that no run has printed, and passes on failures of the database", async () => {
    const { source, store } = await newStores();
    await expect(migrateFromMongoDBStore({ source, store, resumeAfter: "x" })).rejects.toThrow(TypeError);
    const empty = {
      total: 0,
      read: 0,
      copied: 0,
      unchanged: 0,
      skipped: 0,
      refused: 0,
      resumeAfter: null,
      refusals: [],
    };
    expect(await migrateFromMongoDBStore({ source, store })).toEqual(empty);
    const lost = useClient(new MongoClient("mongodb://127.0.0.1:1/", { serverSelectionTimeoutMS: 100 }));
    await expect(migrateFromMongoDBStore({ source: lost.db(dbName).collection("store"), store })).rejects.toMatchObject(
      { code: "EIO" },
    );
  });
});
