import { describe, expect, it } from "@jest/globals";
import { InMemoryStore, type Item, type PutOperation, type SearchItem } from "@langchain/langgraph-checkpoint";
import { MongoClient } from "mongodb";
import { MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { FakeEmbeddings } from "../../helpers/fake-embeddings.js";
import { commandsOf } from "../../helpers/commands-of.js";
import fc from "../../helpers/fast-check.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { db, name, uri } = testDatabase();
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
let collections = 0;

interface Fixture {
  store: MongoMemoryStore;
  embeddings: FakeEmbeddings;
  collection: string;
}

function fixture(
  options: Partial<MongoMemoryStoreOptions> & { fields?: string[]; embeddings?: FakeEmbeddings } = {},
): Fixture {
  collections += 1;
  const { fields, embeddings = new FakeEmbeddings(), ...others } = options;
  const collection = others.itemsCollection ?? `items${collections}`;
  const index = { dims: embeddings.dims, embeddings, ...(fields && { fields }) };
  const memoriesCollection = `memories${collections}`;
  const store = new MongoMemoryStore({
    client,
    dbName: name,
    index,
    memoriesCollection,
    ...others,
    itemsCollection: collection,
  });
  return { store, embeddings, collection };
}

async function commandNamesOf(run: () => Promise<unknown>): Promise<string[]> {
  return (await commandsOf(client, run)).map(({ commandName }) => commandName);
}

const keysOf = (items: Item[]): string[] => items.map((item) => item.key);

describe("semantic search", () => {
  it("ranks by cosine within the prefix and the filter, and ends with what has no vector", async () => {
    const { store } = fixture({ fields: ["text"] });
    await store.batch([
      { namespace: ["docs"], key: "ab", value: { text: "ab", kind: "x" } },
      { namespace: ["docs"], key: "a", value: { text: "a", kind: "x" } },
      { namespace: ["docs", "deep"], key: "b", value: { text: "b", kind: "x" } },
      { namespace: ["docs"], key: "other kind", value: { text: "a", kind: "y" } },
      { namespace: ["docs"], key: "no text", value: { kind: "x" } },
      { namespace: ["docs"], key: "not indexed", value: { text: "a", kind: "x" }, index: false },
      { namespace: ["docs-2"], key: "sibling", value: { text: "a", kind: "x" } },
    ]);
    const found = await store.search(["docs"], { query: "a", filter: { kind: "x" } });
    expect(keysOf(found)).toEqual(["a", "ab", "b", "no text", "not indexed"]);
    expect(found.map((item) => item.score)).toEqual([1, expect.closeTo(Math.SQRT1_2, 12), 0, undefined, undefined]);
    expect(found[3]).toHaveProperty("score", undefined);
    expect(keysOf(await store.search(["docs"], { query: "a", filter: { kind: { $gt: 1 } } }))).toEqual([]);
    expect(keysOf(await store.search(["docs"], { query: "a", limit: 2, offset: 1, filter: { kind: "x" } }))).toEqual([
      "ab",
      "b",
    ]);
  });

  it("takes the best of an item's texts, and those of a put's own index", async () => {
    const { store } = fixture({ fields: ["title", "parts[*].text", "{x,y.z}"] });
    await store.put(["a"], "parts", { title: "d", parts: [{ text: "c" }, { text: "a" }] });
    await store.put(["a"], "fields", { x: "b", y: { z: "a" }, title: "d" });
    await store.put(["a"], "own", { title: "a", other: "b" }, ["other"]);
    const found = await store.search(["a"], { query: "a" });
    expect(found.map((item) => [item.key, item.score])).toEqual([
      ["fields", 1],
      ["parts", 1],
      ["own", 0],
    ]);
  });

  it("leaves out what expired", async () => {
    let now = Date.parse("2100-01-01");
    const { store } = fixture({ ttl: { defaultTtlMs: 10 }, clock: () => new Date(now) });
    await store.put(["a"], "k", { text: "a" });
    expect(await store.search(["a"], { query: "a" })).toHaveLength(1);
    now += 10;
    expect(await store.search(["a"], { query: "a" })).toEqual([]);
  });

  it("lists the files of memories, which it does not rank, among what has no score", async () => {
    const { store } = fixture();
    await store.memory({ nodeId: "n" }).write("/file", "a");
    await store.put(["z"], "ranked", { text: "a" });
    await store.put(["a"], "without", { text: "a" }, false);
    await store.put(["z"], "without", { text: "a" }, false);
    const found = await store.search([], { query: "a" });
    expect(found.map((item) => [item.namespace[0], item.key])).toEqual([
      ["z", "ranked"],
      ["a", "without"],
      ["memory", "/file"],
      ["z", "without"],
    ]);
  });

  it("changes nothing without a query", async () => {
    const { store, embeddings } = fixture();
    await store.put(["a"], "b", { text: "b" });
    await store.put(["a"], "a", { text: "a" });
    expect(keysOf(await store.search(["a"]))).toEqual(["a", "b"]);
    expect(keysOf(await store.search(["a"], { query: "" }))).toEqual(["a", "b"]);
    expect(embeddings.queries).toEqual([]);
  });

  it("answers as InMemoryStore does, on whatever was put", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), minLength: 1, maxLength: 4 });
    const value = fc.record({
      text: fc.option(text, { nil: undefined }),
      parts: fc.array(fc.record({ text }), { maxLength: 3 }),
      n: fc.nat(2),
    });
    const index = fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      fc.constant<false>(false),
      fc.constantFrom<string[][]>(["text"], ["$"]),
    );
    const put = fc.record({
      namespace: fc.constantFrom<string[][]>(["a"], ["a", "b"], ["ab"]),
      key: fc.stringMatching(/^k\d$/),
      value,
      index,
    });
    const query = fc.record({
      query: text,
      prefix: fc.constantFrom<string[][]>([], ["a"], ["a", "b"]),
      n: fc.option(fc.nat(2), { nil: undefined }),
    });
    const batches = fc.array(
      fc.uniqueArray(put, { selector: (one) => `${one.namespace.join("/")} ${one.key}`, minLength: 1, maxLength: 8 }),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(batches, fc.array(query, { minLength: 1, maxLength: 4 }), async (rounds, queries) => {
        const fields = ["text", "parts[*].text"];
        const { store } = fixture({ fields });
        // What was put in one round is not put again, because the reference keeps vectors of what a put replaced.
        const reference = new InMemoryStore({ index: { dims: 4, embeddings: new FakeEmbeddings(), fields } });
        for (const [round, puts] of rounds.entries()) {
          const operations = puts.map(({ index: paths, ...one }): PutOperation => ({
            ...one,
            key: `${one.key}-${round}`,
            ...(paths !== undefined && { index: paths }),
          }));
          await Promise.all([store.batch(operations), reference.batch(operations)]);
        }
        const searches = queries.map((one) => ({
          namespacePrefix: one.prefix,
          query: one.query,
          limit: 1000,
          offset: 0,
          ...(one.n === undefined ? {} : { filter: { n: one.n } }),
        }));
        const answers: SearchItem[][] = await store.batch(searches);
        const expected: SearchItem[][] = await reference.batch(searches);
        expect(answers.map(shown)).toEqual(expected.map((items) => shown(items.toSorted(byScoreThenPlace))));
      }),
      { numRuns: repetitions({ usual: 3, long: 60 }) },
    );
  });
});

/** The reference leaves equal scores in the order of insertion. */
function byScoreThenPlace(a: SearchItem, b: SearchItem): number {
  if (a.score !== b.score) return (b.score ?? -2) - (a.score ?? -2);
  const [first, second] = [a, b].map((item) => `${item.namespace.join("\0")}\0\0${item.key}`);
  return (first ?? "") < (second ?? "") ? -1 : 1;
}

function shown(items: SearchItem[]): unknown[] {
  return items.map((item) => [item.namespace, item.key, item.score, JSON.stringify(item.value)]);
}

describe("embedding", () => {
  it("takes one call for a batch, each text once, and one read beside the write", async () => {
    const { store, embeddings } = fixture({ fields: ["text", "more"] });
    const puts = Array.from({ length: 100 }, (_, index) => ({
      namespace: ["a"],
      key: `k${index}`,
      value: { text: `t${index}`, more: "same" },
    }));
    await store.start();
    expect(await commandNamesOf(() => store.batch(puts))).toEqual(["find", "update"]);
    expect(embeddings.documentCalls.map((texts) => texts.length)).toEqual([101]);
    const searches = Array.from({ length: 3 }, () => ({ namespacePrefix: ["a"], query: "t1" }));
    await store.batch(searches);
    expect(embeddings.queries).toEqual(["t1"]);
    expect(await commandNamesOf(() => store.search(["a"], { query: "t1" }))).toEqual(["find", "find"]);
  });

  it("is for text that changed only", async () => {
    const { store, embeddings } = fixture({ fields: ["text", "more"] });
    await store.put(["a"], "k", { text: "a", more: "b" });
    await store.put(["a"], "k", { text: "a", more: "c", other: 1 });
    await store.put(["a"], "k", { text: "c", more: "a" });
    expect(embeddings.documentCalls).toEqual([["a", "b"], ["c"]]);
    expect((await store.search(["a"], { query: "c" }))[0]?.score).toBe(1);
  });

  it("is for all texts of another model that the option names", async () => {
    const { store, embeddings, collection } = fixture();
    await store.put(["a"], "k", { text: "a" });
    const renamed = new MongoMemoryStore({
      client,
      dbName: name,
      itemsCollection: collection,
      index: { dims: embeddings.dims, embeddings, model: "renamed" },
    });
    await renamed.put(["a"], "k", { text: "a" });
    await renamed.put(["a"], "k", { text: "a" });
    expect(embeddings.documentCalls).toHaveLength(2);
  });

  it("leaves no vector of what was replaced", async () => {
    const { store, collection } = fixture({ fields: ["text"] });
    await store.put(["a"], "k", { text: "a" });
    await store.put(["a"], "k", { text: "a" }, false);
    expect(await store.search(["a"], { query: "a" })).toMatchObject([{ score: undefined }]);
    await store.put(["a"], "k", { text: "a" });
    await new MongoMemoryStore({ client, dbName: name, itemsCollection: collection }).put(["a"], "k", { text: "b" });
    expect(await db.collection(collection).findOne({ key: "k" })).not.toHaveProperty("embedded");
  });

  it("asks for nothing where no text is", async () => {
    const { store, embeddings } = fixture({ fields: ["text"] });
    await store.start();
    const commands = await commandNamesOf(() =>
      store.batch([
        { namespace: ["a"], key: "k", value: { text: "" } },
        { namespace: ["a"], key: "l", value: { text: "a" }, index: false },
      ]),
    );
    expect(commands).toEqual(["update"]);
    await store.put(["memory", "n", "global"], "/file", { content: "a" });
    expect(embeddings.documentCalls).toEqual([]);
  });

  it("stores vectors as BSON vectors of float32", async () => {
    const { store, collection } = fixture({ fields: ["text"] });
    await store.put(["a"], "k", { text: "aab" });
    const stored = await db.collection(collection).findOne({ key: "k" });
    const vector = stored?.["embedded"].vectors.text0;
    expect(vector.sub_type).toBe(9);
    expect([...vector.toFloat32Array()]).toEqual([2, 1, 0, 0]);
    expect(await store.get(["a"], "k")).toEqual(expect.objectContaining({ value: { text: "aab" } }));
  });

  it("embeds a bigint as its digits", async () => {
    const { store, embeddings } = fixture();
    await store.put(["a"], "k", { n: 5n });
    expect(embeddings.documentCalls).toEqual([['{\n  "n": "5"\n}']]);
  });
});

describe("what the embeddings client does wrong", () => {
  it("is refused as EINVAL before anything is written or read: other dimensions than the store's", async () => {
    const { store, embeddings, collection } = fixture({ fields: ["text"] });
    await store.start();
    embeddings.missingDims = 1;
    const batch = store.batch([
      { namespace: ["a"], key: "none", value: {} },
      { namespace: ["memory", "n", "global"], key: "/file", value: { content: "a" } },
      { namespace: ["a"], key: "k", value: { text: "a" } },
    ]);
    await expect(batch).rejects.toMatchObject({
      code: "EINVAL",
      message: expect.stringMatching(/embedDocuments.* 3 dimensions.* 4/),
    });
    expect(await store.search([])).toEqual([]);
    expect(await db.collection(collection).countDocuments()).toBe(0);
    const search = store.search(["a"], { query: "a" });
    await expect(search).rejects.toMatchObject({
      code: "EINVAL",
      message: expect.stringMatching(/embedQuery.* 3 dimensions.* 4/),
    });
  });

  it.each<[string, unknown]>([
    ["too few vectors", []],
    ["no vectors", undefined],
    ["no numbers", [["1", "2", "3", "4"]]],
    ["NaN", [[1, 2, 3, Number.NaN]]],
    ["more than float32 holds", [[1, 2, 3, 1e39]]],
  ])("is refused as EINVAL: %s", async (_, answer) => {
    const { store, embeddings } = fixture();
    embeddings.embedDocuments = () => Promise.resolve(answer as number[][]);
    await expect(store.put(["a"], "k", {})).rejects.toMatchObject({ code: "EINVAL" });
    expect(await store.get(["a"], "k")).toBeNull();
  });

  it("is passed on as it is where it fails, and nothing is stored", async () => {
    const { store, embeddings } = fixture();
    embeddings.failure = new Error("out of quota");
    await expect(store.put(["a"], "k", {})).rejects.toBe(embeddings.failure);
    expect(await store.get(["a"], "k")).toBeNull();
    await expect(store.search(["a"], { query: "a" })).rejects.toBe(embeddings.failure);
  });

  it("is not blamed where the storage fails", async () => {
    const { store, collection } = fixture({ fields: ["text"] });
    await db.collection(`${collection}_source`).insertOne({});
    const pipeline = [{ $project: { x: { $divide: [1, 0] } } }];
    await db.createCollection(collection, { viewOn: `${collection}_source`, pipeline });
    await expect(store.put(["a"], "k", { text: "a" })).rejects.toMatchObject({ code: "EIO" });
    await expect(store.search(["a"], { query: "a" })).rejects.toMatchObject({ code: "EIO" });
  });
});

describe("vectors of another configuration", () => {
  it("are no vectors to this one where their dimensions differ", async () => {
    const { store, collection } = fixture({ fields: ["text"] });
    await store.put(["a"], "k", { text: "a" });
    const wider = fixture({ fields: ["text"], embeddings: new FakeEmbeddings(6), itemsCollection: collection });
    expect(await wider.store.search(["a"], { query: "a" })).toMatchObject([{ key: "k", score: undefined }]);
    await wider.store.put(["a"], "k", { text: "a" });
    expect(await wider.store.search(["a"], { query: "a" })).toMatchObject([{ key: "k", score: 1 }]);
  });
});

describe("the index options", () => {
  const embeddings = new FakeEmbeddings();
  it.each<[Record<string, unknown>, string]>([
    [{ index: { dims: 0, embeddings } }, "index.dims"],
    [{ index: { dims: 4, embeddings: {} } }, "index.embeddings"],
    [{ index: { dims: 4, embeddings, fields: [] } }, "index.fields"],
    [{ index: { dims: 4, embeddings, field: ["x"] } }, "index"],
    [{ vectorSearch: { indexName: "v" } }, "vectorSearch needs index"],
    [
      { index: { dims: 4, embeddings }, vectorSearch: { indexName: "v", filterFields: ["a.b"] } },
      "vectorSearch.filterFields",
    ],
    [{ index: { dims: 4, embeddings }, textSearch: true }, "exclude each other"],
  ])("refuse %j", (options, message) => {
    const create = (): MongoMemoryStore =>
      new MongoMemoryStore({ client, ...(options as Partial<MongoMemoryStoreOptions>) });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });

  it("refuse an index of a put that is no list of paths", async () => {
    const { store } = fixture();
    for (const index of [true, "text", [1], {}])
      await expect(store.put(["a"], "k", {}, index as never)).rejects.toThrow(TypeError);
  });
});
