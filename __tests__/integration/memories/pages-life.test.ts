import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { calculateObjectSize } from "bson";
import { Collection, MongoClient } from "mongodb";
import { type Memory, MemoryNode, MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { createNamespace } from "../../helpers/addresses.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { refuses } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { createFiles, findPages, putFiles } from "../../helpers/paged-memories.js";
import { findPageFaults } from "../../helpers/stored-pages.js";
import { readAll } from "../../helpers/read-all.js";
import { cli } from "../../helpers/run-cli.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName, db } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const memories = db.collection("memories");
const dayMs = 86_400_000;
const startMs = Date.now();
let nowMs = startMs;
const clock = (): Date => new Date(nowMs);

function openStore(options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore {
  const expireMs = { perUser: dayMs };
  return new MongoMemoryStore({ client, dbName, clock, expireMs, ...withPageBytes(2000), ...options });
}

const freshUser = () => ({ nodeId: "assistant", scope: "perUser", userId: randomUUID() }) as const;
const ownerOf = ({ address }: Memory): string => (address.scope === "perUser" ? address.userId : "");

/** A memory of many pages that is written at the start. */
async function createMemory(store: MongoMemoryStore, address: Memory["address"] = freshUser()): Promise<Memory> {
  nowMs = startMs;
  const memory = store.memory(address);
  await putFiles(store, memory, createFiles(60));
  expect((await findPages(memories, memory)).length).toBeGreaterThan(7);
  return memory;
}

/** Everything that is stored of all memories. */
async function storedBytes(): Promise<string> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  return JSON.stringify(await Promise.all(collections.map(({ name }) => db.collection(name).find().toArray())));
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** The head, and a page in the middle. */
const files = ["/d00/f0", "/d03/f3"];

type Look = (memory: Memory, from: MongoMemoryStore) => Promise<unknown>;
const looks: [title: string, look: Look, present: unknown, gone: unknown][] = [
  [
    "read",
    (memory) => Promise.all(files.map(async (path) => (await memory.read(path).catch(codeOf))?.toString().slice(0, 4))),
    ["note", "note"],
    ["ENOE", "ENOE"],
  ],
  ["list", async (memory) => (await memory.list("/")).length, 6, 0],
  ["list of a directory", async (memory) => memory.list("/d03").then((found) => found.length, codeOf), 10, "ENOENT"],
  ["stat", async (memory) => (await memory.stat("/d03/f3"))?.kind, "file", undefined],
  ["snapshot", async (memory) => (await memory.snapshot()).files.length, 60, 0],
  ["outline", async (memory) => (await memory.outline()).files.length, 60, 0],
  ["search", async (memory) => (await memory.search("words")).length > 0, true, false],
  ["grep", async (memory) => (await memory.grep("words", { limit: 100 })).length, 60, 0],
  ["history", async (memory) => (await readAll(memory.history?.list() ?? [])).length, 60, 0],
  [
    "store.get",
    async ({ address }, from) => (await from.get(createNamespace(address), "/d03/f3")) === null,
    false,
    true,
  ],
  [
    "store.search",
    async ({ address }, from) => (await from.search(createNamespace(address), { limit: 100 })).length,
    66,
    0,
  ],
  [
    "store.listNamespaces",
    async (memory, from) => (await from.listNamespaces({ suffix: [ownerOf(memory)] })).length,
    1,
    0,
  ],
  [
    "listMemories",
    async (memory, from) => (await readAll(from.listMemories({ userId: ownerOf(memory) }))).length,
    1,
    0,
  ],
  [
    "the connector",
    async (memory, from) => {
      const node = new MemoryNode({ store: from, nodeId: memory.address.nodeId, scope: "perUser" });
      return (await node.createConnector().renderMessage({ userId: ownerOf(memory) }))?.text.includes("d03");
    },
    true,
    false,
  ],
  ["update", (memory) => memory.update("/d03/f3", "none", "new").catch(codeOf), 0, "ENOENT"],
  ["edit", (memory) => memory.edit("/d03/f3", (text) => text).then(() => "done", codeOf), "done", "ENOENT"],
  ["rename", (memory) => memory.rename("/d03/f3", "/d03/f3 moved").then(() => "done", codeOf), "done", "ENOENT"],
  ["delete", (memory) => memory.delete("/d03"), { files: 10, dirs: 1 }, { files: 0, dirs: 0 }],
];

describe("a large memory that expires", () => {
  const store = openStore({ history: true });
  /** Knows the pages of every memory before it expires. */
  const other = openStore({ history: true });

  beforeAll(() => store.start());

  it.each(looks)(
    "is found by %s until the last ms, and by nobody from then on",
    async (_title, look, present, gone) => {
      const memory = await createMemory(store);
      const ofOther = other.memory(memory.address);
      for (const each of [memory, ofOther]) await each.read("/d03/f3");
      const cold = openStore({ history: true });
      nowMs = startMs + dayMs;
      const answers = [
        await look(memory, store),
        await look(ofOther, other),
        await look(cold.memory(memory.address), cold),
      ];
      expect(answers).toEqual([gone, gone, gone]);
      nowMs = startMs + dayMs - 1;
      expect(await look(ofOther, other)).toEqual(present);
    },
  );

  it.each<[string, (memory: Memory) => Promise<unknown>]>([
    ["append", (memory) => memory.append("/d03/f3", "new")],
    ["write", (memory) => memory.write("/d03/f3", "new")],
    ["store.put", ({ address }) => store.put(createNamespace(address), "/d03/f3", { content: "new" })],
    ["a batch that makes pages", (memory) => putFiles(store, memory, { ...createFiles(60), "/d03/f3": "new" })],
  ])("is followed, after %s, by one in which nothing of it is", async (title, change) => {
    const memory = await createMemory(store);
    await store.memory(memory.address).write("/d03/old file", "old text");
    nowMs = startMs + dayMs + dayMs / 16;
    await change(memory);
    expect(await memory.read("/d03/f3")).toBe("new");
    expect((await memory.snapshot()).files).toHaveLength(title.startsWith("a batch") ? 60 : 1);
    expect(await memory.stat("/d03/old file")).toBeNull();
    const versions = await readAll(memory.history?.list() ?? []);
    expect(new Set(versions.map(({ operation }) => operation))).toEqual(new Set(["created"]));
    const pages = await findPages(memories, memory);
    expect(findPageFaults(pages.map(({ document }) => document))).toEqual([]);
    const stored = await memories.find({ _id: { $regex: ownerOf(memory) } as never }).toArray();
    expect(stored).toHaveLength(pages.length);
    expect(JSON.stringify(stored)).not.toContain("old text");
  });

  it("lives on as long as any of its pages changes", async () => {
    const plain = openStore();
    const memory = await createMemory(plain);
    const ofOther = openStore().memory(memory.address);
    const paths = Object.keys(createFiles(60));
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
    const own = openStore({ memoriesCollection, history: true });
    nowMs = startMs;
    const memory = own.memory(freshUser());
    await putFiles(own, memory, createFiles(40));
    const versions = db.collection(`${memoriesCollection}_versions`);
    for (let step = 0; step < 6; step += 1) {
      nowMs += dayMs / 2;
      await memory.append("/d03/f3", "more");
      const [first] = await versions.find().sort({ expiresAt: 1 }).toArray();
      expect(first?.["expiresAt"].getTime()).toBeGreaterThanOrEqual(nowMs + dayMs);
    }
    expect((await readAll(memory.history?.list() ?? [])).length).toBe(46);
  });

  it("is removed by a sweep with its pages and versions, and by nothing else", async () => {
    const memoriesCollection = `sweep ${randomUUID()}`;
    const own = openStore({ memoriesCollection, history: true });
    nowMs = startMs;
    const users = Array.from({ length: 8 }, freshUser);
    for (const [index, user] of users.entries()) {
      const memory = own.memory(user);
      if (index % 2 === 0) await putFiles(own, memory, createFiles(40));
      else await memory.write("/a", "text");
      for (let change = 0; change < 65; change += 1) if (index < 2) await memory.append("/a", "x");
    }
    const [kept] = users;
    const global = own.memory({ nodeId: "assistant" });
    await putFiles(own, global, createFiles(40));
    nowMs = startMs + dayMs / 2;
    if (kept !== undefined) await own.memory(kept).append("/d03/f3", "kept");
    nowMs = startMs + dayMs;
    const sent = await commandsOf(client, () => own.memory({ nodeId: "assistant" }).append("/d03/f3", "x"));
    expect(sent.map(({ commandName }) => commandName)).not.toContain("delete");
    const sweeps = [own, openStore({ memoriesCollection, history: true })].map((each) => each.sweepExpired());
    const counts = await Promise.all(sweeps);
    expect(counts.reduce((sum, { memories: count }) => sum + count, 0)).toBe(7);
    const left = JSON.stringify([
      await db.collection(memoriesCollection).find().toArray(),
      await db.collection(`${memoriesCollection}_versions`).find().toArray(),
    ]);
    for (const { userId } of users.slice(1)) expect(left).not.toContain(userId);
    expect((await global.snapshot()).files).toHaveLength(40);
    expect(kept && (await own.memory(kept).snapshot()).files).toHaveLength(41);
    expect(await own.sweepExpired()).toEqual({ memories: 0 });
  });

  it("that a sweep cannot remove does not stop it", async () => {
    const memoriesCollection = `failing ${randomUUID()}`;
    const own = openStore({ memoriesCollection });
    nowMs = startMs;
    const [first, second] = [own.memory(freshUser()), own.memory(freshUser())];
    for (const memory of [first, second]) await putFiles(own, memory, createFiles(40));
    nowMs = startMs + dayMs;
    const removal = jest.spyOn(Collection.prototype, "findOneAndDelete");
    removal.mockImplementationOnce(() => Promise.reject(new Error("refused")));
    await refuses(own.sweepExpired(), "EIO");
    removal.mockRestore();
    const forever = openStore({ memoriesCollection, expireMs: {} });
    expect(await readAll(forever.listMemories())).toHaveLength(1);
    expect(await own.sweepExpired()).toEqual({ memories: 1 });
  });

  it("is left to the sweep by MongoDB, which removes small ones alone", async () => {
    const mongod = await privateMongod("replicaSet", { args: ["--setParameter", "ttlMonitorSleepSecs=1"] });
    const own = useClient(new MongoClient(mongod.uri));
    const aged = new MongoMemoryStore({
      client: own,
      dbName: "app",
      expireMs: { perUser: dayMs },
      clock: () => new Date(Date.now() - 2 * dayMs),
      ...withPageBytes(2000),
    });
    await aged.start();
    // Otherwise MongoDB would remove the head while it is alone.
    await own.db("admin").command({ setParameter: 1, ttlMonitorEnabled: false });
    const [large, alone] = [aged.memory(freshUser()), aged.memory(freshUser())];
    await putFiles(aged, large, createFiles(60));
    await alone.write("/a", "text");
    await own.db("admin").command({ setParameter: 1, ttlMonitorEnabled: true });
    const stored = own.db("app").collection("memories");
    while ((await stored.countDocuments({ ...alone.address })) > 0) await sleep(50);
    expect(await stored.countDocuments({ ...large.address })).toBe(1);
    expect((await large.snapshot()).files).toHaveLength(60);
    const present = new MongoMemoryStore({ client: own, dbName: "app", expireMs: { perUser: dayMs } });
    expect(await present.sweepExpired()).toEqual({ memories: 1 });
    expect(await stored.countDocuments()).toBe(0);
  });
});

describe.each<[string, NonNullable<MongoMemoryStoreOptions["expireMs"]>]>([
  ["no lifetime", {}],
  ["a longer lifetime", { perUser: 3000 * dayMs }],
])("a large memory whose other pages a store with %s has changed every day", (_kind, expireMs) => {
  const expiring = { expireMs: { perUser: 30 * dayMs } };
  const writer = openStore({ expireMs });

  /** A memory whose head has not changed for 40 days, and another page not for an hour. */
  async function createUsed(): Promise<{ memory: Memory; lastMs: number }> {
    const { address } = await createMemory(writer);
    for (let day = 0; day < 40; day += 1) {
      nowMs += dayMs;
      await writer.memory(address).append("/d03/f3", "used");
    }
    const lastMs = nowMs;
    nowMs += dayMs / 24;
    return { memory: writer.memory(address), lastMs };
  }

  it.each(looks.filter(([title]) => title !== "history"))(
    "is found by %s of a store with a shorter one until that has passed since the last change",
    async (_title, look, present, gone) => {
      const { memory, lastMs } = await createUsed();
      for (const [atMs, expected] of [
        [lastMs + 30 * dayMs, gone],
        [lastMs + 30 * dayMs - 1, present],
      ] as const) {
        nowMs = atMs;
        const store = openStore(expiring);
        expect(await look(store.memory(memory.address), store)).toEqual(expected);
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
    const { memory } = await createUsed();
    const memoriesCollection = `used ${randomUUID()}`;
    const ofOwner = { _id: { $regex: ownerOf(memory) } };
    await memories.aggregate([{ $match: ofOwner }, { $out: memoriesCollection }]).toArray();
    const store = openStore({ ...expiring, memoriesCollection });
    await change(store.memory(memory.address), store);
    expect((await store.memory(memory.address).snapshot()).files.length).toBeGreaterThanOrEqual(60);
    expect(await store.memory(memory.address).read("/d03/f3")).toMatch(/used$/);
  });

  it("gives its directories the time of the last change", async () => {
    const { memory, lastMs } = await createUsed();
    const namespace = createNamespace(memory.address);
    const found = await writer.search(namespace, { limit: 100 });
    for (const item of [await writer.get(namespace, "/d01/"), found.find(({ key }) => key === "/d01/")])
      expect(item?.updatedAt).toEqual(new Date(lastMs));
  });
});

/** The receipt of the last change does not count. */
const sizeOf = (document: object): number =>
  calculateObjectSize({ ...document, lastChange: undefined }, { ignoreUndefined: true });

describe("listMemories", () => {
  it("tells size, files and times of all pages together", async () => {
    const store = openStore();
    const memory = await createMemory(store);
    nowMs = startMs + 1000;
    await memory.append("/d03/f3", "more");
    const [summary] = await readAll(store.listMemories({ userId: ownerOf(memory) }));
    const pages = await findPages(memories, memory);
    expect(summary).toEqual({
      address: memory.address,
      files: 60,
      textBytes: (await memory.snapshot()).files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      sizeBytes: pages.reduce((sum, { document }) => sum + sizeOf(document), 0),
      createdAt: new Date(startMs),
      updatedAt: new Date(startMs + 1000),
    });
    for (const { document } of pages.slice(1)) expect(document["sizeBytes"]).toBe(calculateObjectSize(document));
  });
});

describe("forget", () => {
  const store = openStore({ history: true });
  const nodes = ["node a", "node b"];

  it.each<
    [string, (owner: string) => Memory["address"][], (owner: string) => Parameters<MongoMemoryStore["forget"]>[0]]
  >([
    [
      "an address",
      (owner) => [{ nodeId: "node a", scope: "perUser", userId: owner }],
      (owner) => ({ nodeId: "node a", scope: "perUser", userId: owner }),
    ],
    [
      "a user",
      (owner) => nodes.map((nodeId) => ({ nodeId, scope: "perUser", userId: owner })),
      (owner) => ({ userId: owner }),
    ],
    [
      "a thread",
      (owner) => nodes.map((nodeId) => ({ nodeId, scope: "perThread", threadId: owner })),
      (owner) => ({ threadId: owner }),
    ],
    ["a node's own memory", (owner) => [{ nodeId: owner, scope: "global" }], (owner) => ({ nodeId: owner })],
  ])("of %s counts the files of all pages, and leaves no document that names it", async (_title, addresses, who) => {
    const owner = randomUUID();
    const of = addresses(owner);
    for (const address of of) await (await createMemory(store, address)).append("/d03/f3", "more");
    // Of a crash in the middle of an earlier removal.
    const orphans = (await memories.find({ _id: { $regex: owner } as never, lo: { $gt: "" } }).toArray()).slice(0, 3);
    const strayIds = orphans.map(({ _id }) => String(_id).replace(/\0[0-9a-f]{24}\0/, `\0${"0".repeat(24)}\0`));
    await memories.insertMany(orphans.map((orphan, index) => ({ ...orphan, _id: strayIds[index] as never })));
    expect(await store.forget(who(owner))).toMatchObject({
      memories: of.length,
      files: 60 * of.length,
      versions: 61 * of.length,
      proposals: 0,
    });
    expect(await storedBytes()).not.toContain(owner);
    expect(await store.forget(who(owner))).toMatchObject({ memories: 0, files: 0, versions: 0, proposals: 0 });
    for (const address of of) expect((await store.memory(address).snapshot()).files).toEqual([]);
  });

  it("of a person takes them out of the changes to large memories of others", async () => {
    const [owner, author] = [randomUUID(), randomUUID()];
    const memory = await createMemory(store, { nodeId: owner, scope: "global" });
    await memory.with({ actor: { userId: author } }).append("/d03/f3", "more");
    await store.forget({ userId: author });
    expect(await storedBytes()).not.toContain(author);
    expect(await readAll(memory.history?.list() ?? [])).toHaveLength(61);
  });

  it.each<[string, (own: MongoMemoryStore) => Promise<Memory>]>([
    ["large", (own) => createMemory(own)],
    ["small", async (own) => own.memory(freshUser())],
  ])("of a person takes them out of the changes to a %s memory of others that has expired", async (_size, create) => {
    const author = randomUUID();
    const memory = await create(store);
    await memory.with({ actor: { userId: author } }).append("/d03/f3", "more");
    nowMs = startMs + dayMs;
    await store.forget({ userId: author });
    expect(await storedBytes()).not.toContain(author);
  });
});

describe("a memory that is made again", () => {
  const store = openStore();
  afterEach(() => void jest.restoreAllMocks());

  /** Runs something else right before the next update of this process is sent. */
  function beforeNextUpdate(run: () => Promise<unknown>): void {
    const original = jest.spyOn(Collection.prototype, "updateOne");
    original.mockImplementationOnce(async function (this: Collection, ...args) {
      original.mockRestore();
      await run();
      return this.updateOne(...args);
    });
  }

  it.each<[string, Record<string, string>]>([
    ["small", { "/a": "second", "/c": "kept" }],
    ["large", { ...createFiles(60), "/a": "second", "/c": "kept" }],
  ])("and is %s is not changed by a call that read the one before", async (_title, second) => {
    const address = freshUser();
    const memory = openStore().memory(address);
    // Both memories have three changes, so their revisions are equal.
    for (const path of ["/a", "/b", "/d"]) await memory.write(path, "first");
    beforeNextUpdate(async () => {
      await store.forget(address);
      await putFiles(store, store.memory(address), second);
      for (const path of ["/x", "/y"]) await store.memory(address).write(path, "text");
    });
    await refuses(memory.rename("/a", "/c"), "EEXIST");
    expect(await memory.read("/c")).toBe("kept");
  });

  it("has no page of the one before, whoever knew it", async () => {
    const memory = await createMemory(store);
    const ofOther = openStore().memory(memory.address);
    await ofOther.read("/d03/f3");
    await store.forget(memory.address);
    await store.memory(memory.address).write("/d03/f4", "new");
    await refuses(ofOther.read("/d03/f3"), "ENOENT");
    await ofOther.append("/d03/f3", "new");
    expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/d03/f3", "/d03/f4"]);
    const [page, ...others] = await findPages(memories, memory);
    expect([others, Object.keys(page?.document ?? {})]).toEqual([[], expect.not.arrayContaining(["sizeBytes"])]);
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
