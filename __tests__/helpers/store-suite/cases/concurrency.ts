import { deepEqual, equal } from "node:assert/strict";
import { getKeys, getSortedKeys, type StoreCase, times, getValue } from "../case.js";

/** Enough to catch a store that refuses one racing put in a hundred almost always. */
const rounds = 20;
const writers = 50;

export const concurrencyCases: StoreCase[] = [
  {
    id: "race-first-puts",
    title: "concurrent first puts of one key are all taken, and make one item",
    run: async ({ store, root }) => {
      for (let round = 0; round < rounds; round += 1) {
        await Promise.all(times(writers, (writer) => store.put([root, "race"], `k${round}`, { writer })));
      }
      const found = await store.search([root, "race"], { limit: 10_000 });
      equal(found.length, rounds);
      equal(new Set(getKeys(found)).size, rounds);
    },
  },
  {
    id: "race-new-keys",
    title: "concurrent first puts of many keys of one new namespace are all taken",
    run: async ({ store, root }) => {
      await Promise.all(times(300, (index) => store.put([root, "many"], `k${index}`, { index })));
      equal((await store.search([root, "many"], { limit: 1000 })).length, 300);
    },
  },
  {
    id: "race-put-and-delete",
    title: "puts racing deletes of their key end in one of the two orders",
    run: async ({ store, root }) => {
      for (let round = 0; round < 50; round += 1) {
        await Promise.all(
          times(20, (index) => (index % 2 === 0 ? store.put([root], "k", { index }) : store.delete([root], "k"))),
        );
        const items = await store.search([root]);
        equal(items.length, (await store.get([root], "k")) === null ? 0 : 1);
        await store.delete([root], "k");
      }
    },
  },
  {
    id: "race-whole-values",
    title: "a reader sees one put or another, never parts of both",
    run: async ({ store, root }) => {
      await store.put([root], "k", { a: 0, b: 0 });
      await Promise.all([
        ...times(100, (index) => store.put([root], "k", { a: index, b: index })),
        ...times(100, async () => {
          const value = await getValue(store, [root], "k");
          equal(value?.["a"], value?.["b"]);
        }),
      ]);
    },
  },
  {
    id: "race-neighbours",
    title: "concurrent writes of neighbours leave each its own",
    run: async ({ store, root }) => {
      const labels = ["a", "a/b", "A", "ab", "é", "e\u0301"];
      await Promise.all(
        labels.flatMap((label) => times(20, (index) => store.put([root, label], `k${index}`, { label, index }))),
      );
      for (const label of labels) {
        const found = await store.search([root, label], { limit: 100 });
        deepEqual(getSortedKeys(found), times(20, (index) => `k${index}`).toSorted());
        deepEqual(new Set(found.map((item): unknown => item.value["label"])), new Set([label]));
      }
    },
  },
];
