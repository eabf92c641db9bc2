import { beforeAll, describe, expect, it, jest } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { calculateObjectSize } from "bson";
import { Collection, type Document, MongoClient, MongoServerError, ObjectId } from "mongodb";
import { type MemoryAddress, MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { checkAddress } from "../../../src/core/values/address.js";
import { getHeadId } from "../../../src/mongodb/memories/documents/page-ids.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { findStored } from "../../helpers/find-stored.js";
import { getFailure } from "../../helpers/get-failure.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { createFiles, findPages, putFiles } from "../../helpers/paged-memories.js";
import { createAskingNode, propose } from "../../helpers/proposals.js";
import { readAll } from "../../helpers/read-all.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, db, name: dbName } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));

/** Of collections of its own. */
function freshStore(options: Partial<MongoMemoryStoreOptions> = {}): {
  store: MongoMemoryStore;
  documents: ReturnType<typeof db.collection>;
} {
  const memoriesCollection = `memories ${randomUUID()}`;
  return {
    store: new MongoMemoryStore({ client, dbName, memoriesCollection, ...options }),
    documents: db.collection(memoriesCollection),
  };
}

/** Creates the document of a memory. */
function createHead(address: MemoryAddress, data: object): Document {
  return { _id: getHeadId(checkAddress(address)) as never, ...address, key: new ObjectId(), revision: 1, data };
}

type MemoryFilter = Parameters<MongoMemoryStore["listMemories"]>[0];

const addresses = async (store: MongoMemoryStore, filter?: MemoryFilter): Promise<MemoryAddress[]> =>
  (await readAll(store.listMemories(filter))).map(({ address }) => address);

const thread = (nodeId: string, threadId: string) => ({ nodeId, scope: "perThread", threadId }) as const;
const user = (nodeId: string, userId: string) => ({ nodeId, scope: "perUser", userId }) as const;
const node = (nodeId: string) => ({ nodeId, scope: "global" }) as const;

/** Of two nodes, two threads and two users, where a thread and a user are called alike. */
const people = [
  node("a"),
  node("b"),
  thread("a", "ada"),
  thread("a", "x"),
  thread("b", "ada"),
  user("a", "ada"),
  user("a", "bob"),
  user("b", "ada"),
];

async function peopleStore(): Promise<ReturnType<typeof freshStore>> {
  const fresh = freshStore();
  for (const address of people.toReversed()) await fresh.store.memory(address).write("/notes", "text");
  return fresh;
}

/** Whose memories no test changes. */
let unchanged: Awaited<ReturnType<typeof peopleStore>>;
beforeAll(async () => {
  unchanged = await peopleStore();
});

describe("listMemories", () => {
  it.each<[MemoryFilter, MemoryAddress[]]>([
    [{}, people],
    [{ nodeId: "a" }, people.filter(({ nodeId }) => nodeId === "a")],
    [{ scope: "perThread" }, people.filter(({ scope }) => scope === "perThread")],
    [{ threadId: "ada" }, [thread("a", "ada"), thread("b", "ada")]],
    [{ userId: "ada" }, [user("a", "ada"), user("b", "ada")]],
    [{ userId: "ada", nodeId: "b" }, [user("b", "ada")]],
    [{ userId: "ada", scope: "perUser" }, [user("a", "ada"), user("b", "ada")]],
    [{ nodeId: "b", scope: "global" }, [node("b")]],
    [{ userId: "nobody" }, []],
    [{ nodeId: "c" }, []],
  ])("finds the memories of %j, in order", async (filter, expected) => {
    expect(await addresses(unchanged.store, filter)).toEqual(expected);
  });

  it.each([0, 1, 60])(
    "tells size, files and times of a memory of %i files, of all its pages together",
    async (count) => {
      let nowMs = Date.now();
      const { store, documents } = freshStore({ clock: () => new Date(nowMs), ...withPageBytes(2000) });
      const memory = store.memory(node("a"));
      await putFiles(store, memory, { "/gone": "x", ...createFiles(count) });
      const createdAt = new Date(nowMs);
      nowMs += 1000;
      await memory.delete("/gone");
      const pages = (await findPages(documents as never, memory)).map(({ document }) => document);
      expect(pages.length > 1).toBe(count === 60);
      /** The receipt of the last change does not count. */
      const sizes = pages.map((page) =>
        calculateObjectSize({ ...page, lastChange: undefined }, { ignoreUndefined: true }),
      );
      const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);
      expect(await readAll(store.listMemories())).toEqual([
        {
          address: memory.address,
          files: count,
          textBytes: sum((await memory.snapshot()).files.map(({ sizeBytes }) => sizeBytes)),
          sizeBytes: sum(sizes),
          createdAt,
          updatedAt: new Date(nowMs),
        },
      ]);
    },
  );

  it("goes on behind each page of 500, within one node and from one to the next", async () => {
    const { store, documents } = freshStore();
    await store.start();
    const stored = [
      ...Array.from({ length: 700 }, (_, index) => user("a", `user ${String(index).padStart(4, "0")}`)),
      ...Array.from({ length: 600 }, (_, index) => user(`node ${String(index).padStart(4, "0")}`, "ada")),
      ...Array.from({ length: 500 }, (_, index) => node(`node ${String(index).padStart(4, "0")}`)),
    ];
    await documents.insertMany(stored.map((address) => createHead(address, {})));
    const expected = [...stored.slice(1300), ...stored.slice(0, 1300)];
    expect(await addresses(store)).toEqual(expected);
    expect(await addresses(store, { nodeId: "a" })).toEqual(stored.slice(0, 700));
    expect(await addresses(store, { userId: "ada" })).toEqual(stored.slice(700, 1300));
    const sent = await commandsOf(client, () => readAll(store.listMemories({ userId: "ada" })));
    expect(sent.map(({ commandName }) => commandName)).toEqual(["find", "find"]);
  });

  it.each<[MemoryFilter, string]>([
    [{ userId: "ada" }, "memories_by_user"],
    [{ threadId: "ada" }, "memories_by_thread"],
    [{ nodeId: "a", scope: "perUser" }, "uniq_per_user"],
    [{ scope: "global" }, "uniq_global"],
    [{ nodeId: "b", userId: "ada" }, "uniq_per_user"],
  ])("of %j reads nothing but what it answers, by the index %s", async (filter, index) => {
    const { store } = unchanged;
    const count = (await readAll(store.listMemories(filter))).length;
    const [sent] = await commandsOf(client, () => readAll(store.listMemories(filter)));
    const { winningPlan, stats } = await explained(sent?.command ?? {});
    expect(winningPlan).toContain(index);
    expect(winningPlan).not.toMatch(/COLLSCAN|SORT/);
    expect(stats).toMatchObject({ totalDocsExamined: count, nReturned: count });
  });

  it.each<[unknown, RegExp]>([
    [{ user: "ada" }, /unknown field of a filter of memories: user; the fields are nodeId, scope, threadId, userId/],
    [{ userId: undefined }, /userId is undefined; pass an id, or leave the field out/],
    [{ userId: { $ne: null } }, /userId must be a non-empty string \(given object\)/],
    [{ nodeId: "" }, /nodeId must be a non-empty string/],
    [{ scope: "all" }, /scope must be "global", "perThread" or "perUser" \(given "all"\)/],
    [{ scope: "perThread", userId: "ada" }, /memories of scope "perThread" have no user; .* pass the scope "perUser"/],
    [{ threadId: "x", userId: "ada" }, /no memory has both a thread and a user; leave threadId or userId out/],
    [null, /a filter of memories is an object/],
    [["ada"], /a filter of memories is an object/],
    ["ada", /a filter of memories is an object with some of nodeId, scope, threadId, userId \(given string\)/],
  ])("refuses %j at once", (filter, message) => {
    expect(() => unchanged.store.listMemories(filter as MemoryFilter)).toThrow(message);
  });
});

describe("forget", () => {
  it.each<[Parameters<MongoMemoryStore["forget"]>[0], MemoryAddress[]]>([
    [{ userId: "ada" }, [user("a", "ada"), user("b", "ada")]],
    [{ threadId: "ada" }, [thread("a", "ada"), thread("b", "ada")]],
    [user("a", "ada"), [user("a", "ada")]],
    [{ nodeId: "a" }, [node("a")]],
    [{ userId: "nobody" }, []],
    [node("c"), []],
  ])("of %j removes these documents and no other, and once more finds none", async (who, gone) => {
    const { store, documents } = await peopleStore();
    for (const address of people) await store.memory(address).write("/second", "text");
    expect(await store.forget(who)).toMatchObject({
      memories: gone.length,
      files: 2 * gone.length,
      versions: 0,
      proposals: 0,
    });
    const left = await documents
      .find({}, { projection: { _id: 0, nodeId: 1, scope: 1, threadId: 1, userId: 1 } })
      .toArray();
    expect(left).toHaveLength(people.length - gone.length);
    for (const address of gone) expect(left).not.toContainEqual(address);
    expect(await store.forget(who)).toMatchObject({ memories: 0, files: 0, versions: 0, proposals: 0 });
  });

  it("is a command for the memory of an address, and a count and a deletion for a user, by an index, beside those for what else belongs to it", async () => {
    const { store } = await peopleStore();
    const ofAddress = await commandsOf(client, () => store.forget(user("a", "bob")));
    expect(ofAddress.map(({ commandName }) => commandName)).toEqual([
      "delete",
      "delete",
      "findAndModify",
      "find",
      "delete",
    ]);
    const [, , , count, deletion] = await commandsOf(client, () => store.forget({ userId: "ada" }));
    expect([count?.commandName, deletion?.commandName]).toEqual(["find", "delete"]);
    const { delete: name, deletes, $db: _db } = deletion?.command ?? {};
    const { winningPlan } = await explained({ delete: name, deletes });
    expect(winningPlan).toMatch(/memories_by_user|_id_/);
    expect(winningPlan).not.toContain("COLLSCAN");
  });

  it.each<[unknown, RegExp]>([
    [{}, /nothing is named that is to be forgotten; pass the address of a memory, \{ userId \} or \{ threadId \}/],
    [undefined, /the target of forget is an object/],
    [{ userId: undefined }, /userId is undefined/],
    [{ userId: "" }, /userId must be a non-empty string/],
    [{ userId: { $gt: "" } }, /userId must be a non-empty string/],
    [{ userId: "ada", threadId: "x" }, /leave threadId or userId out/],
    [{ scope: "perUser" }, /nodeId must be a non-empty string/],
    [{ nodeId: "a", userId: "ada" }, /did you mean "perUser"/],
    [{ users: "ada" }, /unknown field of the target of forget: users/],
  ])("refuses %j, and removes nothing", async (who, message) => {
    const { store, documents } = unchanged;
    const error = await getFailure(store.forget(who as MemoryAddress));
    expect([error.code, error.message]).toEqual(["EINVAL", expect.stringMatching(message)]);
    expect(await documents.countDocuments()).toBe(people.length);
  });

  it("says what still mentions a person in texts, and where", async () => {
    const id = "ada.l$[x]@example.com";
    const memoriesCollection = `memories ${randomUUID()}`;
    const itemsCollection = `items ${randomUUID()}`;
    const own = new MongoMemoryStore({ client, dbName, memoriesCollection, itemsCollection, history: true });
    const others = { file: node("file"), path: thread("path", "x"), version: user("version", "bob"), none: node("n") };
    await own.memory(user("a", id)).write("/notes", `I am ${id}`);
    await own.memory(others.file).write("/notes", `Ask ${id}.`);
    await own.memory(others.path).write(`/people/${id}/notes`, "text");
    await own.memory(others.version).write("/notes", `Met ${id}.`);
    await own.memory(others.version).write("/notes", "Met nobody.");
    // Moves the versions so far to their collection.
    await own.memory(others.version).history?.redact({ text: "found nowhere" });
    const agent = createAskingNode(own, { nodeId: "proposed" });
    await propose(agent, { command: "append", path: "/notes", content: `Ask ${id}.` });
    await own
      .memory(others.none)
      .with({ actor: { userId: id } })
      .write("/notes", "ada_l$[x]@example.com");
    await own.put(["users"], id, { name: "Ada" });
    await own.put(["users"], "team", { members: [{ name: { first: id } }] });
    await own.put(["users"], "other", { name: "Bob", born: new Date(), age: 3 });
    const { mentions, ...counts } = await own.forget({ userId: id });
    expect(counts).toEqual({ memories: 1, files: 1, versions: 1, proposals: 0 });
    expect(mentions).toEqual({ memories: 4, addresses: expect.any(Array), proposals: 1, items: 2 });
    expect(new Set(mentions?.addresses)).toEqual(new Set([others.file, others.path, others.version, node("proposed")]));
    for (const address of mentions?.addresses ?? [])
      expect(await own.memory(address).history?.findText(id)).not.toEqual({ versions: [], proposals: [], files: [] });
    expect((await own.forget(others.file)).mentions).toBeUndefined();
    expect((await own.forget({ userId: id }, { mentions: false })).mentions).toBeUndefined();
    expect((await own.forget({ userId: id })).mentions).toMatchObject({ memories: 3 });
  });

  it("names no more memories than it counts, and at most twenty", async () => {
    const { store } = freshStore();
    for (let number = 0; number < 25; number += 1) await store.memory(node(`n${number}`)).write("/notes", "Ask ada.");
    const { mentions } = await store.forget({ userId: "ada" });
    expect(mentions?.memories).toBe(25);
    expect(mentions?.addresses).toHaveLength(20);
  });

  it("that may not read all collections, or has no time left, erases and says nothing of mentions", async () => {
    const { store } = await peopleStore();
    const refused = Object.assign(new MongoServerError({ message: "not authorized" }), { code: 13 });
    jest.spyOn(Collection.prototype, "aggregate").mockImplementation(() => {
      throw refused;
    });
    expect(await store.forget({ userId: "ada" })).toEqual({ memories: 2, files: 2, versions: 0, proposals: 0 });
    jest.restoreAllMocks();
    await store.memory(user("a", "ada")).write("/notes", "text");
    const late = jest.spyOn(performance, "now").mockReturnValueOnce(-1_000_000);
    expect(await store.forget({ userId: "ada" })).toEqual({ memories: 1, files: 1, versions: 0, proposals: 0 });
    late.mockRestore();
  });

  it.each<[string, (owner: string) => MemoryAddress[], (owner: string) => Parameters<MongoMemoryStore["forget"]>[0]]>([
    ["an address", (owner) => [user("a", owner)], (owner) => user("a", owner)],
    ["a user", (owner) => ["a", "b"].map((nodeId) => user(nodeId, owner)), (owner) => ({ userId: owner })],
    ["a thread", (owner) => ["a", "b"].map((nodeId) => thread(nodeId, owner)), (owner) => ({ threadId: owner })],
    ["a node's own memory", (owner) => [node(owner)], node],
  ])("of %s counts the files of all pages, and leaves no document that names it", async (_title, listOf, who) => {
    const owner = randomUUID();
    const { store, documents } = freshStore({ history: true, ...withPageBytes(2000) });
    const memories = listOf(owner).map((address) => store.memory(address));
    for (const memory of memories) {
      await putFiles(store, memory, createFiles(60));
      await memory.append("/d03/f3", "more");
    }
    // Of a crash in the middle of an earlier removal.
    const orphans = await documents.find({ lo: { $gt: "/d03" } }).toArray();
    const toStray = (id: unknown): string => String(id).replace(/\0[0-9a-f]{24}\0/, `\0${"0".repeat(24)}\0`);
    await documents.insertMany(orphans.map((orphan) => ({ ...orphan, _id: toStray(orphan._id) as never })));
    const count = memories.length;
    const all = { memories: count, files: 60 * count, versions: 61 * count, proposals: 0 };
    const none = { memories: 0, files: 0, versions: 0, proposals: 0 };
    for (const counts of [all, none]) {
      expect(await store.forget(who(owner))).toMatchObject(counts);
      expect(await findStored(db, owner)).toEqual([]);
    }
  });

  it.each([1, 60])(
    "of a person takes them out of the changes to others' memories of %i files, expired or not",
    async (count) => {
      let nowMs = Date.now() + 3_600_000;
      const clock = (): Date => new Date(nowMs);
      const { store } = freshStore({ history: true, expireMs: { perUser: 1000 }, clock, ...withPageBytes(2000) });
      const author = randomUUID();
      const [lasting, expired] = [store.memory(node("a")), store.memory(user("a", "ada"))];
      for (const memory of [lasting, expired]) {
        await putFiles(store, memory, createFiles(count));
        for (const path of ["/d00/f0", "/d03/f3", "/d05/f9"])
          await memory.with({ actor: { userId: author } }).append(path, "more");
      }
      nowMs += 1000;
      await store.forget({ userId: author });
      expect(await findStored(db, author)).toEqual([]);
      expect(await readAll(lasting.history?.list() ?? [])).toHaveLength(count + 3);
    },
  );

  it.each<[string, boolean]>([
    ["before", false],
    ["between the commands of", true],
  ])(
    "finds the versions of a process that was killed while it moved them %s another forget",
    async (_when, between) => {
      const memoriesCollection = `memories ${randomUUID()}`;
      const store = new MongoMemoryStore({ client, dbName, memoriesCollection, history: true });
      const versions = db.collection<{ _id: string }>(`${memoriesCollection}_versions`);
      const memory = store.memory(user("a", "ada"));
      const change = async (): Promise<void> => {
        for (let count = 0; count < 60; count += 1) await memory.append("/notes", "a secret");
      };
      await change();
      while ((await versions.countDocuments({ sha256: { $exists: true } })) < 60) await sleep(10);
      while ((await db.collection(memoriesCollection).countDocuments({ "outbox.0": { $exists: true } })) > 0)
        await sleep(10);
      const moved = new Promise<void>((resolve) => {
        jest.spyOn(Collection.prototype, "insertMany").mockImplementationOnce(async function (
          this: Collection,
          ...args
        ) {
          const insert = (): Promise<unknown> => this.insertMany(...args).catch(() => undefined);
          if (between)
            jest.spyOn(Collection.prototype, "deleteOne").mockImplementationOnce(async (...filter) => {
              await insert();
              return this.deleteOne(...filter);
            });
          await store.forget({ userId: "ada" });
          if (!between) await insert();
          resolve();
          // The process is killed: no further command is sent.
          return new Promise(() => undefined);
        });
      });
      await change();
      await moved;
      jest.restoreAllMocks();
      await store.forget({ userId: "ada" });
      expect(await readAll(versions.find())).toEqual([]);
    },
  );

  it("of which SIGKILL ended the process half-way is finished by the next call", async () => {
    const mongod = await privateMongod("standalone", {
      args: ["--setParameter", "internalQueryExecYieldIterations=50"],
    });
    const own = useClient(new MongoClient(mongod.uri));
    const store = new MongoMemoryStore({ client: own, dbName: "crash" });
    await store.start();
    const documents = own.db("crash").collection("memories");
    const ofAda = Array.from({ length: 300 }, (_, index) => user(`node ${index}`, "ada"));
    await documents.insertMany([...ofAda, user("a", "bob")].map((address) => createHead(address, { a: "text" })));
    const admin = own.db("admin");
    const untilHung = async (): Promise<void> => {
      while ((await documents.estimatedDocumentCount()) === 301) await sleep(5);
    };
    await admin.command({
      configureFailPoint: "setYieldAllLocksHang",
      mode: { skip: 14 },
      data: { namespace: "crash.memories" },
    });
    const worker = spawn(
      process.execPath,
      [compiled("__tests__/helpers/forget-worker.ts"), mongod.uri, "crash", "ada"],
      { stdio: "ignore" },
    );
    await untilHung();
    worker.kill("SIGKILL");
    await once(worker, "close");
    const left = await documents.estimatedDocumentCount();
    await admin.command({ configureFailPoint: "setYieldAllLocksHang", mode: "off" });
    expect(left).toBeGreaterThan(1);
    expect(left).toBeLessThan(301);
    await store.forget({ userId: "ada" });
    expect(await documents.find({}, { projection: { _id: 0, userId: 1 } }).toArray()).toEqual([{ userId: "bob" }]);
  });
});

async function explained(command: Document): Promise<{ winningPlan: string; stats: Document }> {
  const { lsid: _lsid, $db: _db, $clusterTime: _time, $readPreference: _preference, ...plain } = command;
  const { queryPlanner, executionStats } = await db.command({ explain: plain, verbosity: "executionStats" });
  return { winningPlan: JSON.stringify((queryPlanner as Document)["winningPlan"]), stats: executionStats as Document };
}
