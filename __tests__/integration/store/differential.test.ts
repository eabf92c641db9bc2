import { describe, expect, it } from "@jest/globals";
import { inspect } from "node:util";
import {
  AsyncBatchedStore,
  type BaseStore,
  type GetOperation,
  InMemoryStore,
  type Item,
  type Operation,
  type OperationResults,
} from "@langchain/langgraph-checkpoint";
import { Annotation, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import fc from "../../helpers/fast-check.js";
import { repetitions } from "../../helpers/repetitions.js";
import { serverApi } from "../../helpers/server-api.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { client, name } = testDatabase();
const standalone = testDatabase("standalone");
const strict = useClient(new MongoClient(standalone.uri, { serverApi }));
let collections = 0;

/**
 * Every other store writes as one with expiry and a text index does, and is on another kind of server than the others,
 * which use the strict Stable API. This changes no answer.
 */
function newStore(): MongoMemoryStore {
  collections += 1;
  const itemsCollection = `items${collections}`;
  return collections % 2 === 0
    ? new MongoMemoryStore({ client: strict, dbName: standalone.name, itemsCollection })
    : new MongoMemoryStore({
        client,
        dbName: name,
        itemsCollection,
        ttl: { defaultTtlMs: 1e9 },
        textSearch: true,
      });
}

/** Few and nasty, so that prefixes, siblings and sorting by bytes, by code units and by locale all differ. */
const label = fc.constantFrom(
  "a",
  "A",
  "ab",
  "a!",
  "\u0001",
  "-",
  "ä",
  "\uFFFF",
  "\u{1F600}",
  "\u{10FFFF}",
  "memory",
  "__proto__",
  "*",
  "$key",
  "$$ROOT",
);
const namespace = fc.array(label, { minLength: 1, maxLength: 3 });
const key = fc.constantFrom("", "k", "K", "k.x", "\0", "k\0", "$k", "\uE000", "\u{1F600}", "toString");

const scalars: unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  1,
  5,
  2.5,
  -1e300,
  Number.NaN,
  Infinity,
  2 ** 53,
  "",
  "5",
  " 5 ",
  "0x10",
  "a",
  "true",
  5n,
  2n ** 62n,
  2n ** 53n + 1n,
];
/** Made anew each time: to the reference an object equals itself and nothing else. */
const objects: (() => unknown)[] = [
  () => [],
  () => [5],
  () => ["5"],
  () => [5, 6],
  () => [null],
  () => ({}),
  () => ({ a: 1 }),
  () => new Date(0),
  () => new Date(5),
  () => Uint8Array.of(5),
];
const fieldValue = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...scalars) },
  fc.constantFrom(...objects).map((make) => make()),
  fc.constant(undefined),
);
const field = fc.constantFrom("x", "y", "x.a", "$x", "__proto__", "constructor", "");
const value = fc
  .array(fc.tuple(field, fieldValue), { maxLength: 3 })
  .map((fields) => Object.fromEntries(fields) as Record<string, unknown>);

/**
 * To the reference one without keys, a date too, is no condition; here a date is an instant, and the others are
 * refused.
 */
const isCondition = (operand: unknown): boolean =>
  typeof operand !== "object" || operand === null || Object.keys(operand).length > 0;
/** To the reference no date equals another. */
const equalsAlike = (operand: unknown): boolean => !(operand instanceof Date);
const equated = fieldValue.filter(equalsAlike);

const operators = fc.oneof(
  fc.record({ $eq: equated }),
  fc.record({ $ne: equated }),
  fc.record({ $gt: fieldValue }),
  fc.record({ $gte: fieldValue, $lt: fieldValue }),
  fc.record({ $lte: fieldValue }),
  fc.record({ $in: fc.array(equated, { maxLength: 3 }) }),
  fc.record({ $nin: fc.array(equated, { maxLength: 3 }), $ne: equated }),
);
const ownField = fc.constantFrom("x", "y", "x.a", "$x", "");
const filter = fc
  .array(fc.tuple(ownField, fc.oneof(fieldValue.filter(isCondition), operators)), { maxLength: 2 })
  .map((conditions) => Object.fromEntries(conditions) as Record<string, unknown>);

const wildcardLabel = fc.oneof(label, fc.constant("*"));
const page = {
  limit: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
  offset: fc.integer({ min: 0, max: 3 }),
};
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ namespace, key, value }) },
  fc.record({ namespace, key, value: fc.constant(null) }),
  { weight: 2, arbitrary: fc.record({ namespace, key }) },
  { weight: 3, arbitrary: fc.record({ namespacePrefix: fc.array(label, { maxLength: 2 }), filter, ...page }) },
  fc.record({
    matchConditions: fc.array(
      fc.record({ matchType: fc.constantFrom("prefix", "suffix"), path: fc.array(wildcardLabel, { maxLength: 2 }) }),
      { maxLength: 2 },
    ),
    maxDepth: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    ...page,
  }),
) as fc.Arbitrary<Operation>;

/**
 * InMemoryStore with the differences of ours: one order, cut into pages after sorting; no namespaces without items;
 * values as they are at the time, whose fields vanish where undefined.
 */
class Reference extends InMemoryStore {
  constructor() {
    super();
    const reader = this as unknown as { getOperation: (get: GetOperation) => Item | null };
    const getOperation = reader.getOperation.bind(this);
    reader.getOperation = (get) => {
      const item = getOperation(get);
      return item && { ...item };
    };
  }

  override async batch<Operations extends readonly Operation[]>(
    operations: Operations,
  ): Promise<OperationResults<Operations>> {
    const whole = operations.map((one) => {
      if ("namespacePrefix" in one) return { ...one, limit: Infinity, offset: 0 };
      return "matchConditions" in one ? { ...one, limit: Infinity, offset: 0 } : one;
    });
    for (const [joined, items] of this["data"] as Map<string, Map<string, Item>>) {
      if (items.size === 0) (this["data"] as Map<string, unknown>).delete(joined);
    }
    const answers: unknown[] = await super.batch(whole);
    return answers.map((answer, index) => getPage(operations[index], copy(answer))) as OperationResults<Operations>;
  }
}

function getPage(one: Operation | undefined, answer: unknown): unknown {
  if (one === undefined || !Array.isArray(answer) || !("limit" in one)) return answer;
  const sorted = "namespacePrefix" in one ? answer.toSorted(byPlace) : answer.toSorted(byNamespace);
  const offset = one.offset ?? 0;
  const limit = one.limit ?? ("namespacePrefix" in one ? 10 : Infinity);
  return sorted.slice(offset, offset + limit);
}

const byNamespace = (a: string[], b: string[]): number => compare(a.join("\0"), b.join("\0"));
const byPlace = (a: Item, b: Item): number => byNamespace(a.namespace, b.namespace) || compare(a.key, b.key);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Of the answers: without times, which differ, and without undefined fields, which we do not store. */
function copy(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(copy);
  if (typeof answer !== "object" || answer === null || !("value" in answer)) return answer;
  const { createdAt, updatedAt, ...item } = answer as unknown as Item;
  if (createdAt === undefined) return answer;
  expect(createdAt).toBeInstanceOf(Date);
  expect(updatedAt.getTime()).toBeGreaterThanOrEqual(createdAt.getTime());
  const fields = Object.entries(item.value).filter(([, one]) => one !== undefined);
  return { ...item, value: Object.fromEntries(fields) };
}

/** Jest's equality trips over fields called `constructor`; this tells apart all that the store must, -0 and 0 too. */
function shown(answer: unknown): string {
  return inspect(copy(answer), { depth: Infinity, sorted: true, maxArrayLength: null, maxStringLength: null });
}

describe("the store and InMemoryStore answer alike", () => {
  it("to batches of everything", async () => {
    const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(batches, async (sequence) => {
        const ours = newStore();
        const reference = new Reference();
        for (const operations of sequence) {
          expect(shown(await ours.batch(operations))).toBe(shown(await reference.batch(operations)));
        }
      }),
      { numRuns: repetitions({ usual: 6, long: 60 }) },
    );
  });

  it("to every filter on one set of items", async () => {
    const items = fc.array(value, { minLength: 1, maxLength: 30 });
    const filters = fc.array(filter, { minLength: 10, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(items, filters, fc.integer({ min: 1, max: 5 }), async (values, several, limit) => {
        const ours = newStore();
        const reference = new Reference();
        const puts = values.map((one, index) => ({ namespace: ["a"], key: `k${index}`, value: one }));
        await Promise.all([ours.batch(puts), reference.batch(puts)]);
        const searches = several.map((one) => ({ namespacePrefix: ["a"], filter: one, limit, offset: limit - 1 }));
        const [answers, expected] = await Promise.all([ours.batch(searches), reference.batch(searches)]);
        for (const [index, one] of several.entries()) {
          expect(shown([one, answers[index]])).toBe(shown([one, expected[index]]));
        }
      }),
      { numRuns: repetitions({ usual: 4, long: 40 }) },
    );
  });

  it("to every operator between any two kinds of values", async () => {
    const ours = newStore();
    const reference = new Reference();
    const all = [...scalars, undefined, ...objects] as (() => unknown)[];
    const made = (): unknown[] => all.map((one) => (typeof one === "function" ? one() : one));
    const puts = made().map((x, index) => ({ namespace: ["a"], key: `k${index}`, value: { x, [`y${index}`]: x } }));
    await Promise.all([ours.batch(puts), reference.batch(puts)]);
    const filters = made().flatMap((operand) => [
      ...(isCondition(operand) ? [operand] : []),
      ...["$gt", "$gte", "$lt", "$lte"].map((operator) => ({ [operator]: operand })),
      ...(equalsAlike(operand) ? ["$eq", "$ne"].map((operator) => ({ [operator]: operand })) : []),
      ...(equalsAlike(operand) ? ["$in", "$nin"] : []).flatMap((operator) => [
        { [operator]: [operand] },
        { [operator]: ["a", operand, 5] },
      ]),
    ]);
    const searches = filters.map((x) => ({ namespacePrefix: ["a"], filter: { x }, limit: 100 }));
    const [answers, expected] = await Promise.all([ours.batch(searches), reference.batch(searches)]);
    for (const [index, operand] of filters.entries()) {
      const getKeys = (items: Item[] | undefined): string[] | undefined => items?.map((item) => item.key);
      expect([operand, getKeys(answers[index])]).toEqual([operand, getKeys(expected[index])]);
    }
  });

  it.each([
    ["wrapped as LangGraph wraps a store", wrapped],
    ["as the store of a compiled graph", inGraph],
  ] as const)("%s", async (_name, run) => {
    const writes = fc.array(fc.record({ namespace, key, value }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(writes, filter, async (puts, one) => {
        const readAnswers = async (store: BaseStore): Promise<string> =>
          run(store, async (given) => {
            await Promise.all(puts.map((put) => given.put(put.namespace, put.key, put.value)));
            const answers = await Promise.all([
              ...puts.map((put) => given.get(put.namespace, put.key)),
              given.search([], { filter: one, limit: 5 }),
              given.delete(["a"], "k"),
            ]);
            return shown([...answers, await given.get(["a"], "k")]);
          });
        expect(await readAnswers(newStore())).toBe(await readAnswers(new Reference()));
      }),
      { numRuns: repetitions({ usual: 2, long: 30 }) },
    );
  });
});

type Run = (store: BaseStore) => Promise<string>;

async function wrapped(store: BaseStore, run: Run): Promise<string> {
  const wrapper = new AsyncBatchedStore(store);
  wrapper.start();
  try {
    return await run(wrapper);
  } finally {
    await wrapper.stop();
  }
}

async function inGraph(store: BaseStore, run: Run): Promise<string> {
  const graph = new StateGraph(Annotation.Root({ answers: Annotation<string> }))
    .addNode("node", async (_state, config: LangGraphRunnableConfig) => ({
      answers: config.store ? await run(config.store) : "",
    }))
    .addEdge(START, "node")
    .compile({ store });
  return (await graph.invoke({ answers: "" })).answers;
}
