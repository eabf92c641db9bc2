import { describe, expect, it } from "@jest/globals";
import type { Item } from "@langchain/langgraph-checkpoint";
import { MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name } = testDatabase();
let collections = 0;

function fixture(options: Partial<MongoMemoryStoreOptions> = {}): { store: MongoMemoryStore; collection: string } {
  collections += 1;
  const collection = `items${collections}`;
  const given = {
    textSearch: true,
    memoriesCollection: `memories${collections}`,
    itemsCollection: collection,
    ...options,
  };
  return { store: new MongoMemoryStore({ client, dbName: name, ...given }), collection };
}

const getKeys = (items: Item[]): string[] => items.map((item) => item.key);

describe("keyword search", () => {
  it("finds the items with a word of the query, the most relevant first, within prefix and filter", async () => {
    const { store } = fixture();
    await store.batch([
      { namespace: ["docs"], key: "both", value: { text: "the red fox", deep: [{ more: "quick" }], kind: "x" } },
      { namespace: ["docs"], key: "one", value: { text: "quick and easy", kind: "x" } },
      { namespace: ["docs", "deep"], key: "upper", value: { text: "Quick and easy", kind: "x" } },
      { namespace: ["docs"], key: "none", value: { text: "slow", kind: "x" } },
      { namespace: ["docs"], key: "quick", value: { quick: "key and field are no text", kind: "x" } },
      { namespace: ["docs"], key: "other kind", value: { text: "quick", kind: "y" } },
      { namespace: ["docs-2"], key: "sibling", value: { text: "quick", kind: "x" } },
    ]);
    const found = await store.search(["docs"], { query: "quick fox", filter: { kind: "x" } });
    expect(getKeys(found)).toEqual(["both", "one", "upper"]);
    expect(found.every((item) => typeof item.score === "number" && item.score > 0)).toBe(true);
    expect(found[1]?.score).toBe(found[2]?.score);
    expect(found[0]?.value).toEqual({ text: "the red fox", deep: [{ more: "quick" }], kind: "x" });
    const rest = { offset: 1, limit: 1 };
    expect(getKeys(await store.search(["docs"], { query: "quick fox", filter: { kind: "x" }, ...rest }))).toEqual([
      "one",
    ]);
    // A filter that the server cannot decide.
    expect(
      getKeys(await store.search(["docs"], { query: "quick", filter: { "a.b": undefined, kind: "x" }, ...rest })),
    ).toEqual(["upper"]);
    expect(getKeys(await store.search(["docs"], { query: "absent" }))).toEqual([]);
  });

  it.each([
    ["Chinese", "用户喜欢吃素食，住在上海", "素食", "肉"],
    ["a single character", "我家有一只猫", "猫", "狗"],
    ["Korean, whose words carry their particles", "사용자는 서울에서 일합니다", "서울", "부산"],
    ["Chinese beside English", "prefers豆腐over meat", "豆腐", "鱼"],
  ])("finds words that no spaces separate: %s", async (_name, text, word, other) => {
    const { store } = fixture();
    await store.put(["a"], "k", { text });
    await store.put(["a"], "of-another", { text: "plain words" });
    expect(getKeys(await store.search(["a"], { query: word }))).toEqual(["k"]);
    expect(getKeys(await store.search(["a"], { query: `${word} and more` }))).toEqual(["k"]);
    expect(getKeys(await store.search(["a"], { query: other }))).toEqual([]);
    expect((await store.get(["a"], "k"))?.value).toEqual({ text });
  });

  it("gives equal scores in the order of the store, each once over pages", async () => {
    const { store } = fixture();
    const keys = Array.from({ length: 60 }, (_, index) => `k${String(index).padStart(2, "0")}`);
    await store.batch(keys.toReversed().map((key) => ({ namespace: ["a"], key, value: { text: "same words" } })));
    const pages: string[] = [];
    for (let offset = 0; offset < 70; offset += 7)
      pages.push(...getKeys(await store.search([], { query: "same", offset, limit: 7 })));
    expect(pages).toEqual(keys);
    expect(getKeys(await store.search([], { query: "same", limit: Infinity }))).toEqual(keys);
  });

  it("looks for the first 1,000 different words of a query", async () => {
    const { store } = fixture();
    await store.batch(["w0", "w999", "w1000"].map((key) => ({ namespace: ["a"], key, value: { text: key } })));
    const words = Array.from({ length: 500_000 }, (_, index) => `w${index}`);
    expect(getKeys(await store.search(["a"], { query: words.join(" ") })).toSorted()).toEqual(["w0", "w999"]);
    expect(getKeys(await store.search(["a"], { query: words.join(",") })).toSorted()).toEqual(["w0", "w999"]);
    const repeated = `${"w0 ".repeat(10_000)}${words.slice(1, 1001).join(" ")}`;
    expect(getKeys(await store.search(["a"], { query: repeated })).toSorted()).toEqual(["w0", "w999"]);
  });

  it("looks for words within the first 65,536 characters of a query", async () => {
    const { store } = fixture();
    await store.batch(["near", "far"].map((key) => ({ namespace: ["a"], key, value: { text: key } })));
    expect(getKeys(await store.search(["a"], { query: `near ${"x".repeat(65_530)} far` }))).toEqual(["near"]);
    expect(getKeys(await store.search(["a"], { query: `${"near ".repeat(4_000_000)}far` }))).toEqual(["near"]);
  });

  it("takes a query for words, never for operators", async () => {
    const { store } = fixture();
    await store.put(["a"], "k", { text: "long term memory" });
    for (const query of ["-long", '"term long"', "memory -term", "\\long", '"'.repeat(3) + "long"]) {
      expect(getKeys(await store.search(["a"], { query }))).toEqual(["k"]);
    }
    for (const query of ["-", '"', " ", "\uD800"]) expect(await store.search(["a"], { query })).toEqual([]);
  });

  it("covers what put says: everything, some paths or nothing", async () => {
    const { store, collection } = fixture();
    await store.put(["a"], "all", { title: "word", body: "text" });
    await store.put(["a"], "title", { title: "word", body: "text" }, ["title"]);
    await store.put(["a"], "nothing", { title: "word", body: "text" }, false);
    expect(getKeys(await store.search(["a"], { query: "word" }))).toEqual(["title", "all"]);
    expect(getKeys(await store.search(["a"], { query: "text" }))).toEqual(["all"]);
    await store.put(["a"], "all", { title: "changed" });
    expect(getKeys(await store.search(["a"], { query: "word" }))).toEqual(["title"]);
    await new MongoMemoryStore({ client, dbName: name, itemsCollection: collection, textSearch: false }).put(
      ["a"],
      "title",
      { title: "word" },
    );
    expect(await store.search(["a"], { query: "word" })).toEqual([]);
    expect(await store.get(["a"], "all")).toEqual(expect.objectContaining({ value: { title: "changed" } }));
  });

  it("knows the words of a language where told so, whatever language a value says it is in", async () => {
    const plain = fixture().store;
    const english = fixture({ textSearch: { language: "english" } }).store;
    for (const store of [plain, english])
      await store.put(["a"], "k", { text: "she was running", language: "none of MongoDB's" });
    expect(await plain.search(["a"], { query: "run" })).toEqual([]);
    expect(await plain.search(["a"], { query: "was" })).toHaveLength(1);
    expect(await english.search(["a"], { query: "run" })).toHaveLength(1);
    expect(await english.search(["a"], { query: "was" })).toEqual([]);
  });

  it("leaves out what expired", async () => {
    let now = Date.parse("2100-01-01");
    const { store } = fixture({ ttl: { defaultTtlMs: 10 }, clock: () => new Date(now) });
    await store.put(["a"], "k", { text: "word" });
    expect(await store.search(["a"], { query: "word" })).toHaveLength(1);
    now += 10;
    expect(await store.search(["a"], { query: "word" })).toEqual([]);
  });

  it("lists the files of memories, which it does not rank, after what it found", async () => {
    const { store } = fixture();
    await store.memory({ nodeId: "n" }).write("/file", "other");
    await store.put(["z"], "k", { text: "word" });
    const found = await store.search([], { query: "word" });
    expect(found.map((item) => [item.key, typeof item.score])).toEqual([
      ["k", "number"],
      ["/file", "undefined"],
    ]);
  });

  it("answers before anything was put", async () => {
    expect(await fixture().store.search(["a"], { query: "word" })).toEqual([]);
  });

  it("is on where there are no embeddings, and off where it is switched off: then a query changes nothing", async () => {
    const { collection } = fixture();
    const byDefault = new MongoMemoryStore({ client, dbName: name, itemsCollection: collection });
    await byDefault.put(["a"], "k", { text: "word" });
    expect(await byDefault.search(["a"], { query: "word" })).toMatchObject([{ key: "k", score: expect.any(Number) }]);
    const { store } = fixture({ textSearch: false });
    await store.put(["a"], "k", { text: "other" });
    expect(await store.search(["a"], { query: "word" })).toMatchObject([{ key: "k", score: undefined }]);
  });

  it.each([{ language: "klingon" }, "english", { lang: "english" }])("refuses the option %j", (textSearch) => {
    expect(() => fixture({ textSearch: textSearch as never })).toThrow(TypeError);
  });
});
