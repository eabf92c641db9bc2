import { deepEqual, equal } from "node:assert/strict";
import { byCodeUnits, getKeys, readPages, putAll, getSortedKeys, type StoreCase, times } from "../case.js";

const numbered = (count: number): Record<string, { index: number }> =>
  Object.fromEntries(times(count, (index) => [`k${String(index).padStart(3, "0")}`, { index }]));

export const searchCases: StoreCase[] = [
  {
    id: "search-prefix",
    title: "search finds what lies at the prefix and below it",
    run: async ({ store, root }) => {
      const places = [["a"], ["a", "b"], ["a", "b", "c"], ["b"]];
      for (const labels of places) await store.put([root, ...labels], labels.join("-"), {});
      deepEqual(getSortedKeys(await store.search([root])), ["a", "a-b", "a-b-c", "b"]);
      deepEqual(getSortedKeys(await store.search([root, "a"])), ["a", "a-b", "a-b-c"]);
      deepEqual(getSortedKeys(await store.search([root, "a", "b"])), ["a-b", "a-b-c"]);
      deepEqual(await store.search([root, "b", "c"]), []);
      deepEqual(await store.search([root, "c"]), []);
    },
  },
  {
    id: "search-whole-labels",
    title: "a prefix matches whole labels only",
    run: async ({ store, root }) => {
      const labels = [
        "acme",
        "acme-corp",
        "acme corp",
        "acmecorp",
        "acme/",
        "acme%",
        "acme_",
        "Acme",
        "acm",
        "%",
        "_",
        "acme*",
        "*",
      ];
      for (const label of labels) await store.put([root, label], label, {});
      for (const label of labels) deepEqual(getKeys(await store.search([root, label])), [label], label);
    },
  },
  {
    id: "search-slash",
    title: "a label with a slash is one label",
    run: async ({ store, root }) => {
      await store.put([root, "a/b"], "one", {});
      await store.put([root, "a", "b"], "two", {});
      deepEqual(getKeys(await store.search([root, "a/b"])), ["one"]);
      deepEqual(getKeys(await store.search([root, "a"])), ["two"]);
      deepEqual(getKeys(await store.search([root, "a", "b"])), ["two"]);
    },
  },
  {
    id: "search-everything",
    title: "the empty prefix is everything",
    run: async ({ store, root }) => {
      for (const label of ["x", "y"]) await store.put([root, label], label, { mark: root });
      deepEqual(getSortedKeys(await store.search([], { filter: { mark: root } })), ["x", "y"]);
    },
  },
  {
    id: "search-item",
    title: "search answers whole items",
    run: async ({ store, root }) => {
      await store.put([root, "a"], "k", { x: [1] });
      const item = await store.get([root, "a"], "k");
      const [found, ...others] = await store.search([root]);
      deepEqual(others, []);
      deepEqual([found?.namespace, found?.key, found?.value], [[root, "a"], "k", { x: [1] }]);
      deepEqual([found?.createdAt, found?.updatedAt], [item?.createdAt, item?.updatedAt]);
    },
  },
  {
    id: "search-limit",
    title: "search answers ten where no limit is given, and as many as the limit says",
    run: async ({ store, root }) => {
      await putAll(store, [root], numbered(15));
      equal((await store.search([root])).length, 10);
      equal((await store.search([root], { limit: 3 })).length, 3);
      equal((await store.search([root], { limit: 100 })).length, 15);
      equal((await store.search([root], { limit: 10, offset: 12 })).length, 3);
      deepEqual(await store.search([root], { offset: 15 }), []);
    },
  },
  {
    id: "search-limit-zero",
    title: "a limit of 0 is none",
    run: async ({ store, root }) => {
      await putAll(store, [root], numbered(3));
      deepEqual(await store.search([root], { limit: 0 }), []);
    },
  },
  {
    id: "search-limit-in-batch",
    title: "a search of a batch answers ten where no limit is given",
    directOnly: true,
    run: async ({ store, root }) => {
      await putAll(store, [root], numbered(15));
      const [found] = await store.batch([{ namespacePrefix: [root] }]);
      equal(found?.length, 10);
    },
  },
  {
    id: "search-pages",
    title: "pages give every item once",
    run: async ({ store, root }) => {
      await Promise.all(
        times(60, (index) => store.put([root, `n${index % 4}`], `k${index % 20}`, { index, even: index % 2 === 0 })),
      );
      const getPlace = ({ namespace, key }: { namespace: string[]; key: string }): string =>
        JSON.stringify([namespace, key]);
      const whole = (await store.search([root], { limit: 100 })).map(getPlace);
      for (const limit of [1, 7, 20]) deepEqual((await readPages(store, [root], limit)).map(getPlace), whole);
      const even = (await store.search([root], { limit: 100, filter: { even: true } })).map(getPlace);
      deepEqual((await readPages(store, [root], 7, { even: true })).map(getPlace), even);
    },
  },
  {
    id: "search-pages-while-written",
    title: "pages give every item once while items of theirs are put again",
    run: async ({ store, root }) => {
      await putAll(store, [root], numbered(40));
      const found: string[] = [];
      for (let offset = 0; offset < 40; offset += 8) {
        const page = await store.search([root], { limit: 8, offset });
        for (const { key, value } of page) await store.put([root], key, { ...value, text: "x".repeat(5000) });
        found.push(...getKeys(page));
      }
      deepEqual(found.toSorted(byCodeUnits), Object.keys(numbered(40)));
    },
  },
  {
    id: "search-order",
    title: "search sorts by namespace, then key, by code units",
    needs: { ordersByCodeUnits: true },
    run: async ({ store, root }) => {
      const labels = ["b", "a b", "a", "A", "a!", "ä", "\uFFFF", "😀", "-", "\u0001"];
      const keys = ["k", "\uE000", "K", "", "😀", "k\0", "k!"];
      for (const label of labels) for (const key of keys) await store.put([root, label], key, {});
      const expected = labels
        .toSorted(byCodeUnits)
        .flatMap((label) => keys.toSorted(byCodeUnits).map((key) => [label, key]));
      deepEqual(
        (await store.search([root], { limit: 100 })).map((item) => [item.namespace[1], item.key]),
        expected,
      );
      const page = await store.search([root], { limit: 9, offset: 13 });
      deepEqual(
        page.map((item) => [item.namespace[1], item.key]),
        expected.slice(13, 22),
      );
    },
  },
  {
    id: "search-order-of-depths",
    title: "a namespace sorts before those below it, and those before its longer neighbours",
    needs: { ordersByCodeUnits: true },
    run: async ({ store, root }) => {
      const namespaces = [["a!"], ["a", "b", "c"], ["a", "b"], ["a", "\u0001"], ["a"], ["a\u0001"]];
      for (const labels of namespaces) await store.put([root, ...labels], "k", {});
      const found = await store.search([root]);
      deepEqual(
        found.map((item) => item.namespace.slice(1)),
        [["a"], ["a", "\u0001"], ["a", "b"], ["a", "b", "c"], ["a\u0001"], ["a!"]],
      );
    },
  },
  {
    id: "search-query-without-index",
    title: "a query finds its text in a store without an index too",
    run: async ({ store, root }) => {
      await store.put([root], "k", { text: "mushroom risotto" });
      deepEqual(getKeys(await store.search([root], { query: "risotto" })), ["k"]);
    },
  },
];
