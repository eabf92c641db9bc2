import { createRequire } from "node:module";
import { describe, expect, it, jest } from "@jest/globals";
import type * as driver from "mongodb";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { FakeEmbeddings } from "../../helpers/fake-embeddings.js";
import { serverApi } from "../../helpers/server-api.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName } = testDatabase();
const client = useClient(new MongoClient(uri, { serverApi }));

// The suites of stores and backends run on such a client in `__tests__/conformance`.
describe("a client of the strict Stable API", () => {
  it("has no text index, and the first query says so in one warning", async () => {
    const store = new MongoMemoryStore({ client, dbName });
    await store.start();
    await store.put(["a"], "k", { text: "word" });
    const warn = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    for (let search = 0; search < 3; search += 1) expect(await store.search(["a"], { query: "other" })).toHaveLength(1);
    expect(warn.mock.calls).toEqual([[expect.stringContaining("strict Stable API"), { type: "MemoryWarning" }]]);
    warn.mockRestore();
  });

  it.each([true, { language: "english" }] as const)("is refused with textSearch: %j", (textSearch) => {
    expect(() => new MongoMemoryStore({ client, dbName, textSearch })).toThrow(/textSearch.*Stable API/);
  });

  it("is refused with vectorSearch, which the Stable API does not have", () => {
    const index = { dims: 4, embeddings: new FakeEmbeddings() };
    expect(() => new MongoMemoryStore({ client, dbName, index, vectorSearch: { indexName: "vectors" } })).toThrow(
      /vectorSearch.*Stable API/,
    );
  });

  it("lists, expires and forgets memories", async () => {
    // Ahead, because the server deletes by its own clock what has expired.
    let nowMs = Date.now() + 3_600_000;
    const store = new MongoMemoryStore({
      client,
      dbName,
      memoriesCollection: "erased",
      clock: () => new Date(nowMs),
      expireMs: { perUser: 1000 },
    });
    const address = (nodeId: string) => ({ nodeId, scope: "perUser", userId: "ada" }) as const;
    await store.memory(address("a")).write("/notes", "old");
    nowMs += 1000;
    for (const nodeId of ["a", "b"]) await store.memory(address(nodeId)).append("/notes", "new");
    const found: object[] = [];
    for await (const summary of store.listMemories({ userId: "ada" })) found.push(summary);
    expect(found).toMatchObject([
      { address: address("a"), files: 1 },
      { address: address("b"), files: 1 },
    ]);
    expect(await store.memory(address("a")).read("/notes")).toBe("new");
    expect(await store.forget(address("a"))).toEqual({ memories: 1, files: 1, versions: 0, proposals: 0 });
    expect(await store.forget({ userId: "ada" })).toMatchObject({ memories: 1, files: 1, versions: 0, proposals: 0 });
  });

  it("takes over from a client that made a text index", async () => {
    const ordinary = new MongoMemoryStore({
      client: useClient(new MongoClient(uri)),
      dbName,
      itemsCollection: "indexed",
    });
    await ordinary.put(["a"], "k", { text: "word" });
    const strict = new MongoMemoryStore({ client, dbName, itemsCollection: "indexed" });
    await strict.put(["a"], "k2", { text: "word" });
    expect(await strict.listNamespaces({ prefix: ["a"] })).toEqual([["a"]]);
    expect((await strict.search(["a"])).map(({ key }) => key)).toEqual(["k", "k2"]);
  });
});

/**
 * The official store has a driver of its own, of another major version; a driver refuses the BSON classes of others.
 */
function otherDriver(): typeof driver {
  const ofOfficialStore = createRequire(
    createRequire(import.meta.url).resolve("@langchain/langgraph-checkpoint-mongodb"),
  );
  return ofOfficialStore("mongodb") as typeof driver;
}

it("a client of another copy of the driver than the store's own serves everything", async () => {
  const { name: ownName } = testDatabase();
  const { MongoClient: OtherClient } = otherDriver();
  const other = useClient(new OtherClient(uri));
  const options = { client: other, dbName: ownName, ttl: { defaultTtlMs: 1e9, refreshOnRead: true } };
  const semantic = new MongoMemoryStore({ ...options, index: { dims: 4, embeddings: new FakeEmbeddings() } });
  await semantic.put(["a"], "k", { text: "a", big: 5n });
  await semantic.put(["a"], "k", { text: "a", big: 5n });
  expect(await semantic.search(["a"], { query: "a" })).toMatchObject([
    { value: { text: "a", big: 5n }, score: expect.any(Number) },
  ]);
  const keywords = new MongoMemoryStore({ ...options, itemsCollection: "texts", textSearch: true });
  await keywords.put(["a"], "k", { text: "word" });
  expect(await keywords.search(["a"], { query: "word" })).toMatchObject([{ key: "k" }]);
  expect(await keywords.listNamespaces()).toEqual([["a"]]);
});
