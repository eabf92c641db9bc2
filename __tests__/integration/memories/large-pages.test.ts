import { describe, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { readAll } from "../../helpers/read-all.js";
import { findPageFaults, readStoredPages } from "../../helpers/stored-pages.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName, db } = testDatabase("replicaSet");

describe("files of the largest size", () => {
  it.each([false, true])("lie in pages of their own, history: %s", async (history) => {
    const address = freshAddress();
    const store = new MongoMemoryStore({ client, dbName, history });
    const memory = store.memory(address, { maxFileBytes: 7_500_000 });
    const large = "x".repeat(6_500_000);
    await memory.write("/b", large);
    await memory.append("/a", "small");
    await memory.append("/c", large);
    await memory.append("/b1", large);
    await memory.write("/d", "x".repeat(7_400_000));
    await memory.append("/d", "more");
    await memory.append("/d1", "small");
    const { files } = await memory.outline();
    expect(files.map(({ path, sizeBytes }) => [path, sizeBytes])).toEqual([
      ["/a", 5],
      ["/b", 6_500_000],
      ["/b1", 6_500_000],
      ["/c", 6_500_000],
      ["/d", 7_400_005],
      ["/d1", 5],
    ]);
    expect(findPageFaults(await readStoredPages(db.collection("memories"), address))).toEqual([]);
  });

  it("go at once, with a version of each, although they are more than a document can have", async () => {
    const memory = new MongoMemoryStore({ client, dbName, history: true }).memory(freshAddress());
    for (let index = 0; index < 18; index += 1) await memory.write(`/many/${index}`, "x".repeat(1_000_000));
    expect(await memory.delete("/many")).toEqual({ files: 18, dirs: 1 });
    const versions = await readAll(memory.history?.list({ operation: "deleted" }) ?? []);
    expect(versions).toHaveLength(18);
    const [created] = await readAll(memory.history?.list({ path: "/many/7", operation: "created" }) ?? []);
    expect((await memory.history?.read(created?.id ?? ""))?.content).toHaveLength(1_000_000);
  });

  it("can be replaced again and again, because earlier changes make room in their page", async () => {
    const memory = new MongoMemoryStore({ client, dbName, history: true }).memory(freshAddress(), {
      maxFileBytes: 7_500_000,
    });
    await memory.write("/a", "small");
    for (const text of ["x", "y", "z"]) await memory.write("/large", text.repeat(7_000_000));
    expect(await readAll(memory.history?.list({ path: "/large" }) ?? [])).toHaveLength(3);
  });
});
