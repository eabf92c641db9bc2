import { beforeAll, describe, expect, it } from "@jest/globals";
import { type BaseStore, InMemoryStore, type Operation } from "@langchain/langgraph-checkpoint";
import { MongoClient } from "mongodb";
import { MemoryError, MongoMemoryStore } from "../../../src/index.js";
import { untyped } from "../../helpers/memory-case.js";
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

  it("has the times of its first and its last put, which no read moves, and new ones after a delete", async () => {
    const startMs = Date.parse("2100-01-01");
    let nowMs = startMs;
    const store = newStore({ clock: () => new Date(nowMs) });
    const putLater = async (value: object): Promise<number[]> => {
      await store.put(["a"], "k", { ...value });
      nowMs += 10;
      const [found] = await store.search(["a"]);
      expect(found?.value).toEqual(value);
      return [found?.createdAt, found?.updatedAt].map((time) => Number(time) - startMs);
    };
    expect(await putLater({ x: 1 })).toEqual([0, 0]);
    expect(await putLater({ y: { z: 2 } })).toEqual([0, 10]);
    await store.delete(["a"], "k");
    expect(await putLater({ x: 3 })).toEqual([20, 20]);
  });
});

describe("a namespace", () => {
  const store = newStore();

  it.each([[[]], [[""]], [["a", ""]], [["a.b"]], [["a", "b:c"]], [["a\0"]], [["a", 5]], [["a", null]], [["a", {}]]])(
    "%j is refused in every operation, and nothing of its batch is stored",
    async (namespace) => {
      const operations = [
        { namespace, key: "k" },
        { namespace, key: "k", value: {} },
        { namespace, key: "k", value: null },
        ...(namespace.length > 0 ? [{ namespacePrefix: namespace }] : []),
      ] as Operation[];
      const good = { namespace: ["b"], key: "k", value: {} };
      for (const operation of operations)
        await expect(store.batch([good, operation])).rejects.toMatchObject({ name: "InvalidNamespaceError" });
      expect(await store.search([])).toEqual([]);
    },
  );

  it("with the root langgraph is refused by put, and taken by batch and delete, as by the reference", async () => {
    const place = { namespace: ["langgraph", "a"], key: "k" };
    await expect(store.put(place.namespace, "k", {})).rejects.toMatchObject({ name: "InvalidNamespaceError" });
    await store.batch([{ ...place, value: { x: 1 } }]);
    expect((await store.get(place.namespace, "k"))?.value).toEqual({ x: 1 });
    await store.delete(place.namespace, "k");
    expect(await store.get(place.namespace, "k")).toBeNull();
  });
});

describe("a batch", () => {
  it("leaves the last of several writes of one key, as in the reference", async () => {
    const put = (value: Record<string, number> | null): Operation => ({ namespace: ["a"], key: "k", value });
    const stores: BaseStore[] = [newStore(), new InMemoryStore()];
    for (const store of stores) {
      await store.batch([put({ x: 1 }), put({ x: 2 })]);
      expect((await store.get(["a"], "k"))?.value).toEqual({ x: 2 });
      await store.batch([put({ x: 3 }), put(null)]);
      expect(await store.get(["a"], "k")).toBeNull();
    }
  });

  it("is refused where the reference would leave an answer out", async () => {
    await expect(newStore().batch([{ unknown: 1 } as never])).rejects.toThrow(TypeError);
    await expect(newStore().batch([null as never])).rejects.toThrow(TypeError);
    await expect(newStore().batch("x" as never)).rejects.toThrow(TypeError);
    expect(await newStore().batch([])).toEqual([]);
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
  const store = newStore();

  beforeAll(() => store.put(["secret"], "k", { token: "s" }));

  it.each<[string, () => Promise<unknown>]>([
    ["a key in get", () => store.get(["secret"], operator)],
    ["a missing key in get", () => store.get(["secret"], undefined as never)],
    ["a missing key in delete", () => store.delete(["secret"], undefined as never)],
    ["a key in put", () => store.put(["secret"], operator, {})],
    ["a label in search", () => store.batch([{ namespacePrefix: [operator] }])],
    [
      "a label in listNamespaces",
      () => store.batch([{ matchConditions: [{ matchType: "prefix", path: [operator] }], limit: 1, offset: 0 }]),
    ],
    ["a namespace", () => store.batch([{ namespace: operator, key: "k" }])],
    ["a namespace in get", () => store.get(operator, "k")],
    ["a missing namespace in put", () => store.put(undefined as never, "k", {})],
    ["a prefix in search", () => store.search(operator)],
    ["a prefix in listNamespaces", () => store.listNamespaces({ prefix: operator })],
    ["a suffix in listNamespaces", () => store.listNamespaces({ suffix: operator })],
    ["a label with a lone surrogate", () => store.put(["\uD800"], "k", {})],
    ["a key with a lone surrogate", () => store.put(["a"], "\uD800", {})],
    [
      "an unknown kind of condition",
      () => store.batch([{ matchConditions: [{ matchType: "regex", path: [] }] } as never]),
    ],
    ["an empty namespace in get", () => store.get([], "k")],
    ["a label with a dot", () => store.batch([{ namespace: ["a.b"], key: "k" }])],
    ["a limit", () => store.search(["secret"], { limit: operator })],
    ["a negative limit", () => store.search(["secret"], { limit: -1 })],
    ["a negative offset", () => store.search(["secret"], { offset: -1 })],
    ["an offset", () => store.search(["secret"], { offset: operator })],
    ["a limit that is no number", () => store.search(["secret"], { limit: Number.NaN })],
    ["a broken limit", () => store.listNamespaces({ limit: 1.5 })],
    ["a depth of 0", () => store.listNamespaces({ maxDepth: 0 })],
    ["a query", () => store.search(["secret"], { query: operator })],
    ["a filter", () => store.search(["secret"], { filter: "x" as never })],
    ["an invalid date", () => store.search(["secret"], { filter: { token: new Date(Number.NaN) } })],
    ["an invalid date under $lt", () => store.search(["secret"], { filter: { token: { $lt: new Date(Number.NaN) } } })],
  ])("is refused as %s, with an error of ours", async (_, run) => {
    const error = await rejection(run());
    expect([isOurs(error), (error as Error).message]).toEqual([true, expect.any(String)]);
    expect(await store.get(["secret"], "k")).not.toBeNull();
  });

  it("is refused for a key, whatever operator it is, and nothing is read, changed or deleted", async () => {
    for (const key of [{ $ne: null }, { $gt: "" }, { $regex: "^k" }, { $exists: true }, { $in: ["k"] }, {}, null]) {
      for (const call of [
        store.get(["secret"], key as never),
        store.put(["secret"], key as never, { stolen: true }),
        store.delete(["secret"], key as never),
      ])
        await expect(call).rejects.toThrow("key");
    }
    expect(await store.search([])).toMatchObject([{ key: "k", value: { token: "s" } }]);
  });
});

describe("a filter", () => {
  const dates = {
    early: new Date(1000),
    late: new Date(3000),
    array: [new Date(1000)],
    "number 1000": 1000,
    "number 2000": 2000,
  };
  const store = newStore();
  const search = (filter: unknown): Promise<unknown[]> => store.search(["secret"], { filter: filter as never });

  beforeAll(() =>
    store.batch([
      { namespace: ["secret"], key: "k", value: { token: "s", n: 1 } },
      { namespace: ["other"], key: "k", value: { token: "t", n: 1 } },
      ...Object.entries(dates).map(([key, x]) => ({ namespace: ["dates"], key, value: { x, "x.y": x } })),
    ]),
  );

  it.each<[string, unknown[]]>([
    [
      "an unknown operator",
      [
        { $regex: "^s" },
        { $type: "string" },
        { $mod: [1, 0] },
        { $gt: 0, $unknown: 1 },
        { $not: { $eq: "x" } },
        { $GT: 0 },
      ],
    ],
    [
      "operators beside fields",
      [
        { $ne: "x", a: 1 },
        { a: 1, $gte: 0 },
      ],
    ],
    ["$in without an array", [{ $in: "s" }, { $in: { 0: "s" } }, { $in: null }, { $nin: "x" }]],
    ["a RegExp", [/^s/, { $eq: /^s/ }, { $in: [/^s/] }, { $gt: /^s/ }]],
    ["an empty list, object or bytes", [[], {}, new Uint8Array()]],
  ])("with %s for a condition is refused with an error of ours", async (_, conditions) => {
    for (const field of ["token", "n"])
      for (const condition of conditions) expect(isOurs(await rejection(search({ [field]: condition })))).toBe(true);
  });

  it("finds nothing by an operator inside an operand, or by operators and fields of the database", async () => {
    const find = (filter: unknown): Promise<unknown> =>
      search(filter).catch((error: unknown) => (isOurs(error) ? [] : error));
    for (const condition of [
      { $eq: { $ne: null } },
      { $eq: { $exists: true } },
      { $gt: { $ne: null } },
      { $in: [{ $ne: null }] },
    ])
      expect(await find({ token: condition })).toEqual([]);
    for (const filter of [
      { $where: "true" },
      { $expr: true },
      { "token.$exists": true },
      { "": { $eq: 1 } },
      { _id: { $gt: "" } },
      { ns: "other" },
      { key: "k" },
      { "value.token": { $eq: "s" } },
    ])
      expect(await find(filter)).toEqual([]);
  });

  it.each(["$and", "$or", "$nor"])("has no %s, and is refused with what it may have", async (operator) => {
    await expect(search({ [operator]: [{ n: 1 }] })).rejects.toMatchObject({
      code: "EINVAL",
      message: `a filter has fields with conditions, which must all be true; it cannot have ${operator}`,
    });
  });

  it.each<[string, unknown, string[]]>([
    ["comparisons order dates, also against numbers", { $gt: new Date(1000) }, ["late", "number 2000"]],
    ["a date is equal to an equal one, and to no number", new Date(1000), ["early"]],
    ["a date is equal to no earlier one", new Date(3000), ["late"]],
    ["$ne is true of all but an equal one", { $ne: new Date(1000) }, ["array", "late", "number 1000", "number 2000"]],
    ["$in holds an equal one", { $in: [new Date(1000), 5] }, ["early"]],
    ["$nin holds an equal one", { $nin: [new Date(1000), 1000] }, ["array", "late", "number 2000"]],
  ])("takes a date for an instant: %s", async (_, x, keys) => {
    // The server cannot name a field with a dot, so the client decides.
    for (const field of ["x", "x.y"])
      expect((await store.search(["dates"], { filter: { [field]: x } })).map(({ key }) => key)).toEqual(keys);
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
    // As in the reference: a hundred for the method, all for an operation.
    expect(await store.listNamespaces()).toHaveLength(100);
    const [all] = await store.batch<Operation[]>([untyped({ matchConditions: [] })]);
    expect(all).toHaveLength(2345);
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
  it("answers ten without a limit, and all for an infinite one", async () => {
    const store = newStore();
    await store.batch(Array.from({ length: 12 }, (_, index) => ({ namespace: ["a"], key: `k${index}`, value: {} })));
    expect(await store.search(["a"])).toHaveLength(10);
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

  it("gives every item once over pages while items of theirs are put again", async () => {
    const store = newStore();
    const keys = Array.from({ length: 40 }, (_, index) => `k${String(index).padStart(3, "0")}`);
    await store.batch(keys.map((key) => ({ namespace: ["a"], key, value: {} })));
    const found: string[] = [];
    for (let offset = 0; offset < 40; offset += 8)
      for (const { key } of await store.search(["a"], { limit: 8, offset })) {
        await store.put(["a"], key, { text: "x".repeat(5000) });
        found.push(key);
      }
    expect(found).toEqual(keys);
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

/** An error of ours says what is wrong in its own words, not in those of JavaScript or the driver. */
function isOurs(error: unknown): boolean {
  const isKnown =
    error instanceof TypeError || MemoryError.isInstance(error) || (error as Error).name === "InvalidNamespaceError";
  return isKnown && !/not iterable|Cannot read|BSON|Mongo|nothing was refused/.test((error as Error).message);
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => new Error("nothing was refused"),
    (error: unknown) => error,
  );
}
