import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { FakeEmbeddings } from "../helpers/fake-embeddings.js";
import { officialStoreOver, startedOfficialStore } from "../helpers/official-store.js";
import { testDatabase } from "../helpers/test-database.js";

const { client, name: dbName } = testDatabase("standalone");
const open = () => startedOfficialStore(client, { dbName, collectionName: randomUUID() });

/** What `docs/comparison.md` says. A test that fails says that the page must change. */
describe("MongoDBStore 1.4.1", () => {
  it("refuses some of many racing first writes", async () => {
    const store = await open();
    const refused: unknown[] = [];
    for (let round = 0; round < 80 && refused.length === 0; round += 1) {
      const writes = Array.from({ length: 50 }, (_, writer) => store.put(["race"], `k${round}`, { writer }));
      refused.push(...(await Promise.allSettled(writes)).filter(({ status }) => status === "rejected"));
    }
    expect(refused.length).toBeGreaterThan(0);
    for (const one of refused) expect(one).toMatchObject({ reason: { code: 11000 } });
  });

  it("returns every item for $in, and an item for an operator in place of a key", async () => {
    const store = await open();
    for (const x of [1, 5]) await store.put(["a"], `k${x}`, { x });
    expect(await store.search(["a"], { filter: { x: { $in: [5] } } })).toHaveLength(2);
    expect(await store.get(["a"], { $ne: null } as never)).not.toBeNull();
  });

  it("stores vectors of other dimensions than those of its index", async () => {
    const embeddings = new FakeEmbeddings(2);
    const indexConfig = { name: "vectors", dims: 4, embeddingKey: "text" };
    const store = officialStoreOver(client, { dbName, collectionName: randomUUID(), embeddings, indexConfig });
    await store.put(["a"], "k", { text: "a" });
    expect(await store.get(["a"], "k")).not.toBeNull();
  });
});
