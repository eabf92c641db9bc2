import { beforeAll, describe, expect, it, jest } from "@jest/globals";
import { setTimeout as sleep } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { Collection, MongoClient } from "mongodb";
import { type Memory, MemoryNode, MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { createNamespace } from "../../helpers/addresses.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { getFailure } from "../../helpers/get-failure.js";
import { refuses } from "../../helpers/memory-case.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { createFiles, findPages, putFiles } from "../../helpers/paged-memories.js";
import { readAll } from "../../helpers/read-all.js";
import { isLong } from "../../helpers/repetitions.js";
import { cli } from "../../helpers/run-cli.js";
import { serverApi } from "../../helpers/server-api.js";
import { getHistory } from "../../helpers/store-calls.js";
import { findPageFaults } from "../../helpers/stored-pages.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, db, name: dbName } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const memories = db.collection("memories");
const dayMs = 86_400_000;
const startMs = Date.now();
let nowMs = startMs;
const clock = (): Date => new Date(nowMs);

function openStore(options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore {
  const expireMs = { perUser: dayMs, perThread: 2 * dayMs };
  return new MongoMemoryStore({ client, dbName, clock, expireMs, ...withPageBytes(2000), ...options });
}

const freshUser = () => ({ nodeId: "assistant", scope: "perUser", userId: randomUUID() }) as const;
const ownerOf = ({ address }: Memory): string => (address.scope === "perUser" ? address.userId : "");

/** A memory that is written at the start. */
async function createMemory(store: MongoMemoryStore, files: Record<string, string>): Promise<Memory> {
  nowMs = startMs;
  const memory = store.memory(freshUser());
  await putFiles(store, memory, files);
  return memory;
}

/** Lies in the last page but one of a large memory. */
const file = "/d03/f3";
const small = { [file]: createFiles(60)[file] ?? "" };
const large = createFiles(60);

const describeCount = (found: number, all: number): string =>
  found === 0 ? "nothing" : found === all ? "all" : `${found} of ${all}`;
const isDone = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "all",
    (error: unknown) => ((error as { code?: unknown }).code === "ENOENT" ? "nothing" : String(error)),
  );

type Look = (memory: Memory, store: MongoMemoryStore, files: Record<string, string>) => Promise<string>;

/** Every way to look at a memory. Of a store whose clock is ahead, the last four must not take away what others have. */
const looks: [title: string, look: Look][] = [
  ["read", (memory) => isDone(memory.read(file))],
  ["list", async (memory, _, files) => describeCount((await memory.list("/")).length, files === large ? 6 : 1)],
  ["list of a directory", (memory) => isDone(memory.list("/d03"))],
  ["stat", async (memory) => ((await memory.stat(file)) === null ? "nothing" : "all")],
  [
    "snapshot",
    async (memory, _, files) => describeCount((await memory.snapshot()).files.length, Object.keys(files).length),
  ],
  [
    "outline",
    async (memory, _, files) => describeCount((await memory.outline()).files.length, Object.keys(files).length),
  ],
  ["search", async (memory) => ((await memory.search("words")).length > 0 ? "all" : "nothing")],
  [
    "grep",
    async (memory, _, files) =>
      describeCount((await memory.grep("words", { limit: 100 })).length, Object.keys(files).length),
  ],
  [
    "store.get",
    async ({ address }, store) => ((await store.get(createNamespace(address), file)) === null ? "nothing" : "all"),
  ],
  [
    "store.search of all",
    async (memory, store, files) => {
      const found = await store.search(["memory", "assistant"], { limit: 10_000 });
      const own = found.filter(({ namespace }) => namespace[3] === ownerOf(memory));
      return describeCount(own.length, files === large ? 66 : 2);
    },
  ],
  [
    "store.listNamespaces",
    async (memory, store) => describeCount((await store.listNamespaces({ suffix: [ownerOf(memory)] })).length, 1),
  ],
  [
    "listMemories",
    async (memory, store) => describeCount((await readAll(store.listMemories({ userId: ownerOf(memory) }))).length, 1),
  ],
  [
    "the connector",
    async (memory, store) => {
      const node = new MemoryNode({ store, nodeId: memory.address.nodeId, scope: "perUser" });
      const message = await node.createConnector().renderMessage({ userId: ownerOf(memory) });
      return message?.text.includes("d03") === true ? "all" : "nothing";
    },
  ],
  ["update", (memory) => isDone(memory.update(file, "none", "new"))],
  ["edit", (memory) => isDone(memory.edit(file, (text) => text))],
  ["rename", (memory) => isDone(memory.rename(file, "/d03/moved"))],
  ["delete", async (memory) => describeCount((await memory.delete(file)).files, 1)],
];

const sizes = [
  ["small", small, false],
  ["large", large, true],
  ...(isLong ? ([["small", small, true]] as const) : []),
] as const;

describe.each(sizes)("a %s memory that expires", (_size, files, history) => {
  const options = { history, memoriesCollection: `expiring ${Object.keys(files).length} ${history}` };
  const store = openStore(options);
  /** Knows the pages of every memory before it expires. */
  const other = openStore(options);
  const stored = db.collection(options.memoriesCollection);

  beforeAll(() => store.start());

  it.each(looks)("is found by %s until the last ms, and by nobody from then on", async (_title, look) => {
    const memory = await createMemory(store, files);
    const ofOther = other.memory(memory.address);
    for (const each of [memory, ofOther]) await each.read(file);
    const cold = openStore(options);
    nowMs = startMs + dayMs;
    for (const from of [store, other, cold])
      expect(await look(from.memory(memory.address), from, files)).toBe("nothing");
    nowMs = startMs + dayMs - 1;
    expect(await look(ofOther, other, files)).toBe("all");
  });

  it.each<[string, (memory: Memory) => Promise<unknown>]>([
    ["append", (memory) => memory.append(file, "new")],
    ["write", (memory) => memory.write(file, "new")],
    ["store.put", ({ address }) => store.put(createNamespace(address), file, { content: "new" })],
    ["a batch", (memory) => putFiles(store, memory, { ...files, [file]: "new" })],
  ])("is followed, after %s, by one in which nothing of it is", async (title, change) => {
    const memory = await createMemory(store, files);
    await store.memory(memory.address).write("/d03/old file", "old text");
    nowMs = startMs + dayMs + dayMs / 16;
    await change(memory);
    const snapshot = await memory.snapshot();
    expect(snapshot.files).toHaveLength(title === "a batch" ? Object.keys(files).length : 1);
    expect(snapshot.files.find(({ path }) => path === file)).toMatchObject({ content: "new", createdAt: clock() });
    if (title !== "a batch") expect(snapshot.revision).toBe(1);
    const versions = history ? await readAll(getHistory(memory).list()) : [];
    expect(versions.filter(({ operation }) => operation !== "created")).toEqual([]);
    const pages = (await findPages(stored, memory)).map(({ document }) => document);
    expect(findPageFaults(pages)).toEqual([]);
    const left = await stored.find({ _id: { $regex: ownerOf(memory) } as never }).toArray();
    expect([left.length, JSON.stringify(left).includes("old text")]).toEqual([pages.length, false]);
  });

  it("counts from the last change of anything in it", async () => {
    const memory = await createMemory(store, files);
    nowMs += dayMs - 1;
    await memory.write("/other", "x");
    nowMs += dayMs - 1;
    await memory.update(file, "missing", "x");
    expect(await memory.stat(file)).not.toBeNull();
    nowMs += 1;
    await refuses(memory.read(file), "ENOENT");
  });

  it("lets twenty first writes after it all survive", async () => {
    const memory = await createMemory(store, files);
    nowMs = startMs + dayMs;
    const lines = Array.from({ length: 20 }, (_, index) => `${index}`);
    await Promise.all(
      lines.map((line, index) => (index % 2 ? other.memory(memory.address) : memory).append("/log", line)),
    );
    expect((await memory.read("/log")).split("\n").toSorted()).toEqual(lines.toSorted());
    expect(await memory.stat(file)).toBeNull();
  });
});

it("each scope has a time, and none that is not named", async () => {
  nowMs = startMs;
  const store = openStore();
  const thread = store.memory({ nodeId: "assistant", scope: "perThread", threadId: randomUUID() });
  const global = store.memory({ nodeId: randomUUID() });
  for (const memory of [thread, global]) await memory.write("/a", "x");
  nowMs = startMs + 2 * dayMs - 1;
  expect(await thread.read("/a")).toBe("x");
  nowMs = startMs + 2 * dayMs;
  await refuses(thread.read("/a"), "ENOENT");
  expect(await global.read("/a")).toBe("x");
});

describe("a large memory", () => {
  it("lives on as long as any of its pages changes", async () => {
    const memory = await createMemory(openStore(), large);
    const ofOther = openStore().memory(memory.address);
    const paths = Object.keys(large);
    let count = 0;
    for (let step = 0; step < 40; step += 1) {
      nowMs += dayMs / 20;
      const each = step % 2 === 0 ? memory : ofOther;
      const path = paths[(step * 7) % 60] ?? "";
      const change = (): Promise<unknown> =>
        step % 3 === 0 ? each.edit(path, (text) => `${text}!`) : each.append(path, "x");
      count += (await commandsOf(client, change)).length;
    }
    // A third of the changes loads first. Once in a life, each store looks at all pages again.
    expect(count).toBeLessThan(80);
    expect((await memory.snapshot()).files).toHaveLength(60);
    nowMs += dayMs;
    expect((await memory.snapshot()).files).toHaveLength(0);
  });

  it("keeps its versions as long as any of its pages changes", async () => {
    const memoriesCollection = `kept ${randomUUID()}`;
    const memory = await createMemory(openStore({ memoriesCollection, history: true }), large);
    const versions = db.collection(`${memoriesCollection}_versions`);
    for (let step = 0; step < 6; step += 1) {
      nowMs += dayMs / 2;
      await memory.append(file, "more");
      const [first] = await versions.find().sort({ expiresAt: 1 }).toArray();
      expect(first?.["expiresAt"].getTime()).toBeGreaterThanOrEqual(nowMs + dayMs);
    }
    expect(await readAll(getHistory(memory).list())).toHaveLength(66);
  });
});

describe("a sweep", () => {
  it("removes memories with their pages and versions, and nothing else", async () => {
    const memoriesCollection = `sweep ${randomUUID()}`;
    const options = { memoriesCollection, history: true };
    const own = openStore(options);
    const users: Memory[] = [];
    for (let index = 0; index < 6; index += 1) {
      const memory = await createMemory(own, index % 2 === 0 ? large : small);
      // So many that versions are moved into their collection.
      for (let change = 0; change < 65; change += 1) if (index < 2) await memory.append("/a", "x");
      users.push(memory);
    }
    const [kept, ...others] = users;
    const global = own.memory({ nodeId: "assistant" });
    await putFiles(own, global, large);
    nowMs = startMs + dayMs / 2;
    await kept?.append(file, "kept");
    nowMs = startMs + dayMs;
    const sent = await commandsOf(client, () => global.append(file, "x"));
    expect(sent.map(({ commandName }) => commandName)).not.toContain("delete");
    const sweeps = await Promise.all([own, openStore(options)].map((each) => each.sweepExpired()));
    expect(sweeps.reduce((sum, { memories: count }) => sum + count, 0)).toBe(5);
    const collections = [memoriesCollection, `${memoriesCollection}_versions`];
    const left = await Promise.all(collections.map((name) => db.collection(name).find().toArray()));
    for (const memory of others) expect(JSON.stringify(left)).not.toContain(ownerOf(memory));
    expect([(await global.snapshot()).files.length, (await kept?.snapshot())?.files.length]).toEqual([60, 61]);
    expect(await own.sweepExpired()).toEqual({ memories: 0 });
  });

  it.each([
    { kept: "with the same lifetime", expireMs: { perUser: dayMs }, history: true },
    { kept: "without a lifetime", expireMs: {}, history: true },
    { kept: "with a history of its own", expireMs: { perUser: dayMs }, history: false },
  ])("removes the versions that a store $kept has kept of memories that are gone", async ({ expireMs, history }) => {
    const memoriesCollection = `gone ${randomUUID()}`;
    const keeper = openStore({ memoriesCollection, expireMs, history: true });
    const appendOften = async (memory: Memory): Promise<void> => {
      // So many that versions are moved into their collection.
      for (let change = 0; change < 65; change += 1) await memory.append("/a", "x");
    };
    nowMs = startMs;
    const [present, gone, replaced] = [1, 2, 3].map(() => keeper.memory(freshUser())) as [Memory, Memory, Memory];
    for (const memory of [present, gone, replaced]) await appendOften(memory);
    const stored = db.collection(memoriesCollection);
    // As MongoDB does after their end.
    await stored.deleteMany({ userId: { $in: [gone, replaced].map(ownerOf) } });
    nowMs = startMs + dayMs / 2;
    await present.append("/a", "x");
    nowMs = startMs + dayMs;
    await appendOften(replaced);
    expect(await openStore({ memoriesCollection, history }).sweepExpired()).toEqual({ memories: 0 });
    const versionIds = await db.collection(`${memoriesCollection}_versions`).distinct("_id");
    const withVersions = versionIds.map((id) => String(id).split(".")[0]);
    const incarnations = (await stored.find().toArray()).map(({ key }) => String(key));
    expect(new Set(withVersions)).toEqual(new Set(incarnations));
    const listed = [present, replaced].map(async (memory) => (await readAll(getHistory(memory).list())).length);
    expect(await Promise.all(listed)).toEqual([66, 65]);
  });

  it("goes on after a memory that it cannot remove", async () => {
    const own = openStore({ memoriesCollection: `failing ${randomUUID()}` });
    for (let count = 0; count < 2; count += 1) await createMemory(own, large);
    nowMs = startMs + dayMs;
    const removal = jest.spyOn(Collection.prototype, "findOneAndDelete");
    removal.mockImplementationOnce(() => Promise.reject(new Error("refused")));
    await refuses(own.sweepExpired(), "EIO");
    removal.mockRestore();
    expect(await own.sweepExpired()).toEqual({ memories: 1 });
  });

  it("is left large memories by MongoDB, which removes small ones alone", async () => {
    const mongod = await privateMongod("replicaSet", { args: ["--setParameter", "ttlMonitorSleepSecs=1"] });
    const own = useClient(new MongoClient(mongod.uri));
    const options = { client: own, dbName: "app", clock: () => new Date() };
    const aged = openStore({ ...options, clock: () => new Date(Date.now() - 2 * dayMs) });
    await aged.start();
    // Otherwise MongoDB would remove the head while it is alone.
    await own.db("admin").command({ setParameter: 1, ttlMonitorEnabled: false });
    const [two, one] = [aged.memory(freshUser()), aged.memory(freshUser())];
    await putFiles(aged, two, large);
    await one.write("/a", "text");
    await own.db("admin").command({ setParameter: 1, ttlMonitorEnabled: true });
    const stored = own.db("app").collection("memories");
    while ((await stored.countDocuments({ ...one.address })) > 0) await sleep(50);
    expect((await two.snapshot()).files).toHaveLength(60);
    expect(await openStore(options).sweepExpired()).toEqual({ memories: 1 });
    expect(await stored.countDocuments()).toBe(0);
  });
});

describe.each<[string, NonNullable<MongoMemoryStoreOptions["expireMs"]>]>([
  ["no lifetime", {}],
  ["a longer lifetime", { perUser: 3000 * dayMs }],
])("a large memory whose other pages a store with %s has changed every day", (_kind, expireMs) => {
  const writer = openStore({ expireMs });
  /** Its head has not changed for 40 days, and another page not for an hour. */
  let used: Memory;
  let lastMs = 0;

  beforeAll(async () => {
    used = await createMemory(writer, large);
    for (let day = 0; day < 40; day += 1) {
      nowMs += dayMs;
      await used.append(file, "used");
    }
    lastMs = nowMs;
  });

  /** A copy of it in a collection of its own, as it is at this time, by a store with a lifetime of 30 days. */
  async function openCopy(atMs: number): Promise<{ memory: Memory; store: MongoMemoryStore }> {
    const memoriesCollection = `used ${randomUUID()}`;
    const ofOwner = { _id: { $regex: ownerOf(used) } };
    await memories.aggregate([{ $match: ofOwner }, { $out: memoriesCollection }]).toArray();
    nowMs = atMs;
    const store = openStore({ expireMs: { perUser: 30 * dayMs }, memoriesCollection });
    return { memory: store.memory(used.address), store };
  }

  it.each(looks)(
    "is found by %s of a store with a shorter one until that has passed since the last change",
    async (_title, look) => {
      for (const [atMs, expected] of [
        [lastMs + 30 * dayMs, "nothing"],
        [lastMs + 30 * dayMs - 1, "all"],
      ] as const) {
        const { memory, store } = await openCopy(atMs);
        expect(await look(memory, store, large)).toBe(expected);
      }
    },
  );

  it.each<[string, (memory: Memory, store: MongoMemoryStore) => Promise<unknown>]>([
    ["append", (memory) => memory.append("/d04/f4", "more")],
    ["append in the head", (memory) => memory.append("/d00/f0", "more")],
    ["write of a new file", (memory) => memory.write("/d04/new", "more")],
    ["edit", (memory) => memory.edit("/d04/f4", (old) => `${old}more`)],
    ["rename", (memory) => memory.rename("/d04/f4", "/d04/f4 more")],
    ["store.put", ({ address }, store) => store.put(createNamespace(address), "/d04/f4", { content: "more" })],
    ["sweepExpired", async (_memory, store) => expect(await store.sweepExpired()).toEqual({ memories: 0 })],
  ])("is kept by %s of a store with a shorter one", async (_title, change) => {
    const { memory, store } = await openCopy(lastMs + dayMs / 24);
    await change(memory, store);
    expect((await memory.snapshot()).files.length).toBeGreaterThanOrEqual(60);
    expect(await memory.read(file)).toMatch(/used$/);
  });

  it("gives its directories the time of the last change", async () => {
    const namespace = createNamespace(used.address);
    const found = await writer.search(namespace, { limit: 100 });
    for (const item of [await writer.get(namespace, "/d01/"), found.find(({ key }) => key === "/d01/")])
      expect(item?.updatedAt).toEqual(new Date(lastMs));
  });
});

it("a large archive with old times lives from its restore on", async () => {
  nowMs = startMs - 700 * dayMs;
  const address = freshUser();
  const old = openStore({ memoriesCollection: "archived", expireMs: {} }).memory(address);
  for (let number = 0; number < 5; number += 1) await old.write(`/f${number}`, "x".repeat(100_000));
  const target = (collection: string): string[] => ["--uri", uri, "--db", dbName, "--memories-collection", collection];
  const { stdout } = await cli(["export", "-", "--all", ...target("archived")]);
  expect(await cli(["import", "-", ...target("restored")], { stdin: stdout })).toMatchObject({ exitCode: 0 });
  const store = openStore({ memoriesCollection: "restored" });
  const memory = store.memory(address);
  const restoredMs = Date.now();
  for (const [afterMs, fileCount] of [
    [dayMs / 2, 5],
    [2 * dayMs, 0],
  ] as const) {
    nowMs = restoredMs + afterMs;
    expect(await memory.list("/")).toHaveLength(fileCount);
    expect(await store.sweepExpired()).toEqual({ memories: fileCount === 0 ? 1 : 0 });
    expect((await findPages(db.collection("restored"), memory)).length > 1).toBe(fileCount > 0);
  }
});

describe("the option expireMs", () => {
  it("costs no command: it is a part of the look-up of a change, and reads go by the id alone", async () => {
    nowMs = startMs;
    const address = freshUser();
    const filters = async (expireMs: NonNullable<MongoMemoryStoreOptions["expireMs"]>): Promise<unknown[]> => {
      const memory = openStore({ expireMs }).memory(address);
      await memory.write("/a", "x");
      const calls = () => Promise.all([memory.read("/a"), memory.append("/a", "x"), memory.list("/")]);
      const sent = await commandsOf(client, calls);
      return sent.map(({ command: { filter, query, updates } }) => (filter ?? query ?? updates[0].q) as unknown);
    };
    const byId = { _id: expect.stringContaining(`${address.userId}\u0001perUser\u0001${address.nodeId}\u0001`) };
    expect(await filters({})).toEqual([1, 2, 3].map(() => byId));
    const present = { ...byId, $nor: [{ hi: null, updatedAt: { $lte: new Date(nowMs - dayMs) } }] };
    const sent = await filters({ perUser: dayMs });
    expect([sent.length, sent]).toEqual([3, expect.arrayContaining([byId, present])]);
  });

  it.each([
    [{ perUser: 0 }],
    [{ perUser: 1.5 }],
    [{ perThread: 11 * 365 * dayMs }],
    [{ global: "1 day" }],
    [{ perNode: 5 }],
    [5],
  ])("refuses %j with a TypeError that names it", (expireMs) => {
    expect(() => openStore({ expireMs: expireMs as never })).toThrow(/expireMs/);
    expect(() => openStore({ expireMs: expireMs as never })).toThrow(TypeError);
  });
});

describe("the indexes of expireMs", () => {
  const strict = useClient(new MongoClient(uri, { serverApi }));
  const ttlIndexes = async (collection: string) =>
    (await db.collection(collection).indexes()).filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
  const start = (
    memoriesCollection: string,
    expireMs: NonNullable<MongoMemoryStoreOptions["expireMs"]>,
  ): Promise<void> => openStore({ client: strict, memoriesCollection, expireMs }).start();

  it("are one for each scope with a lifetime, in whole seconds, and changed where it changes", async () => {
    await start("changed", { perUser: 1001 });
    const index = {
      v: 2,
      name: "expire_per_user",
      key: { updatedAt: 1 },
      partialFilterExpression: { scope: "perUser", nodeId: { $type: "string" }, hi: null },
    };
    expect(await ttlIndexes("changed")).toEqual([{ ...index, expireAfterSeconds: 2 }]);
    await start("changed", { perUser: dayMs });
    await start("changed", { perUser: dayMs });
    expect(await ttlIndexes("changed")).toEqual([{ ...index, expireAfterSeconds: 86_400 }]);
    await start("changed", { global: dayMs, perThread: dayMs, perUser: dayMs });
    const names = ["expire_global", "expire_per_thread", "expire_per_user"];
    expect((await ttlIndexes("changed")).map(({ name }) => String(name)).toSorted()).toEqual(names);
    await start("changed", {});
    expect(await ttlIndexes("changed")).toHaveLength(3);
  });

  it.each<[string, object, object]>([
    ["without a lifetime", { updatedAt: 1 }, {}],
    ["on another field", { createdAt: 1 }, { expireAfterSeconds: 5 }],
    ["of all scopes", { updatedAt: 1 }, { expireAfterSeconds: 5 }],
  ])("are never made of another index of that name %s", async (title, key, options) => {
    await db.collection(title).createIndex(key as never, { name: "expire_per_user", ...options });
    const before = await db.collection(title).indexes();
    expect(await getFailure(start(title, { perUser: 1 }))).toMatchObject({
      code: "EIO",
      message: expect.stringMatching(/conflict.*expire_per_user/),
    });
    expect(await db.collection(title).indexes()).toEqual(expect.arrayContaining(before));
  });

  it("need further rights for another lifetime only, and MongoDB sweeps by them", async () => {
    const mongod = await privateMongod("standalone", { auth: true, args: ["--setParameter", "ttlMonitorSleepSecs=1"] });
    const admin = useClient(new MongoClient(mongod.uri));
    const actions = ["find", "insert", "update", "remove", "createIndex"];
    const privileges = ["memories", "items"].map((collection) => ({ resource: { db: "app", collection }, actions }));
    const login = (name: string, authSource: string): MongoClient =>
      useClient(new MongoClient(mongod.uri, { auth: { username: name, password: name }, authSource }));
    await admin.db("admin").command({ createUser: "root", pwd: "root", roles: ["root"] });
    const root = login("root", "admin");
    const app = root.db("app");
    await app.command({ createRole: "memory", privileges, roles: [] });
    await app.command({ createUser: "agent", pwd: "agent", roles: ["memory"] });
    const agent = login("agent", "app");
    const open = (by: MongoClient, expireMs: { perUser?: number }): MongoMemoryStore =>
      new MongoMemoryStore({ client: by, dbName: "app", expireMs });
    // The versions belong to another program, if there are any.
    expect(await open(agent, { perUser: dayMs }).sweepExpired()).toEqual({ memories: 0 });
    expect(await getFailure(open(agent, { perUser: 1000 }).start())).toMatchObject({
      code: "EIO",
      message: expect.stringMatching(/expire_per_user.*another lifetime.*grant listIndexes and collMod/),
    });
    await open(root, { perUser: 1000 }).start();
    const unlimited = open(agent, {});
    const swept = freshUser();
    for (const address of [swept, { nodeId: swept.nodeId }]) await unlimited.memory(address).write("/a", "x");
    while ((await app.collection("memories").countDocuments({ userId: swept.userId })) > 0) await sleep(50);
    expect(await readAll(unlimited.listMemories())).toHaveLength(1);
  });
});
