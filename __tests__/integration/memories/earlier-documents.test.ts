import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { Collection, ObjectId } from "mongodb";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { checkAddress } from "../../../src/core/values/address.js";
import { createUnlimitedCall } from "../../../src/core/runtime/call.js";
import { rewriteEarlierHead } from "../../../src/mongodb/memories/documents/earlier-documents.js";
import { openCollections } from "../../../src/mongodb/memories/collections.js";
import { openContext } from "../../../src/mongodb/memories/memory-context.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { refuses } from "../../helpers/memory-case.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { createFiles, findPages, putFiles } from "../../helpers/paged-memories.js";
import { findPageFaults } from "../../helpers/stored-pages.js";
import { readAll } from "../../helpers/read-all.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase, type TestDatabase } from "../../helpers/test-database.js";

/*
 * Documents of the earlier system have nested data and no revision. Heads of version 0.1.0 have the present form, but
 * an ObjectId as `_id`, to which their versions belong.
 */

const nested = { today: "hello", notes: { week: { monday: "a\n", tuesday: "b" }, empty: {} } };
const nestedFiles = { "/notes/week/monday": "a\n", "/notes/week/tuesday": "b", "/today": "hello" };

function openStore({ client, name: dbName }: TestDatabase): MongoMemoryStore {
  return new MongoMemoryStore({ client, dbName, history: true, ...withPageBytes(2000) });
}

const textsOf = async (memory: Memory): Promise<Record<string, string>> =>
  Object.fromEntries((await memory.snapshot()).files.map(({ path, content }) => [path, content]));

const freshUser = () => ({ nodeId: "old", scope: "perUser", userId: randomUUID() }) as const;

/** Stores a document of the earlier system. */
async function createNested({ db }: TestDatabase, data: unknown = nested): Promise<Memory["address"]> {
  const address = freshUser();
  await db.collection("memories").insertOne({ ...address, data, dirs: { made: true } });
  return address;
}

/**
 * Makes of the head of a memory what version 0.1.0 would have stored. The server does it, because the driver takes some
 * names of files for marks of its own.
 */
async function toEarlierRelease({ db }: TestDatabase, { address }: Memory): Promise<ObjectId> {
  const [collection, copied] = [db.collection("memories"), db.collection("copied")];
  const ofEarlier = { $mergeObjects: ["$$ROOT", { _id: "$key" }] };
  const copy = [{ $match: { ...address } }, { $replaceWith: ofEarlier }, { $unset: "key" }, { $out: "copied" }];
  await collection.aggregate(copy).toArray();
  await collection.deleteOne({ ...address });
  await copied.aggregate([{ $merge: "memories" }]).toArray();
  return (await collection.findOne({ ...address }))?._id ?? new ObjectId();
}

const migrate = (database: TestDatabase): string[] => [
  "migrate",
  "earlier-format",
  "--uri",
  database.uri,
  "--db",
  database.name,
];

afterEach(() => void jest.restoreAllMocks());

describe.each(["replicaSet", "standalone"] as const)("a memory of an earlier format on a %s", (topology) => {
  it("is refused by every call, which names the command, until that has rewritten it once", async () => {
    const database = testDatabase(topology);
    const address = await createNested(database);
    const memory = openStore(database).memory(address);
    for (const call of [
      () => memory.read("/today"),
      () => memory.list("/"),
      () => memory.append("/today", "x"),
      () => memory.snapshot(),
      () => readAll(memory.history?.list() ?? []),
      () => readAll(openStore(database).listMemories()),
      () => openStore(database).start(),
      () => openStore(database).forget(address),
    ])
      await expect(call()).rejects.toMatchObject({
        code: "EIO",
        message: expect.stringMatching(
          /rewrite them with the command `langgraph-mongo-memory migrate earlier-format`$/,
        ),
      });
    expect(await cliJson([...migrate(database), "--dry-run"])).toMatchObject({ rewritten: 1 });
    expect(await cliJson(migrate(database))).toMatchObject({ rewritten: 1 });
    expect((await cli(migrate(database))).stdout).toBe("rewrote: 0 memories\n");
    expect(await textsOf(memory)).toEqual(nestedFiles);
    expect((await memory.snapshot()).directories).toEqual(["/made", "/notes", "/notes/empty", "/notes/week"]);
    await memory.append("/notes/week/monday", "c");
    expect(await memory.read("/notes/week/monday")).toBe("a\nc");
  });

  it("keeps its versions and its incarnation, and can grow", async () => {
    const database = testDatabase(topology);
    const store = openStore(database);
    const memory = store.memory(freshUser());
    await memory.write("/a", "one");
    await memory.history?.redact({ text: "no such text" });
    await memory.append("/a", "two");
    const id = await toEarlierRelease(database, memory);
    await cliJson(migrate(database));
    const pages = database.db.collection("memories");
    expect(await pages.findOne({ ...memory.address })).toMatchObject({ _id: expect.any(String), key: id });
    expect((await memory.history?.blame("/a"))?.map(({ text }) => text)).toEqual(["one", "two"]);
    await putFiles(store, memory, createFiles(60));
    const documents = (await findPages(pages, memory)).map(({ document }) => document);
    expect(findPageFaults(documents)).toEqual([]);
    expect((await readAll(memory.history?.list({ path: "/a" }) ?? [])).map(({ operation }) => operation)).toEqual([
      "modified",
      "created",
    ]);
  });

  it("may have files whose names the driver takes for marks of its own", async () => {
    const database = testDatabase(topology);
    const address = await createNested(
      database,
      new Map<string, unknown>([
        ["_bsontype", "Long"],
        ["notes", new Map([["_bsontype", "ObjectId"]])],
      ]),
    );
    const memory = openStore(database).memory(freshUser());
    await cliJson(migrate(database));
    const names = { "/_bsontype": "Long", "/__proto__": "text", "/notes/_bsontype": "ObjectId", "/$id": "x" };
    for (const [path, text] of Object.entries(names)) await memory.write(path, text);
    await toEarlierRelease(database, memory);
    await cliJson(migrate(database));
    expect(await textsOf(openStore(database).memory(address))).toEqual({
      "/_bsontype": "Long",
      "/notes/_bsontype": "ObjectId",
    });
    expect(await textsOf(memory)).toEqual(names);
  });
});

it("a rewrite on a standalone that is interrupted loses nothing, and the next one ends it", async () => {
  const database = testDatabase("standalone");
  const memories = database.db.collection("memories");
  const interrupted: ("updateOne" | "deleteMany")[] = ["deleteMany", "updateOne"];
  for (const method of interrupted) {
    const address = await createNested(database);
    const play = jest.spyOn(Collection.prototype, method);
    // Two updates: the copy, and its address.
    if (method === "updateOne")
      play.mockImplementationOnce(async function (this: Collection, ...args: never[]) {
        play.mockRejectedValueOnce(new Error("killed"));
        return (this as unknown as { updateMany: (...all: never[]) => Promise<never> }).updateMany(...args);
      } as never);
    else play.mockRejectedValueOnce(new Error("killed"));
    expect((await cli(migrate(database))).exitCode).not.toBe(0);
    play.mockRestore();
    expect(await memories.countDocuments({ $or: [{ ...address }, { nodeId: null }] })).toBe(
      method === "deleteMany" ? 2 : 1,
    );
    expect(await cliJson(migrate(database))).toMatchObject({ rewritten: 1, addresses: [address] });
    expect(await memories.countDocuments({ nodeId: null })).toBe(0);
    expect(await textsOf(openStore(database).memory(address))).toEqual(nestedFiles);
  }
});

it("a rewrite keeps what others change meanwhile", async () => {
  for (const topology of ["replicaSet", "standalone"] as const) {
    const database = testDatabase(topology);
    const memories = database.db.collection("memories");
    const address = await createNested(database);
    const context = openCollections({
      db: database.db,
      client: database.client,
      collectionName: "memories",
      connect: () => undefined,
      clock: () => new Date(),
      expireMs: {},
      history: null,
      embeddings: null,
      makesIndexes: false,
    });
    const play = jest.spyOn(Collection.prototype, "deleteMany");
    play.mockImplementationOnce(async function (this: Collection, ...args) {
      play.mockRestore();
      await memories.updateOne({ ...address }, { $set: { "data.today": "changed" } });
      return this.deleteMany(...args);
    });
    expect(await rewriteEarlierHead(openContext(context, checkAddress(address)), createUnlimitedCall())).toBe(true);
    expect(await textsOf(openStore(database).memory(address))).toEqual({ ...nestedFiles, "/today": "changed" });
  }
});

it("a store looks for earlier formats once, and a write that meets one later is refused", async () => {
  const database = testDatabase("replicaSet");
  const store = openStore(database);
  const memory = store.memory(freshUser());
  await memory.write("/a", "x");
  expect((await commandsOf(database.client, () => memory.read("/a"))).length).toBeLessThan(2);
  const address = await createNested(database);
  await refuses(store.memory(address).write("/today", "new"), "EIO");
  await refuses(store.memory(address).append("/other", "new"), "EIO");
  expect(await database.db.collection("memories").findOne({ ...address })).toMatchObject({ data: nested });
});
