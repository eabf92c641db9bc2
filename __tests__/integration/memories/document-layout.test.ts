import { describe, expect, it } from "@jest/globals";
import { ObjectId } from "mongodb";
import { MemoryError, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress, refuses } from "../../helpers/memory-case.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, db } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName: db.databaseName });
const memories = db.collection("memories");

describe("the document of a memory", () => {
  it("has dotted literal keys, directories, times and a revision", async () => {
    const address = freshAddress();
    await store.memory(address).append("/a/b", "text");
    const document = await memories.findOne(address);
    expect(document).toEqual({
      _id: expect.stringContaining(`\u0001global\u0001${address.nodeId}\u0001`),
      key: expect.any(ObjectId),
      ...address,
      scope: "global",
      data: { "a.b": "text" },
      dirs: { a: true },
      meta: { "a.b": { createdAt: expect.any(Date), updatedAt: expect.any(Date) } },
      revision: 1,
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    });
  });

  it("is not written by a delete of nothing", async () => {
    const address = freshAddress();
    await store.memory(address).append("/a/b", "text");
    const before = await memories.findOne(address);
    await store.memory(address).delete("/missing");
    expect(await memories.findOne(address)).toEqual(before);
    await store.memory(address).delete("/");
    const emptied = await memories.findOne(address);
    await store.memory(address).delete("/");
    expect(await memories.findOne(address)).toEqual(emptied);
  });

  it("names the thread of a perThread memory", async () => {
    const address = { ...freshAddress(), scope: "perThread" as const, threadId: "a.b:$c" };
    await store.memory(address).append("/a", "text");
    expect(await memories.findOne({ nodeId: address.nodeId })).toMatchObject(address);
  });

  it("escapes what a dotted key cannot carry, and only that", async () => {
    const address = freshAddress();
    const memory = store.memory(address);
    for (const path of ["/notes.txt", "/100%", "/$a/$b c$", "/é/__proto__"]) await memory.write(path, "x");
    const document = await memories.findOne(address);
    expect(Object.keys(document?.["data"] as object)).toEqual(["notes%2Etxt", "100%25", "%24a.%24b c$", "é.__proto__"]);
  });

  it("is one document however many first writes race, in both scopes", async () => {
    const global = freshAddress();
    const thread = { ...freshAddress(), scope: "perThread" as const, threadId: "t" };
    for (const address of [global, thread]) {
      const writes = Array.from({ length: 100 }, (_, index) => store.memory(address).write(`/file ${index}`, "x"));
      await Promise.all(writes);
      expect(await memories.countDocuments({ nodeId: address.nodeId })).toBe(1);
      expect(await store.memory(address).list("/")).toHaveLength(100);
    }
  });

  it("takes 14 files of a million bytes by default and refuses the one that passes 15 MB", async () => {
    const memory = store.memory(freshAddress());
    const text = "x".repeat(1_000_000);
    for (let index = 0; index < 14; index += 1) await memory.write(`/file ${index}`, text);
    const error = await memory.write("/one too many", text).catch((reason: unknown) => reason);
    expect(MemoryError.isInstance(error) && error.code).toBe("ENOSPC");
    expect(String(error)).toMatch(
      /would be 15\d{6} bytes, over its limit of 15000000 bytes; .* a replica set has no such limit$/,
    );
    expect(await memory.list("/")).toHaveLength(14);
  });
});

describe("the indexes", () => {
  it("are those of the specification, made once and again without harm", async () => {
    await store.start();
    await store.start();
    const indexes = await memories.indexes();
    expect(indexes.filter((index) => index.name !== "_id_")).toEqual([
      {
        v: 2,
        name: "uniq_global",
        key: { nodeId: 1, scope: 1 },
        unique: true,
        partialFilterExpression: { scope: "global" },
      },
      {
        v: 2,
        name: "uniq_per_thread",
        key: { nodeId: 1, scope: 1, threadId: 1 },
        unique: true,
        partialFilterExpression: { scope: "perThread", threadId: { $exists: true } },
      },
      {
        v: 2,
        name: "uniq_per_user",
        key: { nodeId: 1, scope: 1, userId: 1 },
        unique: true,
        partialFilterExpression: { scope: "perUser", userId: { $exists: true } },
      },
      {
        v: 2,
        name: "memories_by_thread",
        key: { threadId: 1, nodeId: 1 },
        partialFilterExpression: { threadId: { $type: "string" } },
      },
      {
        v: 2,
        name: "memories_by_user",
        key: { userId: 1, nodeId: 1 },
        partialFilterExpression: { userId: { $type: "string" } },
      },
      {
        v: 2,
        name: "pages",
        key: { _id: 1, lo: 1, revision: 1, sizeBytes: 1, updatedAt: 1, recorded: 1, lastVersion: 1 },
        partialFilterExpression: { lo: { $gte: "" } },
      },
    ]);
  });

  it("of the same name with other keys are a clear error, and nothing is dropped", async () => {
    const other = db.collection("others");
    await other.createIndex({ nodeId: 1, whatever: 1 }, { name: "uniq_global" });
    const conflicting = new MongoMemoryStore({ client, dbName: db.databaseName, memoriesCollection: "others" });
    await expect(conflicting.start()).rejects.toThrow(/others has indexes that conflict.*uniq_global/);
    await refuses(conflicting.memory(freshAddress()).append("/a", "x"), "EIO");
    expect((await other.indexes()).map((index) => index.key)).toContainEqual({ nodeId: 1, whatever: 1 });
    await other.dropIndexes();
    await conflicting.memory(freshAddress()).append("/a", "x");
  });
});
