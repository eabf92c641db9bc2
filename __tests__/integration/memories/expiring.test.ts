import { beforeAll, describe, expect, it } from "@jest/globals";
import { setTimeout as sleep } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { type Document, MongoClient } from "mongodb";
import { type Memory, MemoryNode, MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { createNamespace } from "../../helpers/addresses.js";
import { refuses } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { readAll } from "../../helpers/read-all.js";
import { serverApi } from "../../helpers/server-api.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, db, client, name: dbName } = testDatabase();
const watched = useClient(new MongoClient(uri, { monitorCommands: true }));
const dayMs = 86_400_000;
const startMs = Date.now();
let nowMs = startMs;
const clock = (): Date => new Date(nowMs);

const storeWith = (options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore =>
  new MongoMemoryStore({ client, dbName, clock, expireMs: { perUser: dayMs, perThread: 2 * dayMs }, ...options });

const freshUser = () => ({ nodeId: "assistant", scope: "perUser", userId: randomUUID() }) as const;

type Look = (memory: Memory) => Promise<unknown>;

const ownerIn = (address: Memory["address"]): string => (address.scope === "perUser" ? address.userId : "");

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

/** The commands of a read, an append and a list of a memory that the store has written. */
async function sentFor(expireMs: MongoMemoryStoreOptions["expireMs"], address = freshUser()): Promise<Document[]> {
  const options = { client: watched, dbName, clock };
  const memory = new MongoMemoryStore({ ...options, ...(expireMs && { expireMs }) }).memory(address);
  await memory.write("/a", "x");
  const calls = () => Promise.all([memory.read("/a"), memory.append("/a", "x"), memory.list("/")]);
  return (await commandsOf(watched, calls)).map(({ command }) => command);
}

describe("expireMs", () => {
  const store = storeWith();
  const unlimited = storeWith({ expireMs: {} });
  const stored = (address: Memory["address"]): Promise<Document[]> =>
    db
      .collection("memories")
      .find({ ...address })
      .toArray();

  /** A user's memory that was written at the start, as it is one ms before it expires, or at the moment. */
  async function writtenMemory(address = freshUser(), keptBy = store): Promise<Memory> {
    nowMs = startMs;
    const memory = keptBy.memory(address);
    await memory.write("/notes/today", "old");
    return memory;
  }

  /** What each way to look at a memory answers while it is there, and when it has gone. */
  const looks: [title: string, look: Look, present: unknown, gone: unknown][] = [
    ["read", (memory) => memory.read("/notes/today").catch(codeOf), "old", "ENOENT"],
    ["list", (memory) => memory.list("/"), [{ name: "notes", kind: "dir" }], []],
    ["stat", async (memory) => (await memory.stat("/notes/today"))?.sizeBytes, 3, undefined],
    ["snapshot", (memory) => memory.snapshot().then(({ files, revision }) => [files.length, revision]), [1, 1], [0, 0]],
    ["outline", async (memory) => (await memory.outline()).directories, ["/notes"], []],
    [
      "store.get",
      async ({ address }) => (await store.get(createNamespace(address), "/notes/today"))?.value,
      { content: "old" },
      undefined,
    ],
    ["store.search", async ({ address }) => (await store.search(createNamespace(address))).length, 2, 0],
    [
      "store.search of all",
      async ({ address }) =>
        (await store.search(["memory", "assistant"], { limit: 1000 })).filter(
          ({ namespace }) => namespace[3] === ownerIn(address),
        ).length,
      2,
      0,
    ],
    [
      "store.listNamespaces",
      async ({ address }) => (await store.listNamespaces({ suffix: [ownerIn(address)] })).length,
      1,
      0,
    ],
    [
      "listMemories",
      async ({ address }) => (await readAll(store.listMemories({ userId: ownerIn(address) }))).length,
      1,
      0,
    ],
    [
      "the connector",
      async ({ address }) =>
        (
          await nodeOf()
            .createConnector({ content: "full" })
            .renderMessage({ userId: ownerIn(address) })
        )?.text.includes("old"),
      true,
      false,
    ],
  ];

  /** Of a store whose clock is ahead these must not take away what others still have. */
  const refusedChanges: typeof looks = [
    ["update", (memory) => memory.update("/notes/today", "old", "new").catch(codeOf), 1, "ENOENT"],
    [
      "edit",
      async (memory) => memory.edit("/notes/today", (text) => text).then(() => "done", codeOf),
      "done",
      "ENOENT",
    ],
    ["rename", async (memory) => memory.rename("/notes", "/other").then(() => "done", codeOf), "done", "ENOENT"],
    ["delete", (memory) => memory.delete("/"), { files: 1, dirs: 1 }, { files: 0, dirs: 0 }],
  ];

  const nodeOf = (): MemoryNode => new MemoryNode({ store, nodeId: "assistant", scope: "perUser" });

  beforeAll(() => store.start());

  it.each([...looks, ...refusedChanges])(
    "lets %s find a memory until the last ms, and nothing from then on",
    async (_, look, present, gone) => {
      const memory = await writtenMemory();
      nowMs = startMs + dayMs;
      expect(await look(memory)).toEqual(gone);
      nowMs = startMs + dayMs - 1;
      expect(await look(memory)).toEqual(present);
    },
  );

  it.each(refusedChanges)(
    "lets %s of a history find a memory until the last ms, and removes nothing from then on",
    async (_, change, present, gone) => {
      const memory = await writtenMemory(freshUser(), storeWith({ history: true, memoriesCollection: "with history" }));
      nowMs = startMs + dayMs;
      expect(await change(memory)).toEqual(gone);
      nowMs = startMs + dayMs - 1;
      expect(await change(memory)).toEqual(present);
    },
  );

  it.each<[string, (memory: Memory) => Promise<unknown>]>([
    ["append", (memory) => memory.append("/notes/today", "new")],
    ["write", (memory) => memory.write("/notes/today", "new")],
    ["store.put", ({ address }) => store.put(createNamespace(address), "/notes/today", { content: "new" })],
  ])("makes %s begin a new memory, in which nothing of the old is", async (_, change) => {
    const memory = await writtenMemory();
    await memory.write("/other", "old");
    nowMs = startMs + dayMs;
    await change(memory);
    const { files, revision } = await memory.snapshot();
    expect(files).toEqual([
      expect.objectContaining({
        path: "/notes/today",
        content: "new",
        createdAt: new Date(nowMs),
        updatedAt: new Date(nowMs),
      }),
    ]);
    expect(revision).toBe(1);
    expect(await stored(memory.address)).toHaveLength(1);
  });

  it("counts from the last change of anything in the memory", async () => {
    const memory = await writtenMemory();
    nowMs = startMs + dayMs - 1;
    await memory.write("/other", "x");
    nowMs += dayMs - 1;
    expect(await memory.read("/notes/today")).toBe("old");
    await memory.update("/notes/today", "missing", "x");
    nowMs += 1;
    await refuses(memory.read("/notes/today"), "ENOENT");
  });

  it("has a time for each scope, and none for a scope that is not named", async () => {
    nowMs = startMs;
    const thread = store.memory({ nodeId: "assistant", scope: "perThread", threadId: randomUUID() });
    const global = store.memory({ nodeId: randomUUID() });
    for (const memory of [thread, global]) await memory.write("/a", "x");
    nowMs = startMs + 2 * dayMs - 1;
    expect(await thread.read("/a")).toBe("x");
    nowMs = startMs + 2 * dayMs;
    await refuses(thread.read("/a"), "ENOENT");
    expect(await global.read("/a")).toBe("x");
  });

  it("lets twenty first writes of an expired memory all survive", async () => {
    const memory = await writtenMemory();
    nowMs = startMs + dayMs;
    await Promise.all(Array.from({ length: 20 }, (_, index) => memory.append("/log", String(index))));
    expect((await memory.read("/log")).split("\n").toSorted()).toEqual(
      Array.from({ length: 20 }, (_, index) => String(index)).toSorted(),
    );
    await refuses(memory.read("/notes/today"), "ENOENT");
  });

  it("leaves alone what a store without it has changed meanwhile", async () => {
    const memory = await writtenMemory();
    nowMs = startMs + dayMs;
    await unlimited.memory(memory.address).append("/notes/today", "more");
    await memory.append("/notes/today", "new");
    expect(await memory.read("/notes/today")).toBe("old\nmore\nnew");
  });

  it("lets forget remove what has expired, too", async () => {
    const memory = await writtenMemory();
    nowMs = startMs + dayMs;
    expect(await store.forget({ userId: ownerIn(memory.address) })).toMatchObject({
      memories: 1,
      files: 1,
      versions: 0,
      proposals: 0,
    });
    expect(await stored(memory.address)).toEqual([]);
  });

  it("removes with sweepExpired whatever has expired, however much, with its versions, and nothing else", async () => {
    nowMs = startMs;
    const memoriesCollection = `sweep ${randomUUID()}`;
    const own = storeWith({ memoriesCollection, history: true });
    const [kept, changed, ...others] = Array.from({ length: 45 }, () => own.memory(freshUser()));
    for (const memory of [kept, changed, ...others]) await memory?.write("/a", "x");
    // So many versions that some are moved into their collection.
    for (let change = 0; change < 70; change += 1) await changed?.append("/a", "x");
    const global = own.memory({ nodeId: "assistant" });
    await global.write("/a", "x");
    nowMs = startMs + 1000;
    await kept?.append("/a", "y");
    nowMs = startMs + dayMs - 1;
    expect(await own.sweepExpired()).toEqual({ memories: 0 });
    nowMs = startMs + dayMs;
    expect(await own.sweepExpired()).toEqual({ memories: 44 });
    expect(await own.sweepExpired()).toEqual({ memories: 0 });
    expect([await kept?.read("/a"), await global.read("/a")]).toEqual(["x\ny", "x"]);
    expect(await readAll(storeWith({ memoriesCollection, expireMs: {} }).listMemories())).toHaveLength(2);
    const owners = await db.collection(`${memoriesCollection}_versions`).find({ scope: "perUser" }).toArray();
    expect(owners).toEqual([]);
  });

  it("sends one command for each call, as without the option", async () => {
    for (const expireMs of [{ perUser: dayMs }, undefined]) expect(await sentFor(expireMs)).toHaveLength(3);
  });
});

describe("the option expireMs", () => {
  it("is a part of the look-up of a change, and reads go by the id alone", async () => {
    const address = freshUser();
    const filters = async (expireMs: MongoMemoryStoreOptions["expireMs"]): Promise<unknown[]> =>
      (await sentFor(expireMs, address)).map(
        ({ filter, query, updates }) => (filter ?? query ?? (updates as Document[])[0]?.["q"]) as unknown,
      );
    const byId = { _id: expect.stringContaining(`${address.userId}\u0001perUser\u0001${address.nodeId}\u0001`) };
    expect(await filters(undefined)).toEqual([1, 2, 3].map(() => byId));
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
    expect(() => storeWith({ expireMs: expireMs as never })).toThrow(/expireMs/);
    expect(() => storeWith({ expireMs: expireMs as never })).toThrow(TypeError);
  });
});

describe("the indexes of expireMs", () => {
  const strict = useClient(new MongoClient(uri, { serverApi }));
  const ttlIndexes = async (collection: string) =>
    (await db.collection(collection).indexes()).filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
  const started = (memoriesCollection: string, expireMs: MongoMemoryStoreOptions["expireMs"]): Promise<void> =>
    storeWith({ client: strict, memoriesCollection, ...(expireMs && { expireMs }) }).start();

  it("are one for each scope with a lifetime, in whole seconds, and changed where it changes", async () => {
    await started("changed", { perUser: 1001 });
    const index = {
      v: 2,
      name: "expire_per_user",
      key: { updatedAt: 1 },
      partialFilterExpression: { scope: "perUser", nodeId: { $type: "string" }, hi: null },
    };
    expect(await ttlIndexes("changed")).toEqual([{ ...index, expireAfterSeconds: 2 }]);
    await started("changed", { perUser: dayMs });
    await started("changed", { perUser: dayMs });
    expect(await ttlIndexes("changed")).toEqual([{ ...index, expireAfterSeconds: 86_400 }]);
    await started("changed", { global: dayMs, perThread: dayMs, perUser: dayMs });
    expect((await ttlIndexes("changed")).map(({ name }) => String(name)).toSorted()).toEqual([
      "expire_global",
      "expire_per_thread",
      "expire_per_user",
    ]);
    await started("changed", {});
    expect(await ttlIndexes("changed")).toHaveLength(3);
  });

  it.each<[string, object, object]>([
    ["without a lifetime", { updatedAt: 1 }, {}],
    ["on another field", { createdAt: 1 }, { expireAfterSeconds: 5 }],
    ["of all scopes", { updatedAt: 1 }, { expireAfterSeconds: 5 }],
  ])("are never made of another index of that name %s", async (title, key, options) => {
    await db.collection(title).createIndex(key as never, { name: "expire_per_user", ...options });
    const before = await db.collection(title).indexes();
    await expect(started(title, { perUser: 1 })).rejects.toMatchObject({
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
    await admin.db("admin").command({ createUser: "root", pwd: "root", roles: ["root"] });
    const root = useClient(new MongoClient(mongod.uri, { auth: { username: "root", password: "root" } }));
    await root.db("app").command({ createRole: "memory", privileges, roles: [] });
    await root.db("app").command({ createUser: "agent", pwd: "agent", roles: ["memory"] });
    const agent = useClient(
      new MongoClient(mongod.uri, { auth: { username: "agent", password: "agent" }, authSource: "app" }),
    );
    const open = (expireMs: number): MongoMemoryStore =>
      new MongoMemoryStore({ client: agent, dbName: "app", expireMs: { perUser: expireMs } });
    await open(dayMs).start();
    await expect(open(1000).start()).rejects.toMatchObject({
      code: "EIO",
      message: expect.stringMatching(/expire_per_user.*another lifetime.*grant listIndexes and collMod/),
    });
    await new MongoMemoryStore({ client: root, dbName: "app", expireMs: { perUser: 1000 } }).start();
    const unlimitedAgent = new MongoMemoryStore({ client: agent, dbName: "app" });
    const swept = freshUser();
    for (const address of [swept, { nodeId: swept.nodeId }]) await unlimitedAgent.memory(address).write("/a", "x");
    while ((await root.db("app").collection("memories").countDocuments({ userId: swept.userId })) > 0) await sleep(50);
    expect(await readAll(unlimitedAgent.listMemories())).toHaveLength(1);
  });
});
