import { createRequire } from "node:module";
import { expect, it } from "@jest/globals";
import type * as driver from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { FakeEmbeddings } from "../../helpers/fake-embeddings.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { name, uri } = testDatabase();

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
  const { MongoClient } = otherDriver();
  const client = useClient(new MongoClient(uri));
  const options = { client, dbName: name, ttl: { defaultTtlMs: 1e9, refreshOnRead: true } };
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
