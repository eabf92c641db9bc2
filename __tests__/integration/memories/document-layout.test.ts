import { describe, expect, it } from "@jest/globals";
import { type Document, ObjectId } from "mongodb";
import { MemoryError, type Memory, MongoMemoryStore } from "../../../src/index.js";
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

  it("holds no more than maxMemoryBytes; what would not fit is ENOSPC and changes nothing", async () => {
    const memory = store.memory(freshAddress(), { maxMemoryBytes: 2000 });
    await refuses(memory.write("/file", "x".repeat(1990)), "ENOSPC");
    expect(await memory.stat("/file")).toBeNull();
    await memory.write("/file", "x".repeat(1000));
    const before = await memory.snapshot();
    await refuses(memory.append("/file", "x".repeat(900)), "ENOSPC");
    await refuses(memory.write("/other", "x".repeat(900)), "ENOSPC");
    await refuses(memory.update("/file", "x", "xx"), "ENOSPC");
    await refuses(
      memory.edit("/file", (text) => text + text),
      "ENOSPC",
    );
    expect(await memory.snapshot()).toEqual(before);
    await memory.write("/file", "x".repeat(999));
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
        key: { _id: 1, lo: 1, revision: 1, sizeBytes: 1, updatedAt: 1 },
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

describe("documents of the earlier system", () => {
  const legacyData = { today: "hello", notes: { week: { monday: "a\n", tuesday: "b" }, empty: {} } };

  async function legacyMemory(
    fields: Document = { data: legacyData, dirs: { notes: true, made: true } },
  ): Promise<Memory> {
    const address = freshAddress();
    await memories.insertOne({ ...address, scope: "global", ...fields });
    return store.memory(address);
  }

  it("are read correctly by every reading command", async () => {
    const memory = await legacyMemory();
    expect(await memory.read("/today")).toBe("hello");
    expect(await memory.read("/notes/week/monday")).toBe("a\n");
    await refuses(memory.read("/notes/week"), "EISDIR");
    await refuses(memory.read("/missing"), "ENOENT");
    expect([await memory.read("/today"), await memory.read("/notes/week/tuesday")]).toEqual(["hello", "b"]);
    expect(await memory.list("/")).toEqual([
      { name: "made", kind: "dir" },
      { name: "notes", kind: "dir" },
      { name: "today", kind: "file" },
    ]);
    expect(await memory.stat("/notes")).toMatchObject({ kind: "dir", sizeBytes: 3 });
    expect(await memory.stat("/today")).toMatchObject({ kind: "file", sizeBytes: 5 });
    const { files, directories } = await memory.snapshot();
    expect(files.map((file) => file.path)).toEqual(["/notes/week/monday", "/notes/week/tuesday", "/today"]);
    expect(directories).toEqual(["/made", "/notes", "/notes/empty", "/notes/week"]);
    expect((await memory.outline({ maxContentBytes: 100 })).files[2]).toEqual({
      path: "/today",
      sizeBytes: 5,
      content: "hello",
    });
  });

  const changes: [string, (memory: Memory) => Promise<unknown>][] = [
    ["append", (memory) => memory.append("/notes/week/monday", "c")],
    ["append that creates", (memory) => memory.append("/other/new", "c")],
    ["update", (memory) => memory.update("/today", "hello", "hi")],
    ["delete", (memory) => memory.delete("/notes/week")],
    ["write", (memory) => memory.write("/today", "new")],
    ["edit", (memory) => memory.edit("/today", (text) => `${text}!`)],
    ["rename", (memory) => memory.rename("/notes", "/moved")],
  ];
  it.each(changes)("are rewritten flat by the first change: %s", async (_title, change) => {
    const memory = await legacyMemory();
    const flat = store.memory(freshAddress());
    for (const { path, content } of (await memory.snapshot()).files) await flat.write(path, content);
    for (const path of ["/made/x", "/notes/empty/x"]) {
      await flat.write(path, "x");
      await flat.delete(path);
    }
    await change(memory);
    await change(flat);
    const contents = async (of: Memory): Promise<unknown> => {
      const { files, directories } = await of.snapshot();
      return { files: files.map(({ path, content }) => [path, content]), directories };
    };
    expect(await contents(memory)).toEqual(await contents(flat));
    const document = await memories.findOne({ nodeId: memory.address.nodeId });
    expect(document).toMatchObject({ revision: 1 });
    for (const value of Object.values(document?.["data"] as object)) expect(typeof value).toBe("string");
    expect(Object.keys(document?.["meta"] as object).toSorted()).toEqual(
      Object.keys(document?.["data"] as object).toSorted(),
    );
  });

  it("may have a name that the driver takes for a mark of its own", async () => {
    const memory = await legacyMemory({
      data: new Map<string, unknown>([
        ["_bsontype", "Long"],
        ["notes", new Map([["_bsontype", "ObjectId"]])],
      ]),
    });
    await memory.append("/_bsontype", "more");
    expect((await memory.snapshot()).files.map(({ path, content }) => [path, content])).toEqual([
      ["/_bsontype", "Long\nmore"],
      ["/notes/_bsontype", "ObjectId"],
    ]);
  });

  it("lose nothing when many first changes race", async () => {
    const memory = await legacyMemory();
    await Promise.all(Array.from({ length: 50 }, (_, index) => memory.append("/notes/week/log", `line ${index}`)));
    expect((await memory.read("/notes/week/log")).split("\n")).toHaveLength(50);
    expect(await memory.read("/today")).toBe("hello");
  });

  it("without data, or with only directories, are empty memories", async () => {
    expect(await (await legacyMemory({})).list("/")).toEqual([]);
    const memory = await legacyMemory({ dirs: { made: true } });
    expect(await memory.list("/")).toEqual([{ name: "made", kind: "dir" }]);
    await memory.append("/made/file", "x");
    expect(await memory.read("/made/file")).toBe("x");
  });
});
