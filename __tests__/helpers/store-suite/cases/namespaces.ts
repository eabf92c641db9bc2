import { deepEqual } from "node:assert/strict";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { byCodeUnits, type StoreCase, times } from "../case.js";
import { untyped } from "../../memory-case.js";

type Listing = NonNullable<Parameters<BaseStore["listNamespaces"]>[0]>;

async function fill(store: BaseStore, root: string, namespaces: readonly (readonly string[])[]): Promise<void> {
  for (const labels of namespaces) await store.put([root, ...labels], "k", {});
}

/** Lists namespaces without their first label, which is the case's own label and the prefix of every listing. */
async function listBelow(
  store: BaseStore,
  root: string,
  { prefix = [], ...options }: Listing = {},
): Promise<string[][]> {
  const namespaces = await store.listNamespaces({ ...options, prefix: [root, ...prefix] });
  return namespaces.map((namespace) => namespace.slice(1));
}

const joined = (namespace: readonly string[]): string => namespace.join("\0");

async function lists(store: BaseStore, root: string, options: Listing, expected: string[][]): Promise<void> {
  const found = (await listBelow(store, root, options)).map(joined).toSorted(byCodeUnits);
  deepEqual(found, expected.map(joined).toSorted(byCodeUnits), JSON.stringify(options));
}

const tree = [
  ["a", "b", "c"],
  ["a", "b", "d"],
  ["a", "x"],
  ["b", "b", "c"],
];

const listingCases: StoreCase[] = [
  {
    id: "list-all",
    title: "listNamespaces gives each namespace once",
    run: async ({ store, root }) => {
      await fill(store, root, tree);
      await store.put([root, "a", "x"], "another", {});
      await lists(store, root, {}, tree);
    },
  },
  {
    id: "list-prefix",
    title: "listNamespaces takes a prefix of whole labels",
    run: async ({ store, root }) => {
      await fill(store, root, [...tree, ["a"], ["ab"], ["a/b"], ["a-b", "c"]]);
      await lists(store, root, { prefix: ["a"] }, [["a"], ["a", "b", "c"], ["a", "b", "d"], ["a", "x"]]);
      await lists(store, root, { prefix: ["a", "b", "c", "d"] }, []);
      await lists(store, root, { prefix: ["a/b"] }, [["a/b"]]);
    },
  },
  {
    id: "list-suffix",
    title: "listNamespaces takes a suffix, alone and with a prefix",
    run: async ({ store, root }) => {
      await fill(store, root, tree);
      await lists(store, root, { suffix: ["c"] }, [
        ["a", "b", "c"],
        ["b", "b", "c"],
      ]);
      await lists(store, root, { suffix: ["b", "c"], prefix: ["a"] }, [["a", "b", "c"]]);
      await lists(store, root, { suffix: ["b"] }, []);
      await lists(store, root, { suffix: times(9, () => "c") }, []);
    },
  },
  {
    id: "list-wildcards",
    title: "listNamespaces takes * for any one label",
    run: async ({ store, root }) => {
      await fill(store, root, tree);
      await lists(store, root, { prefix: ["*", "b"] }, [
        ["a", "b", "c"],
        ["a", "b", "d"],
        ["b", "b", "c"],
      ]);
      await lists(store, root, { suffix: ["b", "*"] }, [
        ["a", "b", "c"],
        ["a", "b", "d"],
        ["b", "b", "c"],
      ]);
      await lists(store, root, { prefix: ["a", "*"] }, [
        ["a", "b", "c"],
        ["a", "b", "d"],
        ["a", "x"],
      ]);
      await lists(store, root, { prefix: ["*", "*", "*", "*"] }, []);
    },
  },
  {
    id: "list-star-label",
    title: "a label may be *, and search takes it for itself",
    run: async ({ store, root }) => {
      await fill(store, root, [["*"], ["a"]]);
      await lists(store, root, { prefix: ["*"] }, [["*"], ["a"]]);
      deepEqual(
        (await store.search([root, "*"])).map((item) => item.namespace),
        [[root, "*"]],
      );
    },
  },
  {
    id: "list-depth",
    title: "maxDepth cuts namespaces and gives each cut once",
    run: async ({ store, root }) => {
      await fill(store, root, tree);
      await lists(store, root, { maxDepth: 3 }, [
        ["a", "b"],
        ["a", "x"],
        ["b", "b"],
      ]);
      await lists(store, root, { maxDepth: 2 }, [["a"], ["b"]]);
      await lists(store, root, { maxDepth: 9 }, tree);
      await lists(store, root, { maxDepth: 2, suffix: ["c"] }, [["a"], ["b"]]);
    },
  },
  {
    id: "list-limit",
    title: "listNamespaces takes limit and offset",
    run: async ({ store, root }) => {
      await fill(
        store,
        root,
        times(12, (index) => [`n${String(index).padStart(2, "0")}`]),
      );
      const whole = await listBelow(store, root);
      deepEqual(whole.length, 12);
      deepEqual(await listBelow(store, root, { limit: 5 }), whole.slice(0, 5));
      deepEqual(await listBelow(store, root, { limit: 5, offset: 10 }), whole.slice(10));
      deepEqual(await listBelow(store, root, { offset: 12 }), []);
    },
  },
  {
    id: "list-depth-pages",
    title: "pages of a listing that is cut give each cut once",
    run: async ({ store, root }) => {
      await fill(
        store,
        root,
        times(30, (index) => [`n${index % 6}`, `m${index}`]),
      );
      const pages: string[][] = [];
      for (let offset = 0; offset < 8; offset += 2)
        pages.push(...(await listBelow(store, root, { maxDepth: 2, limit: 2, offset })));
      deepEqual(
        pages.map(joined).toSorted(byCodeUnits),
        times(6, (index) => `n${index}`),
      );
    },
  },
  {
    id: "list-limit-zero",
    title: "a limit of 0 lists nothing",
    run: async ({ store, root }) => {
      await fill(store, root, tree);
      deepEqual(await listBelow(store, root, { limit: 0 }), []);
    },
  },
  {
    id: "list-limit-in-batch",
    title: "a listing of a batch is whole where no limit is given",
    run: async ({ store, root }) => {
      await store.batch(times(130, (index) => ({ namespace: [root, `n${index}`], key: "k", value: {} })));
      const [namespaces] = await store.batch([untyped({ matchConditions: [{ matchType: "prefix", path: [root] }] })]);
      deepEqual(Array.isArray(namespaces) && namespaces.length, 130);
      deepEqual((await listBelow(store, root)).length, 100);
    },
  },
  {
    id: "list-expressions",
    title: "labels that look like expressions are labels",
    run: async ({ store, root }) => {
      const labels = ["$key", "$$ROOT", "$", "$x", "{}", "k"];
      for (const label of labels) await store.put([root, label], "k", {});
      await store.put([root, "z"], "z", {});
      for (const label of labels) await lists(store, root, { prefix: [label] }, [[label]]);
      for (const label of labels) await lists(store, root, { suffix: [label] }, [[label]]);
    },
  },
  {
    id: "list-emptied",
    title: "a namespace without items is not listed",
    needs: { listsEmptiedNamespaces: false },
    run: async ({ store, root }) => {
      await fill(store, root, [["kept"], ["gone"]]);
      await store.delete([root, "gone"], "k");
      await store.delete([root, "never"], "k");
      await lists(store, root, {}, [["kept"]]);
    },
  },
  {
    id: "list-order",
    title: "listNamespaces sorts by code units",
    needs: { ordersByCodeUnits: true },
    run: async ({ store, root }) => {
      const labels = ["b", "a b", "a", "A", "a!", "ä", "\uFFFF", "😀", "-", "\u0001"];
      await fill(
        store,
        root,
        labels.flatMap((label) => [[label], [label, "x"]]),
      );
      const expected = labels.toSorted(byCodeUnits).flatMap((label) => [[label], [label, "x"]]);
      deepEqual(await listBelow(store, root), expected);
      deepEqual(await listBelow(store, root, { limit: 4, offset: 3 }), expected.slice(3, 7));
    },
  },
];

/** All cases need `listNamespaces`, which the wrapper inherits but cannot answer. */
export const namespaceCases: StoreCase[] = listingCases.map((one) => ({ ...one, directOnly: true }));
