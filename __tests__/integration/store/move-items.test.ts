import { expect, it } from "@jest/globals";
import { MongoMemoryStore, openMemory } from "../../../src/index.js";
import { startedOfficialStore } from "../../helpers/official-store.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();

/** As `docs/store.md` shows it. */
it("items and files of memories in the official store move by search and batch, page by page, as often as one likes", async () => {
  const old = await startedOfficialStore(client, { dbName, collectionName: "official" });
  for (let index = 0; index < 5; index += 1) await old.put(["users", "ada"], `k${index}`, { index });
  await openMemory(old, { nodeId: "assistant" }).write("/notes/today.md", "text");
  const store = new MongoMemoryStore({ client, dbName });
  const limit = 3;
  for (let run = 0; run < 2; run += 1)
    for (let offset = 0; ; offset += limit) {
      const items = await old.search([], { limit, offset });
      // The directories of memories come with their files.
      const kept = items.filter(({ key }) => !key.endsWith("/"));
      await store.batch(kept.map(({ namespace, key, value }) => ({ namespace, key, value })));
      if (items.length < limit) break;
    }
  const found = await store.search(["users"]);
  expect(found.map(({ key, value }) => [key, value])).toEqual([0, 1, 2, 3, 4].map((index) => [`k${index}`, { index }]));
  expect((await store.memory({ nodeId: "assistant" }).snapshot()).files).toMatchObject([
    { path: "/notes/today.md", content: "text" },
  ]);
});
