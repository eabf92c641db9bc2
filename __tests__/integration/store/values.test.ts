import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MemoryError, MongoMemoryStore } from "../../../src/index.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { client, name, uri } = testDatabase();
let collections = 0;

function newStore(): MongoMemoryStore {
  collections += 1;
  return new MongoMemoryStore({ client, dbName: name, itemsCollection: `items${collections}` });
}

describe("a value", () => {
  const stored: [string, Record<string, unknown>][] = [
    ["numbers", { zero: -0, nan: Number.NaN, infinite: [Infinity, -Infinity], large: 2 ** 53, tiny: 5e-324 }],
    ["64-bit integers", { most: 2n ** 63n - 1n, least: -(2n ** 63n), small: 5n, number: 5 }],
    ["bytes", { none: new Uint8Array(), some: Uint8Array.of(0, 255), nested: [{ deep: Uint8Array.of(1) }] }],
    ["what looks like the mark of one", { $ref: "a", $id: 1, $plain: { $ref: "b", $id: 2, $db: "c" } }],
    ["dates", { at: new Date(1234567890123), deep: [{ at: new Date(-1) }] }],
    ["names of operators and paths", { "a.b": 1, $set: { $inc: 1 }, "": 2, _id: 3, "x.0": "a\0b $x {} \u2028" }],
    ["names of prototypes", { constructor: [{ a: 1 }], valueOf: [{ a: 1 }], toString: [{ b: [{}] }] }],
    ["many fields", Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, index]))],
  ];

  it.each(stored)("comes back equal: %s", async (_, value) => {
    const store = newStore();
    await store.put(["a"], "k", value);
    const found = (await store.get(["a"], "k"))?.value;
    expect(found).toEqual(value);
    expect(Object.keys(found ?? {}).toSorted()).toEqual(Object.keys(value).toSorted());
  });

  it("loses undefined fields, and has null for undefined in arrays", async () => {
    const store = newStore();
    // oxlint-disable-next-line no-sparse-arrays -- a hole is as undefined as the others
    await store.put(["a"], "k", { gone: undefined, list: [undefined, , 1], deep: { gone: undefined } });
    expect((await store.get(["a"], "k"))?.value).toStrictEqual({ list: [null, null, 1], deep: {} });
  });

  it("comes back as bytes of its own, not a Buffer", async () => {
    const store = newStore();
    await store.put(["a"], "k", { bytes: Buffer.from("x") });
    const bytes: unknown = (await store.get(["a"], "k"))?.value["bytes"];
    expect(Object.prototype.toString.call(bytes)).toBe("[object Uint8Array]");
    expect(Buffer.isBuffer(bytes)).toBe(false);
  });

  it("comes back equal through a client with other defaults", async () => {
    const odd = useClient(
      new MongoClient(uri, {
        promoteValues: false,
        promoteLongs: false,
        ignoreUndefined: true,
        checkKeys: true,
        raw: true,
      }),
    );
    const store = new MongoMemoryStore({ client: odd, dbName: name, itemsCollection: "oddClient" });
    const value = { number: 1.5, integer: 7, big: 5n, $x: { "a.b": "t" }, date: new Date(0), bytes: Uint8Array.of(1) };
    await store.put(["a"], "k", value);
    expect((await store.get(["a"], "k"))?.value).toEqual(value);
    expect((await store.search(["a"], { filter: { integer: 7 } }))[0]?.value).toEqual(value);
    expect(await store.listNamespaces()).toEqual([["a"]]);
  });

  it("may have a field __proto__, which reaches no prototype", async () => {
    const store = newStore();
    await store.put(["a"], "k", JSON.parse('{"a":{"__proto__":{"polluted":true}}}') as Record<string, unknown>);
    const inner: unknown = (await store.get(["a"], "k"))?.value["a"];
    expect(Object.getOwnPropertyNames(inner)).toEqual(["__proto__"]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("is what it was at the call, whatever the program changes while it is put, or in an answer", async () => {
    const store = newStore();
    const [namespace, value] = [["a"], { list: [1] }];
    const putting = store.put(namespace, "k", value);
    namespace.push("b");
    value.list.push(2);
    await putting;
    for (const read of [() => store.get(["a"], "k"), async () => (await store.search(["a"]))[0] ?? null]) {
      const [item, again] = [await read(), await read()];
      item?.namespace.push("other");
      Object.assign(item?.value ?? {}, { list: [1, 2] });
      expect(again).toMatchObject({ namespace: ["a"], value: { list: [1] } });
      expect(await read()).toMatchObject({ namespace: ["a"], value: { list: [1] } });
    }
  });

  it("is neither read nor deleted without a key, through a client that ignores undefined", async () => {
    const store = new MongoMemoryStore({
      client: useClient(new MongoClient(uri, { ignoreUndefined: true })),
      dbName: name,
      itemsCollection: "ignoring",
    });
    await store.put(["a"], "k", { x: 1 });
    for (const call of [store.get(["a"], undefined as never), store.delete(["a"], undefined as never)])
      await expect(call).rejects.toThrow("key");
    expect(await store.search(["a"])).toMatchObject([{ key: "k", value: { x: 1 } }]);
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = { cycle };
  class Point {
    x = 1;
  }
  const refused: [string, unknown][] = [
    ["a function", { a: () => 1 }],
    ["a symbol", { a: Symbol("s") }],
    ["a symbol for a key", { [Symbol("s")]: 1 }],
    ["a Map", { a: new Map() }],
    ["a Set", { a: [new Set()] }],
    ["a class instance", { a: { b: new Point() } }],
    ["a RegExp", { a: /x/ }],
    ["an object with a method toBSON", { a: { real: 1, toBSON: () => ({ other: 2 }) } }],
    ["a typed array of other than bytes", { a: new Float64Array(1) }],
    ["an invalid date", { a: new Date(Number.NaN) }],
    ["a cycle", cycle],
    ["a bigint beyond 64 bits", { a: 2n ** 63n }],
    ["a lone surrogate", { a: "\uD800" }],
    ["a lone surrogate in a field name", { "\uD800": 1 }],
    ["NUL in a field name", { a: { "x\0y": 1 } }],
    ["the driver's own type mark", { a: { _bsontype: "ObjectId" } }],
    ["more than 16 MB", { a: "x".repeat(16 * 1024 * 1024) }],
    ["a text", "text"],
    ["an array", [1]],
    ["undefined", undefined],
  ];

  it.each(refused)("is refused, and nothing of its batch is stored: %s", async (_, value) => {
    const store = newStore();
    const put = { namespace: ["a"], key: "k", value: value as Record<string, unknown> };
    const batch = store.batch([{ namespace: ["a"], key: "other", value: {} }, put]);
    const error: unknown = await batch.catch((reason: unknown) => reason);
    expect(error instanceof TypeError || MemoryError.isInstance(error)).toBe(true);
    expect((error as Error).message).toMatch(/value|item/);
    expect(await store.search([])).toEqual([]);
  });

  it("is stored up to MongoDB's limit", async () => {
    const store = newStore();
    await store.put(["a"], "k", { text: "x".repeat(16 * 1024 * 1024 - 1200) });
    expect((await store.get(["a"], "k"))?.value["text"]).toHaveLength(16 * 1024 * 1024 - 1200);
  });
});
