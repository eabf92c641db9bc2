import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { type ItemFields, findsKeys, putAll, type StoreCase } from "../case.js";

/** Each row has a filter on the field `x` and the keys that the filter finds. */
type Rows = [filter: unknown, keys: string[]][];

async function filterBy(store: BaseStore, root: string, values: Record<string, ItemFields>, rows: Rows): Promise<void> {
  await putAll(store, [root], values);
  for (const [x, keys] of rows) await findsKeys(store, [root], { x }, keys);
}

const filterCase = (
  id: string,
  title: string,
  values: () => Record<string, ItemFields>,
  rows: () => Rows,
): StoreCase => ({
  id,
  title,
  run: async ({ store, root }) => filterBy(store, root, values(), rows()),
});

const numbers = (): Record<string, ItemFields> => ({ one: { x: 1 }, five: { x: 5 }, nine: { x: 9 } });

export const filterCases: StoreCase[] = [
  filterCase(
    "filter-equal",
    "a value and $eq find equal values of the same type",
    () => ({
      number: { x: 5 },
      text: { x: "5" },
      yes: { x: true },
      one: { x: 1 },
      zero: { x: 0 },
      empty: { x: "" },
      no: { x: false },
    }),
    () => [
      [5, ["number"]],
      ["5", ["text"]],
      [true, ["yes"]],
      [1, ["one"]],
      [0, ["zero"]],
      ["", ["empty"]],
      [{ $eq: 5 }, ["number"]],
      [{ $eq: "5" }, ["text"]],
      [{ $eq: false }, ["no"]],
      ["none", []],
    ],
  ),
  filterCase("filter-not-equal", "$ne finds every other value", numbers, () => [
    [{ $ne: 5 }, ["one", "nine"]],
    [{ $ne: "5" }, ["one", "five", "nine"]],
  ]),
  filterCase(
    "filter-not-equal-missing",
    "$ne finds items without the field",
    () => ({ null: { x: null }, missing: {}, five: { x: 5 } }),
    () => [
      [{ $ne: 5 }, ["null", "missing"]],
      [{ $ne: null }, ["missing", "five"]],
    ],
  ),
  filterCase("filter-compare", "$gt, $gte, $lt and $lte compare numbers", numbers, () => [
    [{ $gt: 5 }, ["nine"]],
    [{ $gte: 5 }, ["five", "nine"]],
    [{ $lt: 5 }, ["one"]],
    [{ $lte: 5 }, ["one", "five"]],
    [{ $gt: 9 }, []],
    [{ $gt: Number.NaN }, []],
  ]),
  filterCase("filter-range", "all operators of one field count", numbers, () => [
    [{ $gte: 2, $lt: 9 }, ["five"]],
    [{ $gte: 100, $lte: 200 }, []],
    [{ $gt: 1, $ne: 5 }, ["nine"]],
    [{ $gt: 0, $lt: 9, $ne: 1 }, ["five"]],
  ]),
  filterCase("filter-contradiction", "$eq and $ne of one value find nothing", numbers, () => [
    [{ $eq: 5, $ne: 5 }, []],
    [{ $gt: 5, $lt: 5 }, []],
  ]),
  filterCase("filter-in", "$in finds what the array holds", numbers, () => [
    [{ $in: [5, 9, 100] }, ["five", "nine"]],
    [{ $in: ["5"] }, []],
    [{ $in: [] }, []],
  ]),
  filterCase("filter-not-in", "$nin finds what the array does not hold", numbers, () => [
    [{ $nin: [5, 9] }, ["one"]],
    [{ $nin: ["5"] }, ["one", "five", "nine"]],
    [{ $nin: [] }, ["one", "five", "nine"]],
    [{ $nin: [5], $lt: 9 }, ["one"]],
  ]),
  filterCase(
    "filter-null",
    "null finds null, not a missing field",
    () => ({ null: { x: null }, missing: {}, zero: { x: 0 } }),
    () => [
      [null, ["null"]],
      [{ $eq: null }, ["null"]],
      [{ $in: [null] }, ["null"]],
      [{ $nin: [null] }, ["missing", "zero"]],
    ],
  ),
  filterCase(
    "filter-undefined",
    "undefined finds a missing field, not null",
    () => ({ null: { x: null }, missing: {}, zero: { x: 0 } }),
    () => [
      [undefined, ["missing"]],
      [{ $eq: undefined }, ["missing"]],
      [{ $ne: undefined }, ["null", "zero"]],
    ],
  ),
  filterCase(
    "filter-array-fields",
    "a field that holds an array is not its elements",
    () => ({ array: { x: [5, 6] }, number: { x: 5 }, text: { x: "a" }, list: { x: ["a"] } }),
    () => [
      [5, ["number"]],
      [{ $ne: 5 }, ["array", "text", "list"]],
      ["a", ["text"]],
      [{ $in: ["a", 5] }, ["number", "text"]],
      [{ $nin: ["a", 5] }, ["array", "list"]],
    ],
  ),
  filterCase(
    "filter-objects",
    "no object equals another, whatever it holds",
    () => ({ object: { x: { a: 1, b: 2 } }, array: { x: [1] }, text: { x: "t" } }),
    () => [
      [{ a: 1, b: 2 }, []],
      [[1], []],
      [{ $eq: { a: 1, b: 2 } }, []],
      [{ $ne: { a: 1, b: 2 } }, ["object", "array", "text"]],
      [{ $in: [[1]] }, []],
    ],
  ),
  filterCase(
    "filter-coercion",
    "comparisons take texts, booleans and null as numbers",
    () => ({
      number: { x: 5 },
      text: { x: "5" },
      spaced: { x: " 5 " },
      yes: { x: true },
      null: { x: null },
      word: { x: "five" },
      missing: {},
    }),
    () => [
      [{ $gte: 5 }, ["number", "text", "spaced"]],
      [{ $gte: "5" }, ["number", "text", "spaced"]],
      [{ $gt: 0, $lt: 5 }, ["yes"]],
      [{ $lte: 0 }, ["null"]],
      [{ $lt: "word" }, []],
    ],
  ),
  filterCase(
    "filter-coercion-of-arrays",
    "comparisons take an array of one number as the number",
    () => ({ one: { x: [5] }, two: { x: [5, 6] }, none: { x: [] }, object: { x: { a: 5 } } }),
    () => [
      [{ $gte: 5 }, ["one"]],
      [{ $lte: 0 }, ["none"]],
      [{ $lt: 100 }, ["one", "none"]],
    ],
  ),
  filterCase(
    "filter-not-a-number",
    "NaN equals nothing but inside $in",
    () => ({ number: { x: 5 }, text: { x: "NaN" } }),
    () => [
      [Number.NaN, []],
      [{ $eq: Number.NaN }, []],
      [{ $ne: Number.NaN }, ["number", "text"]],
    ],
  ),
  {
    id: "filter-dates",
    title: "comparisons order dates, also against numbers",
    needs: { storesDates: true },
    run: async ({ store, root }) =>
      filterBy(store, root, { early: { x: new Date(1000) }, late: { x: new Date(3000) }, number: { x: 2000 } }, [
        [{ $gt: new Date(1000) }, ["late", "number"]],
        [{ $lte: 2000 }, ["early", "number"]],
        [{ $gte: new Date(1000), $lt: new Date(3000) }, ["early", "number"]],
      ]),
  },
  {
    id: "filter-date-equality",
    title: "a date is an instant: equality finds equal ones, and no number",
    needs: { storesDates: true },
    run: async ({ store, root }) =>
      filterBy(
        store,
        root,
        {
          early: { x: new Date(1000) },
          late: { x: new Date(3000) },
          number: { x: 1000 },
          array: { x: [new Date(1000)] },
        },
        [
          [new Date(1000), ["early"]],
          [{ $eq: new Date(1000) }, ["early"]],
          [{ $ne: new Date(1000) }, ["late", "number", "array"]],
          [{ $in: [new Date(1000), 5] }, ["early"]],
          [{ $nin: [new Date(1000), 1000] }, ["late", "array"]],
        ],
      ),
  },
  {
    id: "filter-literal-names",
    title: "a field name with a dot is that name, not a path",
    run: async ({ store, root }) => {
      await putAll(store, [root], { literal: { "x.a": 1 }, nested: { x: { a: 1 } }, indexed: { x: [1] } });
      await findsKeys(store, [root], { "x.a": 1 }, ["literal"]);
      await findsKeys(store, [root], { "x.a": { $gte: 1 } }, ["literal"]);
      await findsKeys(store, [root], { "x.0": 1 }, []);
    },
  },
  {
    id: "filter-names-with-dollars",
    title: "a field name with a dollar is that name, not an operator",
    run: async ({ store, root }) => {
      await putAll(store, [root], { dollar: { $x: 1 }, operator: { $where: "1" }, other: { x: 1 } });
      await findsKeys(store, [root], { $x: 1 }, ["dollar"]);
      await findsKeys(store, [root], { $where: "1" }, ["operator"]);
    },
  },
  {
    id: "filter-fields",
    title: "every field of a filter counts, and a filter of none admits everything",
    run: async ({ store, root }) => {
      await putAll(store, [root], { a: { x: 1, y: "p" }, b: { x: 1, y: "q" }, c: { x: 2, y: "p" } });
      await findsKeys(store, [root], { x: 1, y: "p" }, ["a"]);
      await findsKeys(store, [root], { x: { $lt: 5 }, y: { $ne: "p" } }, ["b"]);
      await findsKeys(store, [root], { x: 1, z: 1 }, []);
      await findsKeys(store, [root], {}, ["a", "b", "c"]);
    },
  },
  {
    id: "filter-and-prefix",
    title: "a filter finds nothing outside the prefix",
    run: async ({ store, root }) => {
      for (const label of ["acme", "acme-corp", "other"]) await store.put([root, label], label, { x: 1 });
      for (const filter of [
        { x: 1 },
        { x: { $gte: 1 } },
        { x: { $in: [1] } },
        { x: { $nin: [2] } },
        { y: { $ne: 1 } },
      ]) {
        await findsKeys(store, [root, "acme"], filter, ["acme"]);
      }
    },
  },
];
