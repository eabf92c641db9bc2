import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { MongoClient } from "mongodb";
import { MemoryError, MongoMemoryStore } from "../../../src/index.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { client, name } = testDatabase();
let collections = 0;

function newStore(options: { clock?: () => Date; textSearch?: boolean } = {}): MongoMemoryStore {
  collections += 1;
  return new MongoMemoryStore({ client, dbName: name, itemsCollection: `items${collections}`, ...options });
}

describe("an item", () => {
  it("shares its place with no other, however labels and keys are cut", async () => {
    const store = newStore();
    const places: [string[], string][] = [
      [["a", "b"], "c"],
      [["a"], "b\0\0c"],
      [["a/b"], "c"],
      [["a"], "\0b"],
      [["a"], "b"],
      [["a"], ""],
      [["a\u{10FFFF}"], "0"],
      [["a\u{10FFFF}0"], ""],
      [["a\uE000"], ""],
    ];
    await store.batch(places.map(([namespace, key], index) => ({ namespace, key, value: { index } })));
    const items = await store.batch(places.map(([namespace, key]) => ({ namespace, key })));
    expect(items.map((item) => [item?.namespace, item?.key, item?.value["index"]])).toEqual(
      places.map(([namespace, key], index) => [namespace, key, index]),
    );
  });
});

describe("a batch", () => {
  it("is refused where the reference would leave an answer out", async () => {
    await expect(newStore().batch([{ unknown: 1 } as never])).rejects.toThrow(TypeError);
    await expect(newStore().batch([null as never])).rejects.toThrow(TypeError);
    await expect(newStore().batch("x" as never)).rejects.toThrow(TypeError);
  });

  it("fails with EIO and the driver's error as its cause, which the message does not repeat", async () => {
    const lost = useClient(new MongoClient("mongodb://127.0.0.1:1/", { serverSelectionTimeoutMS: 100 }));
    const store = new MongoMemoryStore({ client: lost });
    for (const run of [
      () => store.get(["a"], "k"),
      () => store.search([]),
      () => store.put(["a"], "k", {}),
      () => store.listNamespaces(),
    ]) {
      const error = await rejection(run());
      expect(error).toMatchObject({ name: "MemoryError", code: "EIO", cause: { name: "MongoServerSelectionError" } });
      expect((error as Error).message).not.toMatch(/127|:1/);
    }
  });
});

describe("what is no string, count or data", () => {
  const operator = { $ne: null } as never;

  it.each<[string, (store: MongoMemoryStore) => Promise<unknown>]>([
    ["a key in get", (store) => store.get(["secret"], operator)],
    ["a missing key in get", (store) => store.get(["secret"], undefined as never)],
    ["a missing key in delete", (store) => store.delete(["secret"], undefined as never)],
    ["a key in put", (store) => store.put(["secret"], operator, {})],
    ["a label in search", (store) => store.batch([{ namespacePrefix: [operator] }])],
    [
      "a label in listNamespaces",
      (store) => store.batch([{ matchConditions: [{ matchType: "prefix", path: [operator] }], limit: 1, offset: 0 }]),
    ],
    ["a namespace", (store) => store.batch([{ namespace: operator, key: "k" }])],
    ["a namespace in get", (store) => store.get(operator, "k")],
    ["a missing namespace in put", (store) => store.put(undefined as never, "k", {})],
    ["a prefix in search", (store) => store.search(operator)],
    ["a prefix in listNamespaces", (store) => store.listNamespaces({ prefix: operator })],
    ["a suffix in listNamespaces", (store) => store.listNamespaces({ suffix: operator })],
    ["a label with a lone surrogate", (store) => store.put(["\uD800"], "k", {})],
    ["an empty namespace in get", (store) => store.get([], "k")],
    ["a label with a dot", (store) => store.batch([{ namespace: ["a.b"], key: "k" }])],
    ["a limit", (store) => store.search(["secret"], { limit: operator })],
    ["a broken limit", (store) => store.listNamespaces({ limit: 1.5 })],
    ["a depth of 0", (store) => store.listNamespaces({ maxDepth: 0 })],
    ["a query", (store) => store.search(["secret"], { query: operator })],
    ["a filter", (store) => store.search(["secret"], { filter: "x" as never })],
    ["a RegExp", (store) => store.search(["secret"], { filter: { token: /^s/ } })],
    ["an invalid date", (store) => store.search(["secret"], { filter: { token: new Date(Number.NaN) } })],
    [
      "an invalid date under $lt",
      (store) => store.search(["secret"], { filter: { token: { $lt: new Date(Number.NaN) } } }),
    ],
    ["an unknown operator", (store) => store.search(["secret"], { filter: { token: { $regex: "^s" } } })],
    ["$in without an array", (store) => store.search(["secret"], { filter: { token: { $in: "s" } } })],
  ])("is refused as %s, with an error of ours", async (_, run) => {
    const store = newStore();
    await store.put(["secret"], "k", { token: "s" });
    const error = await rejection(run(store));
    const isOurs =
      error instanceof TypeError || MemoryError.isInstance(error) || (error as Error).name === "InvalidNamespaceError";
    expect([isOurs, (error as Error).message]).toEqual([
      true,
      expect.not.stringMatching(/not iterable|Cannot read|BSON|Mongo/),
    ]);
    expect(await store.get(["secret"], "k")).not.toBeNull();
  });
});

describe("a page of a filter", () => {
  const alike = [5n, [5], [[5], 5], 5n];
  const puts = Array.from({ length: 240 }, (_, index) => ({
    namespace: ["a"],
    key: `k${String(index).padStart(3, "0")}`,
    value: { x: index % 60 === 59 ? 5 : alike[index % 4], text: index % 60 === 59 ? "five" : ["five"] },
  }));

  const isFive = ({ value }: (typeof puts)[number]): boolean => value.x === 5;

  it.each([
    [{ x: 5 }, puts.filter(isFive)],
    [{ x: { $in: [5, "5"] } }, puts.filter(isFive)],
    [{ text: "five" }, puts.filter(isFive)],
    [{ x: { $nin: [5n] }, text: { $ne: ["five"] } }, puts.filter(({ value }) => value.x !== 5n)],
  ])("is filled beyond items that only the server takes for equal: %p", async (filter, expected) => {
    const store = newStore();
    await store.batch(puts);
    const keys = expected.map(({ key }) => key);
    const found = async (offset: number, limit: number): Promise<string[]> =>
      (await store.search(["a"], { filter, offset, limit })).map(({ key }) => key);
    expect(await found(0, 1000)).toEqual(keys);
    expect(await found(1, 2)).toEqual(keys.slice(1, 3));
    expect(await found(0, 1)).toEqual(keys.slice(0, 1));
  });
});

describe("listNamespaces", () => {
  it("lists more namespaces than one page of the server holds, each once and in order", async () => {
    const store = newStore();
    const labels = Array.from({ length: 2345 }, (_, index) => `n${String(index).padStart(4, "0")}`);
    await store.batch(labels.map((label) => ({ namespace: ["many", label], key: "k", value: {} })));
    expect(await store.listNamespaces({ prefix: ["many"], limit: Infinity })).toEqual(
      labels.map((label) => ["many", label]),
    );
    expect(await store.listNamespaces({ prefix: ["many"], limit: 3, offset: 999 })).toEqual(
      labels.slice(999, 1002).map((label) => ["many", label]),
    );
    expect(await store.listNamespaces({ suffix: ["n2000"] })).toEqual([["many", "n2000"]]);
  });

  it("lists namespaces that are too long together for one document of the server", async () => {
    const store = newStore();
    const labels = Array.from({ length: 9 }, (_, index) => `${index}${"x".repeat(2_000_000)}`);
    for (const label of labels) await store.put(["long", label], "k", {});
    const listed = await store.listNamespaces({ prefix: ["long"] });
    expect(listed.map(([, label]) => label?.length)).toEqual(labels.map(({ length }) => length));
  });
});

describe("search", () => {
  it("answers all for an infinite limit", async () => {
    const store = newStore();
    await store.batch(Array.from({ length: 12 }, (_, index) => ({ namespace: ["a"], key: `k${index}`, value: {} })));
    expect(await store.search(["a"], { limit: Infinity })).toHaveLength(12);
    expect(await store.search(["a"], { limit: Number.MAX_SAFE_INTEGER, offset: 11 })).toHaveLength(1);
  });

  it("ignores a query with nothing to rank by, and has an undefined score, as the reference", async () => {
    const stores = [newStore({ textSearch: false }), new InMemoryStore()];
    for (const store of stores) {
      await store.put(["a"], "k", {});
      expect(Object.entries((await store.search(["a"], { query: "x" }))[0] ?? {})).toContainEqual(["score", undefined]);
    }
  });

  it("takes $exists", async () => {
    const store = newStore();
    await store.batch([
      { namespace: ["a"], key: "null", value: { x: null, "x.y": 1 } },
      { namespace: ["a"], key: "none", value: { x: undefined } },
    ]);
    const keys = async (filter: object): Promise<string[]> =>
      (await store.search(["a"], { filter })).map((item) => item.key);
    expect(await keys({ x: { $exists: true } })).toEqual(["null"]);
    expect(await keys({ x: { $exists: false } })).toEqual(["none"]);
    expect(await keys({ "x.y": { $exists: true } })).toEqual(["null"]);
    expect(await keys({ x: { $exists: false, $ne: 1 } })).toEqual(["none"]);
  });
});

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => new Error("nothing was refused"),
    (error: unknown) => error,
  );
}
