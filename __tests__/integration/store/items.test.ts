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
  it("comes back with its key, namespace and times", async () => {
    let now = new Date("2025-01-01T00:00:00.000Z");
    const store = newStore({ clock: () => now });
    await store.put(["users", "1"], "name", { first: "Ada" });
    const createdAt = now;
    now = new Date("2025-01-02T00:00:00.000Z");
    await store.put(["users", "1"], "name", { first: "Ada", last: "L" });
    expect(await store.get(["users", "1"], "name")).toStrictEqual({
      value: { first: "Ada", last: "L" },
      key: "name",
      namespace: ["users", "1"],
      createdAt,
      updatedAt: now,
    });
  });

  it("is null when missing and after its deletion, and new when put again", async () => {
    let now = new Date(1000);
    const store = newStore({ clock: () => now });
    expect(await store.get(["a"], "k")).toBeNull();
    await store.put(["a"], "k", {});
    await store.delete(["a"], "k");
    expect(await store.get(["a"], "k")).toBeNull();
    now = new Date(2000);
    await store.put(["a"], "k", {});
    expect((await store.get(["a"], "k"))?.createdAt).toEqual(now);
  });

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

  it("is put by 200 at once without a refusal, and once only", async () => {
    const store = newStore();
    await Promise.all(Array.from({ length: 200 }, (_, index) => store.put(["a"], "new", { index })));
    expect(await store.search(["a"], { limit: 1000 })).toHaveLength(1);
  });

  it("is the caller's no more once it is put", async () => {
    const store = newStore();
    const namespace = ["a"];
    const value = { list: [1] };
    const putting = store.put(namespace, "k", value);
    namespace.push("b");
    value.list.push(2);
    await putting;
    const [first, second] = await store.batch([
      { namespace: ["a"], key: "k" },
      { namespace: ["a"], key: "k" },
    ]);
    expect(first?.value).toEqual({ list: [1] });
    expect(second?.value).not.toBe(first?.value);
  });
});

describe("a batch", () => {
  it("answers in order, reads before it writes, and lets the last write win", async () => {
    const store = newStore();
    await store.put(["a"], "k", { version: 1 });
    const answers = await store.batch([
      { namespace: ["a"], key: "k", value: { version: 2 } },
      { namespace: ["a"], key: "k" },
      { namespacePrefix: ["a"] },
      { namespace: ["a"], key: "k", value: { version: 3 } },
      { matchConditions: [], limit: 10, offset: 0 },
      { namespace: ["b"], key: "k", value: null },
    ] as const as never);
    expect(answers).toMatchObject([null, { value: { version: 1 } }, [{ value: { version: 1 } }], null, [["a"]], null]);
    expect((await store.get(["a"], "k"))?.value).toEqual({ version: 3 });
    expect(await store.batch([])).toEqual([]);
  });

  it("allows the root label langgraph, which put refuses", async () => {
    const store = newStore();
    await expect(store.put(["langgraph"], "k", {})).rejects.toThrow("langgraph");
    await store.batch([{ namespace: ["langgraph"], key: "k", value: {} }]);
    expect(await store.get(["langgraph"], "k")).not.toBeNull();
  });

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
    ["a key in delete", (store) => store.delete(["secret"], operator)],
    ["a missing key in delete", (store) => store.delete(["secret"], undefined as never)],
    ["a key in put", (store) => store.put(["secret"], operator, {})],
    ["a key with a lone surrogate", (store) => store.put(["secret"], "\uDC00", {})],
    ["a label in get", (store) => store.batch([{ namespace: [operator], key: "k" }])],
    ["a label in search", (store) => store.batch([{ namespacePrefix: [operator] }])],
    [
      "a label in listNamespaces",
      (store) => store.batch([{ matchConditions: [{ matchType: "prefix", path: [operator] }], limit: 1, offset: 0 }]),
    ],
    ["a namespace", (store) => store.batch([{ namespace: operator, key: "k" }])],
    ["a namespace in get", (store) => store.get(operator, "k")],
    ["a missing namespace in put", (store) => store.put(undefined as never, "k", {})],
    ["a namespace in delete", (store) => store.delete(operator, "k")],
    ["a prefix in search", (store) => store.search(operator)],
    ["a prefix in listNamespaces", (store) => store.listNamespaces({ prefix: operator })],
    ["a suffix in listNamespaces", (store) => store.listNamespaces({ suffix: operator })],
    ["a label with a lone surrogate", (store) => store.put(["\uD800"], "k", {})],
    ["an empty namespace in get", (store) => store.get([], "k")],
    ["a label with a dot", (store) => store.batch([{ namespace: ["a.b"], key: "k" }])],
    ["a limit", (store) => store.search(["secret"], { limit: operator })],
    ["a negative limit", (store) => store.search(["secret"], { limit: -3 })],
    ["a negative offset", (store) => store.search(["secret"], { offset: -1 })],
    ["a broken limit", (store) => store.listNamespaces({ limit: 1.5 })],
    ["a depth of 0", (store) => store.listNamespaces({ maxDepth: 0 })],
    ["a query", (store) => store.search(["secret"], { query: operator })],
    ["a filter", (store) => store.search(["secret"], { filter: "x" as never })],
    ["an operator as a value", (store) => store.search(["secret"], { filter: { token: { $eq: operator } } })],
    ["a RegExp", (store) => store.search(["secret"], { filter: { token: /^s/ } })],
    ["a RegExp under $eq", (store) => store.search(["secret"], { filter: { token: { $eq: /^s/ } } })],
    ["a RegExp under $in", (store) => store.search(["secret"], { filter: { token: { $in: [/^s/] } } })],
    ["an empty array", (store) => store.search(["secret"], { filter: { token: [] } })],
    ["an empty object", (store) => store.search(["secret"], { filter: { token: {} } })],
    ["an invalid date", (store) => store.search(["secret"], { filter: { token: new Date(Number.NaN) } })],
    [
      "an invalid date under $lt",
      (store) => store.search(["secret"], { filter: { token: { $lt: new Date(Number.NaN) } } }),
    ],
    ["an unknown operator", (store) => store.search(["secret"], { filter: { token: { $regex: "^s" } } })],
    ["operators beside fields", (store) => store.search(["secret"], { filter: { token: { $gt: "", a: 1 } } })],
    ["$in without an array", (store) => store.search(["secret"], { filter: { token: { $in: "s" } } })],
    ["$nin without an array", (store) => store.search(["secret"], { filter: { token: { $nin: null } } })],
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

  it("finds nothing by operators that are only names of fields", async () => {
    const store = newStore();
    await store.put(["secret"], "k", { token: "s" });
    expect(await store.search(["secret"], { filter: { $where: "true" } })).toEqual([]);
    expect(await store.search(["secret"], { filter: { $expr: true } })).toEqual([]);
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
  it("answers ten where no limit is given, as the reference, and none for limit 0", async () => {
    const store = newStore();
    await store.batch(Array.from({ length: 12 }, (_, index) => ({ namespace: ["a"], key: `k${index}`, value: {} })));
    expect(await store.search(["a"])).toHaveLength(10);
    expect(await store.batch([{ namespacePrefix: ["a"] }])).toMatchObject([{ length: 10 }]);
    expect(await store.search(["a"], { limit: 0 })).toEqual([]);
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

  it("gives every item once over pages, filtered here or by the server", async () => {
    const store = newStore();
    const puts = Array.from({ length: 250 }, (_, index) => ({
      namespace: [`n${index % 7}`],
      key: `k${index}`,
      value: { index, "a.b": index % 2 },
    }));
    await store.batch(puts);
    for (const filter of [{}, { index: { $gte: 0 } }, { "a.b": 0 }, { index: { $ne: 3 } }]) {
      const whole = await store.search([], { limit: 1000, filter });
      const pages: string[] = [];
      for (let offset = 0; offset < 260; offset += 40) {
        pages.push(...(await store.search([], { limit: 40, offset, filter })).map((item) => item.key));
      }
      expect(pages).toEqual(whole.map((item) => item.key));
      expect(new Set(pages).size).toBe(
        filter["a.b"] === 0 ? 125 : filter.index !== undefined && "$ne" in filter.index ? 249 : 250,
      );
    }
  });
});

describe("listNamespaces", () => {
  it("cuts to the depth, drops doubles and lists no namespace that has lost its items", async () => {
    const store = newStore();
    const namespaces = [["a", "b", "c"], ["a", "b", "d"], ["a", "x"], ["b", "b", "c"], ["gone"]];
    await store.batch(namespaces.map((namespace) => ({ namespace, key: "k", value: {} })));
    await store.delete(["gone"], "k");
    expect(await store.listNamespaces({ maxDepth: 2 })).toEqual([
      ["a", "b"],
      ["a", "x"],
      ["b", "b"],
    ]);
    expect(await store.listNamespaces({ maxDepth: 2, limit: 1, offset: 1 })).toEqual([["a", "x"]]);
    expect(await store.listNamespaces({ prefix: ["*", "b"], suffix: ["c"] })).toEqual([
      ["a", "b", "c"],
      ["b", "b", "c"],
    ]);
    expect(await store.listNamespaces({ limit: 0 })).toEqual([]);
    expect(await store.listNamespaces({ prefix: ["gone"] })).toEqual([]);
  });
});

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => new Error("nothing was refused"),
    (error: unknown) => error,
  );
}
