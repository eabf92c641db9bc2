import { deepEqual, equal } from "node:assert/strict";
import type { GetOperation, Item, Operation } from "@langchain/langgraph-checkpoint";
import { attempt, getKeys, mustRefuse, putAll, getSortedKeys, type StoreCase, times, getValue } from "../case.js";
import { untyped } from "../../memory-case.js";

type Answer = Item | Item[] | string[][] | null | undefined;

const batchCasesBare: StoreCase[] = [
  {
    id: "batch-answers",
    title: "a batch answers every operation, in order",
    run: async ({ store, root }) => {
      await putAll(store, [root, "a"], { one: { x: 1 }, two: { x: 2 } });
      const answers = (await store.batch<Operation[]>([
        { namespace: [root, "a"], key: "two" },
        { namespace: [root, "a"], key: "new", value: { x: 3 } },
        { namespacePrefix: [root, "a"], filter: { x: 1 } },
        { namespace: [root, "a"], key: "missing" },
        { matchConditions: [{ matchType: "prefix", path: [root] }], limit: 10, offset: 0 },
        { namespace: [root, "a"], key: "one", value: null },
        { namespace: [root, "a"], key: "two" },
      ])) as Answer[]; // answers are in the order of the operations; the type omits this
      equal(answers.length, 7);
      const [two, put, found, missing, namespaces, deleted, again] = answers;
      deepEqual(
        [(two as Item).key, getKeys(found as Item[]), missing, namespaces], // the items of a get and of a search
        ["two", ["one"], null, [[root, "a"]]],
      );
      deepEqual([put ?? null, deleted ?? null, (again as Item).key], [null, null, "two"]); // the item of a get
      deepEqual(getSortedKeys(await store.search([root])), ["new", "two"]);
    },
  },
  {
    id: "batch-empty",
    title: "an empty batch has no answers",
    run: async ({ store }) => deepEqual(await store.batch([]), []),
  },
  {
    id: "batch-reads-first",
    title: "a batch reads before it writes",
    run: async ({ store, root }) => {
      await store.put([root], "deleted", { version: 1 });
      const [, got, found, namespaces, , deleted] = (await store.batch<Operation[]>([
        { namespace: [root], key: "new", value: { version: 2 } },
        { namespace: [root], key: "new" },
        { namespacePrefix: [root] },
        { matchConditions: [{ matchType: "prefix", path: [root, "below"] }], limit: 10, offset: 0 },
        { namespace: [root], key: "deleted", value: null },
        { namespace: [root], key: "deleted" },
        { namespace: [root, "below"], key: "k", value: {} },
      ])) as Answer[]; // answers are in the order of the operations
      deepEqual(
        [got, getKeys(found as Item[]), namespaces, (deleted as Item | null)?.key], // search, then get
        [null, ["deleted"], [], "deleted"],
      );
      deepEqual(getSortedKeys(await store.search([root])), ["k", "new"]);
    },
  },
  {
    id: "batch-last-write",
    title: "of several writes to one place the last one counts",
    run: async ({ store, root }) => {
      const put = (key: string, x: number): Operation => ({ namespace: [root], key, value: { x } });
      const remove = (key: string): Operation => ({ namespace: [root], key, value: null });
      await store.batch([put("a", 1), put("a", 2), put("b", 1), remove("b"), remove("c"), put("c", 3), put("d", 1)]);
      deepEqual(await getValue(store, [root], "a"), { x: 2 });
      deepEqual(await getValue(store, [root], "c"), { x: 3 });
      deepEqual(getSortedKeys(await store.search([root])), ["a", "c", "d"]);
    },
  },
  {
    id: "batch-all-or-nothing",
    title: "a refused operation of a batch means that none of it was written",
    run: async ({ store, root }) => {
      const good = (key: string): Operation => ({ namespace: [root], key, value: {} });
      await store.put([root], "kept", {});
      const bad = [
        { namespace: [`${root}.y`], key: "k", value: {} },
        { namespace: [], key: "k" },
        { namespace: [root, ""], key: "k", value: {} },
      ];
      for (const one of bad) {
        const operations = [
          good("first"),
          { namespace: [root], key: "first" },
          one,
          good("last"),
          { namespace: [root], key: "kept", value: null },
        ];
        await mustRefuse(JSON.stringify(one), () => store.batch(operations));
        deepEqual(getSortedKeys(await store.search([root])), ["kept"]);
      }
    },
  },
  {
    id: "batch-all-or-nothing-of-reads",
    title: "a search or a get that is refused stops the writes of its batch too",
    run: async ({ store, root }) => {
      const put = { namespace: [root], key: "k", value: {} };
      for (const read of [
        { namespacePrefix: [""] },
        { namespacePrefix: [root, "a.b"] },
        { namespace: [root, "a.b"], key: "k" },
      ]) {
        await mustRefuse(JSON.stringify(read), () => store.batch([put, read]));
        deepEqual(await store.search([root]), []);
      }
    },
  },
  {
    id: "batch-many",
    title: "hundreds of operations fit into a batch, and its reads answer each for itself",
    run: async ({ store, root }) => {
      const places = times(300, (index): GetOperation => ({ namespace: [root, `n${index % 10}`], key: `k${index}` }));
      await store.batch(places.map((place, index) => ({ ...place, value: { index } })));
      const gets = places.flatMap((place) => [place, { ...place, key: "missing" }]);
      const items = await store.batch(gets);
      deepEqual(
        items.map((item): unknown => item?.value["index"]),
        times(600, (index) => (index % 2 === 0 ? index / 2 : undefined)),
      );
      equal((await store.search([root], { limit: 1000 })).length, 300);
    },
  },
  {
    id: "batch-same-get",
    title: "the same get twice has two answers",
    run: async ({ store, root }) => {
      await store.put([root], "k", { x: 1 });
      const answers = await store.batch(times(3, () => ({ namespace: [root], key: "k" })));
      deepEqual(
        answers.map((item) => item?.value),
        [{ x: 1 }, { x: 1 }, { x: 1 }],
      );
    },
  },
  {
    id: "batch-places-apart",
    title: "puts of one batch into places that read alike when joined are all stored",
    run: async ({ store, root }) => {
      const places: [string[], string][] = ["/", ":", "\0", ",", "|"].flatMap((mark): [string[], string][] => [
        [[root, "x"], `y${mark}k`],
        [[root, "x", "y"], `k${mark}`],
      ]);
      places.push([[root, "x", "y"], "k"], [[root, "x/y"], "k"], [[root, "x"], "y\0\0k"]);
      await store.batch(places.map(([namespace, key], index) => ({ namespace, key, value: { index } })));
      const items = await store.batch(places.map(([namespace, key]) => ({ namespace, key })));
      deepEqual(
        items.map((item): unknown => item?.value["index"]),
        times(places.length, (index) => index),
      );
    },
  },
  {
    id: "batch-no-operation",
    title: "what is no operation is refused, or leaves every other its own answer",
    run: async ({ store, root }) => {
      await store.put([root], "k", {});
      const answer = await attempt(() => store.batch([untyped({ unknown: 1 }), { namespace: [root], key: "k" }]));
      if (!answer.refused) equal((answer.value as (Item | undefined)[])[1]?.key, "k"); // the item of a get
    },
  },
];

export const batchCases: StoreCase[] = batchCasesBare.map((one) => ({ ...one, directOnly: true }));
