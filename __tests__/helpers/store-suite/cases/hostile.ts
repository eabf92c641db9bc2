import { deepEqual } from "node:assert/strict";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { attempt, mustRefuse, putAll, refusesOrFindsNothing, getSortedKeys, type StoreCase } from "../case.js";
import { untyped } from "../../memory-case.js";

/** Objects that a model may send instead of a string. */
const operators: unknown[] = [
  { $ne: null },
  { $gt: "" },
  { $regex: "^k" },
  { $exists: true },
  { $in: ["k1", "k2"] },
  {},
];

async function fillSecrets(store: BaseStore, root: string): Promise<void> {
  await putAll(store, [root, "secret"], { k1: { token: "s1", n: 1 }, k2: { token: "s2", n: 2 } });
}

async function secretsAreLeft(store: BaseStore, root: string): Promise<void> {
  deepEqual(getSortedKeys(await store.search([root, "secret"])), ["k1", "k2"]);
}

async function findsNoSecret(
  store: BaseStore,
  root: string,
  filters: readonly Record<string, unknown>[],
): Promise<void> {
  await fillSecrets(store, root);
  for (const filter of filters) {
    await refusesOrFindsNothing(`filter ${showFilter(filter)}`, () => store.search([root, "secret"], { filter }));
  }
}

const showFilter = (filter: unknown): string =>
  JSON.stringify(filter, (_, part: unknown) => (part instanceof RegExp ? String(part) : part));

export const hostileCases: StoreCase[] = [
  {
    id: "hostile-key-get",
    title: "get with an operator object for a key finds nothing",
    run: async ({ store, root }) => {
      await fillSecrets(store, root);
      for (const key of operators) {
        await refusesOrFindsNothing(`key ${JSON.stringify(key)}`, () => store.get([root, "secret"], untyped(key)));
      }
    },
  },
  {
    id: "hostile-key-delete",
    title: "delete with an operator object for a key deletes nothing",
    run: async ({ store, root }) => {
      await fillSecrets(store, root);
      for (const key of operators) {
        await attempt(() => store.delete([root, "secret"], untyped(key)));
        await secretsAreLeft(store, root);
      }
    },
  },
  {
    id: "hostile-key-put",
    title: "put with an operator object for a key changes no other item",
    run: async ({ store, root }) => {
      await fillSecrets(store, root);
      for (const key of operators) await attempt(() => store.put([root, "secret"], untyped(key), { stolen: true }));
      for (const key of ["k1", "k2"]) deepEqual((await store.get([root, "secret"], key))?.value["stolen"], undefined);
    },
  },
  {
    id: "hostile-key-missing",
    title: "a missing key is no key: nothing is read, nothing is deleted",
    run: async ({ store, root }) => {
      await fillSecrets(store, root);
      for (const key of [undefined, null]) {
        await refusesOrFindsNothing(String(key), () => store.get([root, "secret"], untyped(key)));
        await attempt(() => store.delete([root, "secret"], untyped(key)));
        await secretsAreLeft(store, root);
      }
    },
  },
  {
    id: "hostile-labels",
    title: "an operator object for a label is refused",
    directOnly: true,
    run: async ({ store, root }) => {
      await fillSecrets(store, root);
      for (const label of operators) {
        const namespace = [root, label];
        await mustRefuse("get", () => store.batch([untyped({ namespace, key: "k1" })]), "InvalidNamespaceError");
        await mustRefuse(
          "delete",
          () => store.batch([untyped({ namespace, key: "k1", value: null })]),
          "InvalidNamespaceError",
        );
        await mustRefuse(
          "search",
          () => store.batch([untyped({ namespacePrefix: namespace })]),
          "InvalidNamespaceError",
        );
      }
      await secretsAreLeft(store, root);
    },
  },
  {
    id: "hostile-labels-of-listing",
    title: "an operator object or an expression in a listing matches no namespace",
    directOnly: true,
    run: async ({ store, root }) => {
      await fillSecrets(store, root);
      for (const label of [
        ...operators,
        { $literal: "secret" },
        { $concat: ["sec", "ret"] },
        { $arrayElemAt: ["$namespace", 1] },
      ]) {
        for (const matchType of ["prefix", "suffix"]) {
          const path = matchType === "prefix" ? [root, label] : [label];
          const listing = untyped({
            matchConditions: [
              { matchType: "prefix", path: [root] },
              { matchType, path },
            ],
            limit: 10,
            offset: 0,
          });
          await refusesOrFindsNothing(JSON.stringify(path), () => store.batch([listing]));
        }
      }
    },
  },
  {
    id: "hostile-match-type",
    title: "an unknown kind of condition of a listing is refused",
    directOnly: true,
    run: async ({ store, root }) => {
      await fillSecrets(store, root);
      const listing = untyped({ matchConditions: [{ matchType: "regex", path: [root] }], limit: 10, offset: 0 });
      await mustRefuse("matchType regex", () => store.batch([listing]));
    },
  },
  {
    id: "hostile-unknown-operators",
    title: "a filter with an operator that the store does not know is refused or finds nothing",
    run: async ({ store, root }) =>
      findsNoSecret(store, root, [
        { token: { $regex: "^s" } },
        { token: { $type: "string" } },
        { n: { $mod: [1, 0] } },
        { n: { $gt: 0, $unknown: 1 } },
        { token: { $not: { $eq: "x" } } },
        { token: { $like: "s%" } },
        { n: { $GT: 0 } },
      ]),
  },
  {
    id: "hostile-nested-operators",
    title: "an operator inside an operator's operand is no operator",
    run: async ({ store, root }) =>
      findsNoSecret(store, root, [
        { token: { $eq: { $ne: null } } },
        { token: { $eq: { $exists: true } } },
        { token: { $gt: { $ne: null } } },
        { token: { $in: [{ $ne: null }] } },
      ]),
  },
  {
    id: "hostile-operators-beside-fields",
    title: "an object of operators and other fields is refused or finds nothing",
    run: async ({ store, root }) =>
      findsNoSecret(store, root, [{ token: { $ne: "x", a: 1 } }, { n: { a: 1, $gte: 0 } }]),
  },
  {
    id: "hostile-in",
    title: "$in without an array is refused or finds nothing",
    run: async ({ store, root }) =>
      findsNoSecret(store, root, [{ token: { $in: "s1" } }, { token: { $in: { 0: "s1" } } }, { token: { $in: null } }]),
  },
  {
    id: "hostile-regexp",
    title: "a RegExp in a filter is refused or finds nothing",
    run: async ({ store, root }) => findsNoSecret(store, root, [{ token: /^s/u }, { n: /./u }]),
  },
  {
    id: "hostile-regexp-operand",
    title: "a RegExp under $eq, $in or a comparison is refused or finds nothing",
    run: async ({ store, root }) =>
      findsNoSecret(store, root, [{ token: { $eq: /^s/u } }, { token: { $in: [/^s/u] } }, { token: { $gt: /^s/u } }]),
  },
  {
    id: "hostile-empty-conditions",
    title: "an empty array, empty bytes or an empty object in a filter is refused or finds nothing",
    run: async ({ store, root }) => findsNoSecret(store, root, [{ token: [] }, { token: {} }, { n: new Uint8Array() }]),
  },
  {
    id: "hostile-operator-names",
    title: "an operator of the database for a field name finds nothing",
    run: async ({ store, root }) =>
      findsNoSecret(store, root, [
        { $where: "true" },
        { $expr: true },
        { $expr: { $eq: [1, 1] } },
        { $or: [{}] },
        { "token.$exists": true },
        { "": { $eq: 1 } },
      ]),
  },
  {
    id: "hostile-filter-across",
    title: "no filter reaches out of the prefix",
    run: async ({ store, root }) => {
      await fillSecrets(store, root);
      await store.put([root, "own"], "k", { n: 0 });
      const reaching = [
        { "../secret": 1 },
        { namespace: root },
        { _id: { $ne: null } },
        { key: "k1" },
        { "value.token": { $ne: null } },
      ];
      for (const filter of reaching) {
        const found = await attempt(() => store.search([root, "own"], { filter: untyped(filter) }));
        if (!found.refused)
          deepEqual(
            found.value.filter((item) => item.namespace[1] !== "own"),
            [],
          );
      }
    },
  },
  {
    id: "hostile-filter-no-object",
    title: "a filter that is no object is refused or finds nothing",
    run: async ({ store, root }) => {
      await fillSecrets(store, root);
      for (const filter of ["token", ["token"], [["token", "s1"]]]) {
        await refusesOrFindsNothing(JSON.stringify(filter), () =>
          store.search([root, "secret"], { filter: untyped(filter) }),
        );
      }
    },
  },
  {
    id: "hostile-limits",
    title: "a negative limit or offset is refused or finds nothing",
    run: async ({ store, root }) => {
      await fillSecrets(store, root);
      for (const page of [{ limit: -1 }, { offset: -1 }, { limit: -3, offset: 0 }]) {
        await refusesOrFindsNothing(JSON.stringify(page), () => store.search([root, "secret"], page));
      }
    },
  },
  {
    id: "hostile-limits-no-number",
    title: "a limit or offset that is no number is refused or finds nothing",
    run: async ({ store, root }) => {
      await fillSecrets(store, root);
      for (const page of [{ limit: { $gt: 0 } }, { offset: { $gt: 0 } }, { limit: Number.NaN }]) {
        await refusesOrFindsNothing(JSON.stringify(page), () => store.search([root, "secret"], untyped(page)));
      }
    },
  },
];
