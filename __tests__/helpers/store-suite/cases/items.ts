import { deepEqual, equal, ok } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { types } from "node:util";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { mustRefuse, putAll, getSortedKeys, type StoreCase, getValue } from "../case.js";
import { untyped } from "../../memory-case.js";

/** Times have whole milliseconds, and a server's clock may differ. */
const laterMs = 20;

/** Keys that a careless join, escape, normalization or property access would confuse. */
const oddKeys = [
  "",
  " ",
  "k",
  "K",
  "k ",
  "k.x",
  "k/x",
  "k:x",
  "k\\x",
  "k%2Ex",
  "$k",
  "$where",
  "_id",
  "*",
  "null",
  "0",
  "__proto__",
  "constructor",
  "toString",
  "k\nx",
  "\0",
  "k\0",
  "é",
  "e\u0301",
  "ﬀ",
  "ff",
  "Ａ",
  "A",
  "🧠",
  "\uFFFF",
  "\u{10FFFF}",
  "x".repeat(1500),
];

/** Labels that are as easily confused. The contract forbids an empty label, and "." and ":" and NUL in labels. */
const oddLabels = [
  " ",
  "a",
  "A",
  "a ",
  "a/b",
  "a\\b",
  "a%2Eb",
  "a|b",
  "a,b",
  "$a",
  "$key",
  "$$ROOT",
  "*",
  "null",
  "0",
  "__proto__",
  "constructor",
  "é",
  "e\u0301",
  "ﬀ",
  "ff",
  "Ａ",
  "🧠",
  "a-corp",
  "a_",
  "a\nb",
  "langgraph",
  "ann@example",
  "\uFFFF",
  "\u{10FFFF}",
];

async function comeBackApart(store: BaseStore, places: [string[], string][]): Promise<void> {
  for (const [index, [namespace, key]] of places.entries()) await store.put(namespace, key, { index });
  for (const [index, [namespace, key]] of places.entries()) {
    const item = await store.get(namespace, key);
    deepEqual([item?.namespace, item?.key, item?.value], [namespace, key, { index }]);
  }
}

export const itemCases: StoreCase[] = [
  {
    id: "get-missing",
    title: "get answers null where nothing is",
    run: async ({ store, root }) => {
      equal(await store.get([root], "k"), null);
      await store.put([root, "a"], "k", { x: 1 });
      for (const namespace of [[root], [root, "a", "b"], [root, "b"]]) equal(await store.get(namespace, "k"), null);
      equal(await store.get([root, "a"], "other"), null);
    },
  },
  {
    id: "put-get",
    title: "an item comes back with its value, key, namespace and times",
    run: async ({ store, root }) => {
      await store.put([root, "a"], "k", { name: "Ada", nested: { list: [1, "two", null, true] } });
      const item = await store.get([root, "a"], "k");
      deepEqual(item?.value, { name: "Ada", nested: { list: [1, "two", null, true] } });
      deepEqual([item?.namespace, item?.key], [[root, "a"], "k"]);
      ok(types.isDate(item?.createdAt) && types.isDate(item?.updatedAt), "createdAt and updatedAt are dates");
      equal(item?.createdAt.getTime(), item?.updatedAt.getTime());
    },
  },
  {
    id: "put-replaces",
    title: "put replaces the whole value, keeps createdAt and moves updatedAt",
    run: async ({ store, root }) => {
      await store.put([root], "k", { a: 1, b: { c: 1 } });
      const { createdAt, updatedAt } = (await store.get([root], "k")) ?? {};
      const before = { createdAt: createdAt?.getTime(), updatedAt: updatedAt?.getTime() };
      await sleep(laterMs);
      await store.put([root], "k", { b: { d: 2 } });
      const after = await store.get([root], "k");
      deepEqual(after?.value, { b: { d: 2 } });
      equal(after?.createdAt.getTime(), before.createdAt);
      ok((after?.updatedAt.getTime() ?? 0) > (before.updatedAt ?? Infinity), "updatedAt moves");
    },
  },
  {
    id: "get-moves-no-time",
    title: "get and search leave the times alone",
    run: async ({ store, root }) => {
      await store.put([root], "k", {});
      const before = (await store.get([root], "k"))?.updatedAt.getTime();
      await sleep(laterMs);
      await store.get([root], "k");
      await store.search([root]);
      equal((await store.get([root], "k"))?.updatedAt.getTime(), before);
    },
  },
  {
    id: "delete",
    title: "delete removes one item, and nothing where nothing is",
    run: async ({ store, root }) => {
      await putAll(store, [root], { k: {}, other: {} });
      await putAll(store, [root, "k"], { k: {} });
      await store.delete([root], "k");
      await store.delete([root], "k");
      await store.delete([root, "nothing"], "k");
      equal(await store.get([root], "k"), null);
      deepEqual(getSortedKeys(await store.search([root])), ["k", "other"]);
    },
  },
  {
    id: "put-after-delete",
    title: "an item put after its deletion is a new one",
    run: async ({ store, root }) => {
      await store.put([root], "k", { old: true });
      const before = (await store.get([root], "k"))?.createdAt.getTime();
      await store.delete([root], "k");
      await sleep(laterMs);
      await store.put([root], "k", { new: true });
      const item = await store.get([root], "k");
      deepEqual(item?.value, { new: true });
      ok((item?.createdAt.getTime() ?? 0) > (before ?? Infinity), "createdAt is new");
    },
  },
  {
    id: "odd-keys",
    title: "every string is a key of its own",
    run: async ({ store, root }) =>
      comeBackApart(
        store,
        oddKeys.map((key) => [[root], key]),
      ),
  },
  {
    id: "odd-labels",
    title: "every label that LangGraph allows is one of its own",
    run: async ({ store, root }) =>
      comeBackApart(
        store,
        oddLabels.flatMap((label): [string[], string][] => [
          [[root, label], "k"],
          [[root, "x", label], label],
        ]),
      ),
  },
  {
    id: "namespaces-apart",
    title: "namespaces that read alike when joined are different",
    run: async ({ store, root }) => {
      const pairs = ["/", "|", ",", "\u001f", " ", "\\", "//"].flatMap((mark): [string[], string][] => [
        [[root, `x${mark}y`], "k"],
        [[root, "x", "y"], `k${mark}`],
        [[root, "x"], `y${mark}k`],
        [[root, "x", `y${mark}k`], "k"],
      ]);
      await comeBackApart(store, [...pairs, [[root, "x", "y"], "k"]]);
    },
  },
  {
    id: "delete-leaves-the-odd",
    title: "delete of one odd place leaves the others",
    run: async ({ store, root }) => {
      const labels = ["a", "a/b", "A", "é", "e\u0301", "*"];
      for (const label of labels) await store.put([root, label], "k", { label });
      for (const [index, label] of labels.entries()) {
        await store.delete([root, label], "k");
        const left = await store.search([root], { limit: 100 });
        deepEqual(new Set(left.map((item): unknown => item.value["label"])), new Set(labels.slice(index + 1)));
      }
    },
  },
  {
    id: "invalid-namespaces",
    title: 'put refuses an empty namespace, empty labels, ".", ":", NUL and the root label langgraph',
    run: async ({ store, root }) => {
      for (const namespace of [
        [],
        [""],
        [root, ""],
        [`${root}.x`],
        [root, "a.b"],
        [root, "a:b"],
        [root, "a\0b"],
        ["langgraph", root],
      ]) {
        await mustRefuse(
          `put into ${JSON.stringify(namespace)}`,
          () => store.put(namespace, "k", {}),
          "InvalidNamespaceError",
        );
      }
      deepEqual(await store.search([root]), []);
    },
  },
  {
    id: "invalid-namespaces-in-batch",
    title: "batch refuses what put refuses, in every operation",
    directOnly: true,
    run: async ({ store, root }) => {
      for (const namespace of [[], [root, ""], [root, "a.b"], [root, "a:b"], [root, "a\0b"], [root, 5], [root, null]]) {
        for (const operation of [
          { namespace, key: "k" },
          { namespace, key: "k", value: {} },
          { namespace, key: "k", value: null },
        ]) {
          await mustRefuse(JSON.stringify(operation), () => store.batch([untyped(operation)]), "InvalidNamespaceError");
        }
      }
    },
  },
  {
    id: "langgraph-in-batch",
    title: "batch allows the root label langgraph, as the reference does for LangGraph itself",
    directOnly: true,
    run: async ({ store, root }) => {
      await store.batch([{ namespace: ["langgraph", root], key: "k", value: { x: 1 } }]);
      deepEqual(await getValue(store, ["langgraph", root], "k"), { x: 1 });
      await store.batch([{ namespace: ["langgraph", root], key: "k", value: null }]);
      equal(await store.get(["langgraph", root], "k"), null);
    },
  },
  {
    id: "delete-in-langgraph",
    title: "delete allows the root label langgraph",
    run: async ({ store, root }) => store.delete(["langgraph", root], "k"),
  },
];
