import { beforeAll, describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import type { MemoryErrorCode } from "../../../src/core/values/errors.js";
import type { Memory } from "../../../src/core/memory.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { freshAddress, refuses } from "../../../src/testing/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

/*
 * A store remembers the ids of the documents it has seen (ADR 0028). What it remembers may not be so any more.
 */

const { db, uri, name } = testDatabase();
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const store = new MongoMemoryStore({ client, dbName: name });
const another = new MongoMemoryStore({ client, dbName: name });
const documents = db.collection("memories");

beforeAll(() => Promise.all([store.start(), another.start()]));

/** A memory that the store has seen, with the file `/file`. */
async function seen(): Promise<Memory> {
  const memory = store.memory(freshAddress());
  await memory.write("/file", "first text");
  return memory;
}

const changes: [string, (memory: Memory) => Promise<unknown>, string | null][] = [
  ["append", (memory) => memory.append("/file", "more"), "more"],
  ["write", (memory) => memory.write("/file", "more"), "more"],
  ["update", (memory) => memory.update("/file", "first", "second"), null],
  ["edit", (memory) => memory.edit("/file", (text) => `${text}!`), null],
  ["delete", (memory) => memory.delete("/file"), null],
  ["rename", (memory) => memory.rename("/file", "/moved"), null],
];

const reads: [string, (memory: Memory) => Promise<unknown>][] = [
  ["list", (memory) => memory.list("/")],
  ["stat", (memory) => memory.stat("/file")],
  ["outline", async (memory) => (await memory.outline()).files],
  ["snapshot", async (memory) => (await memory.snapshot()).files],
  ["files", (memory) => memory.readFiles(["/file"])],
];

describe("a document whose id the store knows", () => {
  // Requirement: mongodb.found-by-id
  it.each(changes)("was given to another memory by hand: %s leaves it as it is", async (_, change, created) => {
    const memory = await seen();
    const other = freshAddress();
    await documents.updateOne({ nodeId: memory.address.nodeId }, { $set: { nodeId: other.nodeId } });
    const before = await documents.findOne({ nodeId: other.nodeId });
    await change(memory).catch((error: unknown) => expect(error).toMatchObject({ code: "ENOENT" }));
    expect(await documents.findOne({ nodeId: other.nodeId })).toEqual(before);
    expect(await another.memory(memory.address).readFiles(["/file"])).toEqual([created]);
  });

  it.each(reads)("was given to another memory by hand: it is not in a %s", async (_, read) => {
    const memory = await seen();
    await documents.updateOne({ nodeId: memory.address.nodeId }, { $set: { nodeId: freshAddress().nodeId } });
    const empty = store.memory(freshAddress());
    expect(await read(memory)).toEqual(await read(empty));
    await refuses(memory.read("/file"), "ENOENT");
  });

  it.each(changes)("was replaced by one of another id: %s changes that one", async (_, change) => {
    const [memory, twin] = [await seen(), await seen()];
    await another.forget(memory.address);
    await another.memory(memory.address).write("/file", "first text");
    await Promise.all([change(memory), change(twin)]);
    expect((await another.memory(memory.address).snapshot()).files.map(({ path, content }) => [path, content])).toEqual(
      (await another.memory(twin.address).snapshot()).files.map(({ path, content }) => [path, content]),
    );
  });

  it.each(changes)("is one of the earlier system again: %s rewrites it", async (_, change) => {
    const [memory, twin] = [await seen(), await seen()];
    const { nodeId, scope } = memory.address;
    await documents.replaceOne(
      { nodeId, scope },
      { nodeId, scope, data: { file: "first text", notes: { today: "x" } } },
    );
    await twin.write("/notes/today", "x");
    await Promise.all([change(memory), change(twin)]);
    const texts = async ({ address }: Memory): Promise<unknown> =>
      (await another.memory(address).snapshot()).files.map(({ path, content }) => [path, content]);
    expect(new Map((await texts(memory)) as [string, string][])).toEqual(
      new Map((await texts(twin)) as [string, string][]),
    );
  });

  it("a file that this store has written is written by one command, and the answer is the same", async () => {
    const memory = store.memory(freshAddress());
    const { createdAt } = await memory.write("/a/file", "first text");
    const events = await commandsOf(client, async () =>
      expect(await memory.write("/a/file", "ü")).toMatchObject({ kind: "file", sizeBytes: 2, createdAt }),
    );
    expect(events).toHaveLength(1);
    const { updatedAt } = await memory.write("/a/file", "ü", { ifMissing: "fail" });
    expect(await another.memory(memory.address).stat("/a/file")).toEqual({
      kind: "file",
      sizeBytes: 2,
      createdAt,
      updatedAt,
    });
    await refuses(memory.write("/a/file", "x", { ifExists: "fail" }), "EEXIST");
  });

  it("a file that another process has deleted and made again has a new time of creation in the answer of a write", async () => {
    const memory = await seen();
    const other = another.memory(memory.address);
    await documents.updateOne({ nodeId: memory.address.nodeId }, { $set: { "meta.file.createdAt": new Date(0) } });
    const stale = await commandsOf(client, async () =>
      expect((await memory.write("/file", "x")).createdAt).toEqual(new Date(0)),
    );
    expect(stale.length).toBeLessThanOrEqual(2);
    await other.delete("/file");
    await refuses(memory.write("/file", "x", { ifMissing: "fail" }), "ENOENT");
    const { createdAt } = await memory.write("/file", "y");
    expect(await other.stat("/file")).toMatchObject({ createdAt });
  });

  it("a file that another process has made a directory is not written over", async () => {
    const memory = await seen();
    await another.memory(memory.address).delete("/file");
    await another.memory(memory.address).write("/file/below", "x");
    await refuses(memory.write("/file", "x"), "EISDIR");
    await another.memory(memory.address).delete("/");
    await memory.write("/d/file", "x");
    await another.memory(memory.address).delete("/d");
    await another.memory(memory.address).write("/d", "x");
    await refuses(memory.write("/d/file", "x"), "ENOTDIR");
  });

  it("a file that another process has made a directory is deleted as one", async () => {
    const memory = await seen();
    await memory.read("/file");
    await another.memory(memory.address).delete("/file");
    await another.memory(memory.address).write("/file/below", "x");
    expect(await memory.delete("/file")).toEqual({ files: 1, dirs: 1 });
  });
});

describe("near a limit", () => {
  // Found by the id, a document is refused that may become too large; whether it does is then found out.
  it("a text that takes the place of another still fits", async () => {
    const memory = store.memory(freshAddress(), { maxMemoryBytes: 2000 });
    await memory.write("/file", "x".repeat(1200));
    await memory.write("/file", "y".repeat(1300));
    expect(await memory.read("/file")).toBe("y".repeat(1300));
    await memory.append("/file", "z".repeat(300));
    expect(await memory.read("/file")).toBe(`${"y".repeat(1300)}\n${"z".repeat(300)}`);
    await refuses(memory.write("/other", "x".repeat(400)), "ENOSPC");
    await refuses(memory.append("/file", "x".repeat(400)), "ENOSPC");
  });

  it("a text of as many bytes as a file may hold still fits", async () => {
    const memory = store.memory(freshAddress(), { maxFileBytes: 10 });
    await memory.write("/file", "12345");
    await memory.append("/file", "6789");
    expect(await memory.read("/file")).toBe("12345\n6789");
    await refuses(memory.append("/file", "\n"), "EFBIG");
  });
});

// Requirement: guarantees.one-command-each
it("a refusal is told by two commands", async () => {
  const memory = store.memory(freshAddress());
  await memory.write("/directory/file", "text");
  await memory.write("/empty", "");
  const refused: [MemoryErrorCode, () => Promise<unknown>][] = [
    ["EISDIR", () => memory.append("/directory", "x")],
    ["ENOTDIR", () => memory.append("/directory/file/below", "x")],
    ["ENOTDIR", () => memory.write("/directory/file/below", "x")],
    ["EISDIR", () => memory.write("/directory", "x")],
    ["ENOENT", () => memory.update("/missing", "a", "b")],
    ["EISDIR", () => memory.update("/directory", "a", "b")],
    ["ENOTDIR", () => memory.append("/empty/below", "x")],
    ["ENOTDIR", () => memory.write("/empty/below", "x")],
  ];
  for (const [code, run] of refused) {
    expect((await commandsOf(client, () => refuses(run(), code))).length).toBeLessThanOrEqual(2);
  }
});
