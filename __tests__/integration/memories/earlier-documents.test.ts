import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { Collection, type Db, ObjectId } from "mongodb";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { createFiles, findPages, putFiles } from "../../helpers/paged-memories.js";
import { findPageFaults, readStoredPages } from "../../helpers/stored-pages.js";
import { readAll } from "../../helpers/read-all.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";

/*
 * Documents of the earlier system have nested data and no revision. Heads of the release before have the present form,
 * but an ObjectId as `_id`, to which their versions belong.
 */

const replicaSet = testDatabase("replicaSet");
const standalone = testDatabase("standalone");
const { db } = replicaSet;
const memories = db.collection("memories");

const nested = { today: "hello", notes: { week: { monday: "a\n", tuesday: "b" }, empty: {} } };
const nestedFiles = { "/notes/week/monday": "a\n", "/notes/week/tuesday": "b", "/today": "hello" };

type Database = Pick<typeof replicaSet, "client" | "name">;

function openStore({ client, name: dbName }: Database, history = false): MongoMemoryStore {
  return new MongoMemoryStore({ client, dbName, history, ...withPageBytes(2000) });
}

const textsOf = async (memory: Memory): Promise<Record<string, string>> =>
  Object.fromEntries((await memory.snapshot()).files.map(({ path, content }) => [path, content]));

const freshUser = () => ({ nodeId: "old", scope: "perUser", userId: randomUUID() }) as const;

/** Stores a document of the earlier system. */
async function createNested(
  of: Db,
  store: MongoMemoryStore,
  data: object = nested,
): Promise<{ memory: Memory; id: ObjectId }> {
  const address = freshUser();
  const id = new ObjectId();
  await of.collection("memories").insertOne({ _id: id, ...address, data, dirs: { made: true } });
  return { memory: store.memory(address), id };
}

/**
 * Makes of the head of a memory what the release before would have stored. The server does it, because the driver takes
 * some names of files for marks of its own.
 */
async function toEarlierRelease(of: Db, { address }: Memory): Promise<ObjectId> {
  const [collection, copied] = [of.collection("memories"), of.collection("copied")];
  const ofEarlier = { $mergeObjects: ["$$ROOT", { _id: "$key" }] };
  const copy = [{ $match: { ...address } }, { $replaceWith: ofEarlier }, { $unset: "key" }, { $out: "copied" }];
  await collection.aggregate(copy).toArray();
  await collection.deleteOne({ ...address });
  await copied.aggregate([{ $merge: "memories" }]).toArray();
  const head = await collection.findOne({ ...address }, { projection: { _id: 1 } });
  expect(head?._id).toBeInstanceOf(ObjectId);
  return head?._id ?? new ObjectId();
}

/** A memory of the release before with a history, in the collection of versions and in its head. */
async function createEarlier(store: MongoMemoryStore): Promise<{ memory: Memory; id: ObjectId }> {
  const memory = store.memory(freshUser()).with({ actor: { userId: "ada" } });
  await memory.write("/a", "one");
  await memory.write("/notes/b", "text");
  await memory.history?.redact({ text: "no such text" });
  await memory.append("/a", "two");
  const id = await toEarlierRelease(db, memory);
  return { memory, id };
}

/** The versions of all files but those of `createFiles`, newest first. */
async function versionsOf({ history }: Memory): Promise<unknown[]> {
  const own = (await readAll(history?.list() ?? [])).filter(({ path }) => !/^\/d\d/.test(path));
  return Promise.all(own.map(async ({ id, operation, path }) => [operation, path, (await history?.read(id))?.content]));
}

const earlierVersions = [
  ["modified", "/a", "one\ntwo"],
  ["created", "/notes/b", "text"],
  ["created", "/a", "one"],
];

afterEach(() => void jest.restoreAllMocks());

describe("a document of the earlier system", () => {
  const store = openStore(replicaSet);

  it("is read whole, and rewritten flat by its first change", async () => {
    const { memory, id } = await createNested(db, store);
    expect(await textsOf(memory)).toEqual(nestedFiles);
    expect((await memory.snapshot()).directories).toEqual(["/made", "/notes", "/notes/empty", "/notes/week"]);
    await memory.append("/notes/week/monday", "c");
    const document = await memories.findOne({ ...memory.address });
    expect(document).toMatchObject({ _id: id, data: { "notes.week.monday": "a\nc", today: "hello" } });
    expect(document?.["revision"]).toBeGreaterThan(0);
  });

  it.each<[string, (memory: Memory) => Promise<unknown>, Record<string, string | undefined>]>([
    ["a write", (memory) => memory.write("/today", "new"), { "/today": "new" }],
    [
      "a rename",
      (memory) => memory.rename("/notes/week/monday", "/moved"),
      { "/notes/week/monday": undefined, "/moved": "a\n" },
    ],
    [
      "a delete",
      (memory) => memory.delete("/notes"),
      { "/notes/week/monday": undefined, "/notes/week/tuesday": undefined },
    ],
    ["a batch that makes pages", (memory) => putFiles(store, memory, createFiles(60)), createFiles(60)],
  ])("loses nothing by %s", async (_title, change, changed) => {
    const { memory } = await createNested(db, store);
    await change(memory);
    const expected = Object.entries({ ...nestedFiles, ...changed }).filter(([, text]) => text !== undefined);
    expect(await textsOf(memory)).toEqual(Object.fromEntries(expected));
    expect(findPageFaults(await readStoredPages(memories, memory.address))).toEqual([]);
  });

  it("that is larger than a page becomes pages, whose head has a new id", async () => {
    const large = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`file ${index}`, `${index} `.repeat(50)]),
    );
    const { memory, id } = await createNested(db, store, { ...nested, large });
    await memory.append("/today", "more");
    const pages = await findPages(memories, memory);
    expect(pages.length).toBeGreaterThan(3);
    expect(findPageFaults(pages.map(({ document }) => document))).toEqual([]);
    expect(pages[0]?.document).toMatchObject({ _id: expect.any(String), key: id });
    expect(Object.keys(await textsOf(memory))).toHaveLength(53);
    expect(await memories.countDocuments({ ...memory.address })).toBe(1);
  });

  it("loses nothing when many first changes race", async () => {
    const { memory } = await createNested(db, store);
    const others = Array.from({ length: 3 }, () => openStore(replicaSet).memory(memory.address));
    await Promise.all([
      ...Array.from({ length: 30 }, (_, index) => others[index % 3]?.append("/today", `line ${index}`)),
      ...Array.from({ length: 30 }, (_, index) =>
        others[index % 3]?.write(`/new ${index % 5}/${index}`, "x".repeat(200)),
      ),
    ]);
    const texts = await textsOf(memory);
    expect(new Set(texts["/today"]?.split("\n"))).toEqual(
      new Set(["hello", ...Array.from({ length: 30 }, (_, index) => `line ${index}`)]),
    );
    expect(Object.keys(texts)).toHaveLength(33);
    const pages = await findPages(memories, memory);
    expect(pages.length).toBeGreaterThan(2);
    expect(findPageFaults(pages.map(({ document }) => document))).toEqual([]);
  });
});

describe("a head of the release before", () => {
  const store = openStore(replicaSet, true);

  it("is read and changed where it is, with its versions", async () => {
    const { memory, id } = await createEarlier(store);
    expect(await versionsOf(memory)).toEqual(earlierVersions);
    await memory.update("/a", "one", "1");
    await memory.rename("/notes", "/moved");
    expect(await textsOf(memory)).toEqual({ "/a": "1\ntwo", "/moved/b": "text" });
    expect((await memories.findOne({ ...memory.address }))?._id).toEqual(id);
    expect((await versionsOf(memory)).slice(2)).toEqual(earlierVersions);
  });

  it("keeps its versions when it grows into pages, and its incarnation", async () => {
    const { memory, id } = await createEarlier(store);
    await putFiles(store, memory, createFiles(60));
    const pages = await findPages(memories, memory);
    expect(findPageFaults(pages.map(({ document }) => document))).toEqual([]);
    expect(pages[0]?.document).toMatchObject({ _id: expect.any(String), key: id });
    expect(await versionsOf(memory)).toEqual(earlierVersions);
    await memory.append("/a", "three");
    expect((await memory.history?.blame("/a"))?.map(({ text }) => text)).toEqual(["one", "two", "three"]);
    const cold = openStore(replicaSet, true).memory(memory.address);
    expect((await versionsOf(cold)).slice(1)).toEqual(earlierVersions);
    expect(await store.forget(memory.address)).toEqual({ memories: 1, files: 62, versions: 64, proposals: 0 });
  });

  it("keeps its versions when they are moved while it gets its new id", async () => {
    const { memory } = await createEarlier(store);
    const other = openStore(replicaSet, true);
    const settle = jest.spyOn(Collection.prototype, "updateOne");
    settle.mockImplementationOnce(async function (this: Collection, ...args) {
      settle.mockRestore();
      await putFiles(other, other.memory(memory.address), createFiles(60));
      return this.updateOne(...args);
    });
    // It first moves all versions.
    await memory.history?.redact({ text: "no such text" });
    expect(await versionsOf(memory)).toEqual(earlierVersions);
  });

  it("may have files whose names the driver takes for marks of its own", async () => {
    const plain = openStore(replicaSet);
    const memory = plain.memory(freshUser());
    const names = { "/_bsontype": "Long", "/__proto__": "text", "/notes/_bsontype": "ObjectId", "/$id": "x" };
    for (const [path, text] of Object.entries(names)) await memory.write(path, text);
    await toEarlierRelease(db, memory);
    expect(await textsOf(memory)).toEqual(names);
    await putFiles(plain, memory, createFiles(60));
    expect(await textsOf(memory)).toEqual({ ...createFiles(60), ...names });
  });

  it("loses no change and no version when it grows while others change it", async () => {
    const { memory } = await createEarlier(store);
    const others = Array.from({ length: 3 }, () => openStore(replicaSet, true).memory(memory.address));
    await Promise.all([
      ...Array.from({ length: 30 }, (_, index) => others[index % 3]?.append("/a", `line ${index}`)),
      ...Array.from({ length: 20 }, (_, index) => others[index % 3]?.write(`/new/${index}`, "x".repeat(300))),
    ]);
    expect((await memory.read("/a")).split("\n")).toHaveLength(32);
    expect(await readAll(memory.history?.list() ?? [])).toHaveLength(53);
    expect((await findPages(memories, memory)).length).toBeGreaterThan(2);
    expect((await versionsOf(memory)).slice(-2)).toEqual(earlierVersions.slice(-2));
  });
});

describe("migrate earlier-format", () => {
  const migrate = (database: Database & { uri: string }): string[] => [
    "migrate",
    "earlier-format",
    "--uri",
    database.uri,
    "--db",
    database.name,
  ];

  it("gives documents of both kinds the present form where there are transactions", async () => {
    const database = testDatabase("replicaSet");
    const store = openStore(database, true);
    const { memory: old, id } = await createNested(database.db, store);
    const before = store.memory(freshUser());
    await before.write("/a", "text");
    const earlierId = await toEarlierRelease(database.db, before);
    await store.memory(freshUser()).write("/a", "text");
    expect(await cliJson([...migrate(database), "--dry-run"])).toMatchObject({ rewritten: 2 });
    expect(await cliJson(migrate(database))).toMatchObject({ rewritten: 2 });
    expect((await cli(migrate(database))).stdout).toBe("rewrote: 0 memories\n");
    const collection = database.db.collection("memories");
    const present = { _id: expect.any(String), revision: expect.any(Number) };
    expect(await collection.findOne({ ...old.address })).toMatchObject({ ...present, key: id });
    expect(await collection.findOne({ ...before.address })).toMatchObject({ ...present, key: earlierId });
    expect(await textsOf(old)).toEqual(nestedFiles);
    expect(await readAll(before.history?.list() ?? [])).toHaveLength(1);
    expect(await collection.countDocuments()).toBe(3);
  });

  it("rewrites nested data alone on a standalone server, whose heads keep their ids", async () => {
    const store = openStore(standalone, true);
    const { memory: old, id } = await createNested(standalone.db, store);
    const before = store.memory(freshUser());
    await before.write("/a", "text");
    const earlierId = await toEarlierRelease(standalone.db, before);
    expect(await cliJson([...migrate(standalone), "--dry-run"])).toMatchObject({ rewritten: 1 });
    expect(await cliJson(migrate(standalone))).toMatchObject({ rewritten: 1 });
    expect(await cliJson([...migrate(standalone), "--dry-run"])).toMatchObject({ rewritten: 0 });
    const collection = standalone.db.collection("memories");
    expect(await collection.findOne({ ...old.address })).toMatchObject({ _id: id, revision: 0 });
    expect((await collection.findOne({ ...before.address }))?._id).toEqual(earlierId);
    await before.append("/a", "more");
    expect(await textsOf(old)).toEqual(nestedFiles);
    expect(await readAll(before.history?.list() ?? [])).toHaveLength(2);
  });
});
