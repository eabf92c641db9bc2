import type { BaseStore, Item } from "@langchain/langgraph-checkpoint";
import fc, { type Arbitrary } from "fast-check";
import { FakeEmbeddings } from "../../../__tests__/helpers/fake-embeddings.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import type { MongoMemoryStoreOptions } from "../../../src/mongodb/store/store-options.js";
import { fragment, path, text } from "../../../__tests__/helpers/inputs/texts.js";
import { anything, json } from "../../../__tests__/helpers/inputs/values.js";
import { assertClean, canary, getErrorCode } from "../oracle.js";
import { type Environment, toSandbox, type Target } from "../target.js";

/** How searches are ranked, and whether items expire. */
const kinds: readonly (() => Partial<MongoMemoryStoreOptions>)[] = [
  () => ({}),
  () => ({ textSearch: false }),
  // These embeddings keep what they were given.
  () => ({ index: { dims: 4, embeddings: new FakeEmbeddings() } }),
  () => ({ ttl: { defaultTtlMs: 60_000, refreshOnRead: true } }),
];

interface StoreCall {
  method: "put" | "get" | "search" | "delete" | "listNamespaces" | "batch";
  args: unknown[];
}

const root = "mine";

const label = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "b", "memory", "global", "*") },
  { weight: 2, arbitrary: fragment },
  { weight: 1, arbitrary: text },
);

/** Below one root label, so that nothing of others may be found; or of no form. */
const namespace: Arbitrary<unknown> = fc.oneof(
  { weight: 20, arbitrary: fc.array(label, { maxLength: 3 }).map((labels) => [root, ...labels]) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(["memory", root, "global"], ["memory", root, "perThread", "t"], ["memory", root]),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.oneof(json, label), { minLength: 1, maxLength: 3 }).map((labels) => [root, ...labels]),
  },
  { weight: 1, arbitrary: anything.filter((value) => !Array.isArray(value)) },
);

const key: Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", "b", "/notes", "/notes/a") },
  { weight: 3, arbitrary: path },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: anything },
);

const fields = fc.dictionary(fc.oneof(fc.constantFrom("text", "n", "a"), fragment), anything, { maxKeys: 4 });
const nested = fc.nat(60).map((levels) => JSON.parse(`${'{"a":'.repeat(levels)}{}${"}".repeat(levels)}`) as unknown);
const value: Arbitrary<unknown> = fc.oneof(
  { weight: 1, arbitrary: nested },
  { weight: 5, arbitrary: fields },
  { weight: 2, arbitrary: fc.record({ content: text }) },
  { weight: 1, arbitrary: anything },
  { weight: 1, arbitrary: fc.constant(null) },
);

const operators = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$regex", "$where", "$not"];
const condition = fc.oneof(
  anything,
  fc.dictionary(fc.constantFrom(...operators), fc.oneof(anything, fc.array(json, { maxLength: 4 })), { maxKeys: 2 }),
);
const filter: Arbitrary<unknown> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.dictionary(
      fc.oneof(fc.constantFrom("text", "n", "a", "content", "a.b", "$or", "$expr"), fragment),
      condition,
      { maxKeys: 3 },
    ),
  },
  { weight: 1, arbitrary: anything },
);
const count: Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 20 }) },
  { weight: 1, arbitrary: fc.oneof(fc.double(), fc.integer(), json) },
);
const page = { limit: count, offset: count };

const paths = fc.oneof(
  fc.constantFrom("text", "a[*].b", "$", "a[0]"),
  fragment,
  text,
  fc.nat(60).map((times) => "{a,a}".repeat(times)),
);
const index = fc.oneof(fc.constant(false), fc.array(paths, { maxLength: 3 }), anything);
const searchOptions = fc.oneof(
  { weight: 9, arbitrary: fc.record({ filter, query: fc.oneof(text, json), ...page }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: anything },
);
const labels = fc.oneof(
  { weight: 9, arbitrary: fc.array(label, { maxLength: 3 }) },
  { weight: 1, arbitrary: anything },
);
const listOptions = fc.record(
  { prefix: namespace, suffix: labels, maxDepth: count, ...page },
  { requiredKeys: ["prefix"] },
);
const matchConditions = fc.array(
  fc.record({ matchType: fc.oneof(fc.constantFrom("prefix", "suffix"), json), path: labels }),
  { maxLength: 2 },
);

const operation: Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ namespace, key, value }) },
  { weight: 3, arbitrary: fc.record({ namespace, key }) },
  {
    weight: 3,
    arbitrary: fc.record(
      { namespacePrefix: namespace, filter, query: text, ...page },
      { requiredKeys: ["namespacePrefix"] },
    ),
  },
  {
    weight: 1,
    arbitrary: matchConditions.map((conditions) => ({
      matchConditions: [{ matchType: "prefix", path: [root] }, ...conditions],
      limit: 10,
      offset: 0,
    })),
  },
);

const calls: Arbitrary<StoreCall> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      method: fc.constant("put" as const),
      args: fc.oneof(fc.tuple(namespace, key, value), fc.tuple(namespace, key, value, index)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ method: fc.constant("get" as const), args: fc.tuple(namespace, key) }) },
  {
    weight: 5,
    arbitrary: fc.record({ method: fc.constant("search" as const), args: fc.tuple(namespace, searchOptions) }),
  },
  { weight: 1, arbitrary: fc.record({ method: fc.constant("delete" as const), args: fc.tuple(namespace, key) }) },
  { weight: 2, arbitrary: fc.record({ method: fc.constant("listNamespaces" as const), args: fc.tuple(listOptions) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      method: fc.constant("batch" as const),
      args: fc.tuple(fc.array(operation, { maxLength: 5 })),
    }),
  },
);

/** What a careless comparison takes for the root label. */
const others: readonly string[][] = [["Mine"], ["mine "], ["min"], ["minee", "a"], ["theirs", root]];

async function plantItems(store: BaseStore): Promise<() => Promise<void>> {
  for (const other of others) await store.put(other, "a", { text: canary, n: 1 });
  return async () => {
    for (const other of others) {
      const found = await store.get(other, "a");
      if (found?.value["text"] !== canary) throw new Error(`an item of another was changed: ${JSON.stringify(other)}`);
    }
  };
}

export const storeCalls: Target = {
  name: "store",
  tries: "items, filters and namespaces of any kind",
  casesPerSandbox: 200,
  open: async ({ client, dbName }: Environment, id, seed) => {
    const collections = { itemsCollection: `${id} items`, memoriesCollection: `${id} memories` };
    const options = kinds[Math.abs(seed) % kinds.length]?.();
    const store = new MongoMemoryStore({ client, dbName, ...collections, ...options });
    const assertUnchanged = await plantItems(store);
    return toSandbox<StoreCall>({
      inputs: calls,
      call: async ({ method, args }, measure) => {
        const called = store[method].bind(store) as (...given: unknown[]) => Promise<unknown>;
        return `${method} ${await outcome(() => measure(() => called(...args)))}`;
      },
      close: async () => {
        await assertUnchanged();
        for (const name of Object.values(collections)) await client.db(dbName).collection(name).drop();
      },
    });
  },
};

async function outcome(call: () => Promise<unknown>): Promise<string> {
  let answer: unknown;
  try {
    answer = await call();
  } catch (error) {
    return getErrorCode(error);
  }
  assertClean(shownAnswer(answer));
  for (const found of itemsIn(answer)) {
    const isMine = found.namespace[0] === root || (found.namespace[0] === "memory" && found.namespace[1] === root);
    if (!isMine) throw new Error(`an item of another namespace: ${JSON.stringify(found.namespace)}`);
  }
  return Array.isArray(answer) && answer.length === 0 ? "nothing" : "ok";
}

/** Of `get`, `search` and `batch`, which has lists among its answers. */
function itemsIn(answer: unknown): Item[] {
  const answers: unknown[] = Array.isArray(answer) ? answer.flat() : [answer];
  return answers.filter(
    (each): each is Item => typeof each === "object" && each !== null && "namespace" in each && "key" in each,
  );
}

const shownAnswer = (answer: unknown): string =>
  JSON.stringify(answer, (_, each: unknown) => (typeof each === "bigint" ? String(each) : each)) ?? "";
