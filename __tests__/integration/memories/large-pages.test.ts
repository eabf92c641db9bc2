import { describe, expect, it } from "@jest/globals";
import { BSON } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { freshAddress, refuses } from "../../helpers/memory-case.js";
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

  it("are too much for a history when many go at once: ENOSPC, and nothing is changed", async () => {
    const memory = new MongoMemoryStore({ client, dbName, history: true }).memory(freshAddress());
    for (let index = 0; index < 18; index += 1) await memory.write(`/many/${index}`, "x".repeat(1_000_000));
    await refuses(memory.delete("/many"), "ENOSPC");
    expect(await memory.list("/many")).toHaveLength(18);
    for (let index = 0; index < 9; index += 1) await memory.delete(`/many/${index}`);
    expect(await memory.delete("/many")).toEqual({ files: 9, dirs: 1 });
  });

  it("can go at once when what the history keeps of earlier changes has made room", async () => {
    const { nodeId } = freshAddress();
    const unrecorded = new MongoMemoryStore({ client, dbName }).memory({ nodeId });
    for (let index = 0; index < 16; index += 1) await unrecorded.write(`/many/${index}`, "x".repeat(1_000_000));
    await unrecorded.write("/many/last", "x".repeat(300_000));
    const memory = new MongoMemoryStore({ client, dbName, history: true }).memory({ nodeId });
    // Not enough to be moved, and together with what goes more than a document can have.
    for (let index = 0; index < 58; index += 1) await memory.write("/note", String(index % 10).repeat(8_500));
    const head = await db.collection("memories").findOne({ nodeId });
    expect(BSON.calculateObjectSize({ outbox: head?.["outbox"] })).toBeGreaterThan(450_000);
    expect(await memory.delete("/many")).toEqual({ files: 17, dirs: 1 });
  });
});
