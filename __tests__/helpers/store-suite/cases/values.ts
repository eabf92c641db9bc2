import { deepEqual, deepStrictEqual, equal, ok } from "node:assert/strict";
import { types } from "node:util";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { attempt, type ItemFields, type StoreCase, times, getValue, valueText } from "../case.js";
import { untyped } from "../../memory-case.js";

/** @param make creates the value anew, so that a change by the store is noticed */
async function comesBack(store: BaseStore, root: string, make: () => ItemFields): Promise<void> {
  await store.put([root], "k", make());
  deepStrictEqual(toPlain(await getValue(store, [root], "k")), toPlain(make()));
  const [found] = await store.search([root]);
  deepStrictEqual(toPlain(found?.value), toPlain(make()));
}

/**
 * Replaces prototypes by tags: a driver's objects may come from another realm, and fields of any name must not confuse
 * a comparison.
 */
function toPlain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (types.isDate(value)) return ["date", value.getTime()];
  if (types.isUint8Array(value)) return ["bytes", ...value];
  if (Array.isArray(value)) return ["array", ...Array.from<unknown, unknown>(value, toPlain)];
  return ["object", ...Object.entries(value).map(([name, field]): unknown => [name, toPlain(field)])];
}

/** Asserts that a value is stored exactly or is refused. It must be neither changed nor dropped silently. */
async function comesBackOrIsRefused(store: BaseStore, root: string, what: string, value: unknown): Promise<void> {
  const put = await attempt(() => store.put([root], "k", { value }));
  if (put.refused) {
    equal(await store.get([root], "k"), null, `${what} was refused and stored`);
    return;
  }
  const found = (await getValue(store, [root], "k"))?.["value"];
  deepStrictEqual(found, value, `${what} must be refused or come back as it was`);
  await store.delete([root], "k");
}

class Point {
  x = 1;
}

const unusualValues: [id: string, what: string, value: unknown][] = [
  ["map", "a Map", new Map([["a", 1]])],
  ["set", "a Set", new Set([1])],
  ["instance", "an instance of a class", new Point()],
  ["function", "a function", (): number => 1],
  ["large-bigint", "a bigint beyond 64 bits", 2n ** 70n],
  ["lone-surrogate", "a lone surrogate", "\uD800"],
  ["regexp", "a RegExp", /x/u],
  ["to-bson", "an object with a method toBSON", { real: 1, toBSON: (): ItemFields => ({ other: 2 }) }],
];

export const valueCases: StoreCase[] = [
  {
    id: "value-json",
    title: "JSON comes back equal",
    run: async ({ store, root }) =>
      comesBack(store, root, () => ({
        text: "a\0b $x {} \u2028",
        number: 1.5,
        yes: true,
        no: null,
        empty: {},
        list: [[], [1, [2, { a: [] }]]],
      })),
  },
  {
    id: "value-numbers",
    title: "numbers come back as they were",
    run: async ({ store, root }) =>
      comesBack(store, root, () => ({
        large: 2 ** 53,
        integer: 2 ** 31,
        negative: -(2 ** 31),
        tiny: 5e-324,
        huge: -1.7e308,
        float: 0.1 + 0.2,
      })),
  },
  {
    id: "value-field-names",
    title: "field names with dots, dollars and the names of prototypes come back",
    run: async ({ store, root }) =>
      comesBack(store, root, () =>
        untyped(
          JSON.parse('{"a.b":1,"$set":{"$inc":1},"":2,"__proto__":{"x":1},"_id":3,"toString":"t","hasOwnProperty":1}'),
        ),
      ),
  },
  {
    id: "value-field-constructor",
    title: "fields called constructor or valueOf come back, inside arrays too",
    run: async ({ store, root }) =>
      comesBack(store, root, () => ({ constructor: [{ a: 1 }], valueOf: [{ a: 1 }], toString: [{ b: [{}] }] })),
  },
  {
    id: "value-like-a-reference",
    title: "an object that looks like a database reference is an object",
    run: async ({ store, root }) => comesBack(store, root, () => ({ deep: { $ref: "a.b", $id: 1, $db: "c" } })),
  },
  {
    id: "value-pollutes-no-prototype",
    title: "a field __proto__ is a field, and reaches no prototype",
    run: async ({ store, root }) => {
      await store.put(
        [root],
        "k",
        untyped(JSON.parse('{"a":{"__proto__":{"polluted":true}},"constructor":{"prototype":{"polluted":true}}}')),
      );
      const value = await getValue(store, [root], "k");
      const inner: unknown = value?.["a"];
      ok(Object.getOwnPropertyNames(inner).includes("__proto__"), "__proto__ is a field of its own");
      equal(Reflect.get({}, "polluted"), undefined);
    },
  },
  {
    id: "value-many-fields",
    title: "ten thousand fields and a text of a megabyte come back",
    run: async ({ store, root }) =>
      comesBack(store, root, () => ({
        ...Object.fromEntries(times(10_000, (index) => [`f${index}`, index])),
        text: "é".repeat(500_000),
      })),
  },
  {
    id: "value-negative-zero",
    title: "-0, NaN and the infinities come back or are refused",
    run: async ({ store, root }) => {
      for (const number of [-0, Number.NaN, Infinity, -Infinity])
        await comesBackOrIsRefused(store, root, String(number), number);
    },
  },
  {
    id: "value-dates",
    title: "dates come back as dates",
    needs: { storesDates: true },
    run: async ({ store, root }) =>
      comesBack(store, root, () => ({ at: new Date(1234567890123), deep: [{ at: new Date(-1) }] })),
  },
  {
    id: "value-bytes",
    title: "bytes come back as bytes",
    needs: { storesBytes: true },
    run: async ({ store, root }) => {
      await store.put([root], "k", { bytes: Uint8Array.of(0, 128, 255), none: new Uint8Array() });
      const value = await getValue(store, [root], "k");
      ok(types.isUint8Array(value?.["bytes"]) && types.isUint8Array(value["none"]), "Uint8Array");
      deepEqual([Array.from(value["bytes"]), value["none"].length], [[0, 128, 255], 0]);
    },
  },
  {
    id: "value-bigints",
    title: "64-bit integers come back as bigint",
    needs: { storesBigints: true },
    run: async ({ store, root }) =>
      comesBack(store, root, () => ({ small: 5n, large: 2n ** 60n, least: -(2n ** 63n) })),
  },
  {
    id: "value-undefined",
    title: "an undefined field stays undefined",
    run: async ({ store, root }) => {
      await store.put([root], "k", { kept: 1, gone: undefined, deep: { gone: undefined } });
      const value = await getValue(store, [root], "k");
      deepEqual(
        [value?.["kept"], value?.["gone"], (value?.["deep"] as ItemFields | undefined)?.["gone"]], // as it was put
        [1, undefined, undefined],
      );
    },
  },
  ...unusualValues.map(([id, what, value]): StoreCase => ({
    id: `value-${id}`,
    title: `${what} comes back as it was, or is refused`,
    run: async ({ store, root }) => comesBackOrIsRefused(store, root, valueText(what), value),
  })),
  {
    id: "value-no-object",
    title: "a value that is no object is refused or comes back, and undefined is not null",
    run: async ({ store, root }) => {
      await store.put([root], "kept", { x: 1 });
      const put = await attempt(() => store.put([root], "kept", untyped(undefined)));
      const item = await store.get([root], "kept");
      ok(item !== null, "put of undefined deletes nothing");
      deepEqual(item.value, put.refused ? { x: 1 } : undefined);
      await store.delete([root], "kept");
    },
  },
  {
    id: "value-key-surrogates",
    title: "keys with different lone surrogates are different, or refused",
    run: async ({ store, root }) => {
      const puts = [];
      for (const key of ["\uD800", "\uD801"])
        puts.push(await attempt(() => store.put([root], key, { key: key.charCodeAt(0) })));
      const stored = puts.filter((put) => !put.refused).length;
      equal((await store.search([root])).length, stored);
    },
  },
  {
    id: "value-copied-on-put",
    title: "what the caller changes after a put changes nothing",
    needs: { copiesValues: true },
    run: async ({ store, root }) => {
      const value = { list: [1] };
      await store.put([root], "k", value);
      value.list.push(2);
      deepEqual(await getValue(store, [root], "k"), { list: [1] });
    },
  },
  {
    id: "value-copied-at-once",
    title: "what the caller changes while a put is under way changes nothing",
    needs: { copiesValues: true },
    // The wrapper keeps the caller's objects until its next turn.
    directOnly: true,
    run: async ({ store, root }) => {
      const namespace = [root];
      const value = { list: [1] };
      const putting = store.put(namespace, "k", value);
      namespace.push("b");
      value.list.push(2);
      await putting;
      deepEqual(await getValue(store, [root], "k"), { list: [1] });
    },
  },
  {
    id: "value-copied-on-get",
    title: "what a reader changes in an answer changes nothing",
    needs: { copiesValues: true },
    run: async ({ store, root }) => {
      await store.put([root], "k", { list: [1] });
      const item = await store.get([root], "k");
      (item?.value["list"] as number[] | undefined)?.push(2); // the list as it was put
      item?.namespace.push("other");
      (await store.search([root]))[0]?.namespace.push("other");
      const again = await store.get([root], "k");
      deepEqual([again?.value, again?.namespace], [{ list: [1] }, [root]]);
    },
  },
];
