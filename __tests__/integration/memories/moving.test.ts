import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { afterAll, describe, expect, it } from "@jest/globals";
import { type Document, MongoClient } from "mongodb";
import { addressFor, type CheckedAddress } from "../../../src/core/values/address.js";
import type { MemoryVersion } from "../../../src/core/history/history.js";
import type { Memory } from "../../../src/core/memory.js";
import { type LayoutName, layoutNames } from "../../../src/mongodb/memories/layouts.js";
import { MemoryNode } from "../../../src/graph/memory-node.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import type { MongoMemoryStoreOptions } from "../../../src/mongodb/store/store-options.js";
import { freshAddress, refuses } from "../../../src/testing/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { compiled } from "../../helpers/compiled-sources.js";
import type { Command } from "../../helpers/linearizability/memory-commands.js";
import { faultOf } from "../../helpers/linearizability/memory-history.js";
import { workloads } from "../../helpers/linearizability/random-commands.js";
import { operationOf, recordedCall } from "../../helpers/linearizability/recorded-call.js";
import { Workers } from "../../helpers/linearizability/workers.js";
import { repetitions } from "../../helpers/repetitions.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { until } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

const { db, name: dbName, uri } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));

const other = { document: "files", files: "document" } as const satisfies Record<LayoutName, LayoutName>;

/** As in a process of its own: it knows of no move. */
function openStore(layout: LayoutName, options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore {
  return new MongoMemoryStore({ client, dbName, layout, ...options });
}

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of stream) found.push(each);
  return found;
}

/** How many documents of a memory that are no marks lie in the collection of each layout, and how many marks. */
async function stored({ nodeId }: { nodeId: string }): Promise<Record<LayoutName, [documents: number, marks: number]>> {
  const documents: Document[] = await db.collection("memories").find({ nodeId }).toArray();
  const files: Document[] = await db
    .collection<Document & { _id: string }>("memories_files")
    .find({ _id: { $regex: `^.\u0001${nodeId}[\u0001\\x00]` } })
    .toArray();
  const isMark = ({ revision, kind }: Document): boolean => typeof revision === "object" || kind === "moved";
  const counted = (found: Document[]): [number, number] => [
    found.filter((each) => !isMark(each)).length,
    found.filter(isMark).length,
  ];
  return { document: counted(documents), files: counted(files) };
}

async function listVersions({ history }: Memory): Promise<MemoryVersion[]> {
  return history === null ? [] : all(history.list());
}

async function* none(): AsyncGenerator<never> {}

async function readTexts(memory: Memory): Promise<Record<string, string>> {
  return Object.fromEntries((await memory.snapshot()).files.map(({ path, content }) => [path, content]));
}

describe("a store of documents without history, beside files that have one,", () => {
  // Requirement: files.moved
  it("leaves alone who has changed the memories of others when it forgets a person", async () => {
    const memoriesCollection = `beside ${randomUUID()}`;
    const files = openStore("files", { memoriesCollection, history: true });
    const memory = files.memory(freshAddress()).with({ actor: { userId: "ada" } });
    await memory.write("/a", "text");
    await openStore("document", { memoriesCollection }).forget({ userId: "ada" });
    expect(await listVersions(memory)).toMatchObject([{ actor: { userId: "ada" } }]);
  });
});

describe.each(layoutNames)("a memory that moves away from the layout %s", (layout) => {
  const there = other[layout];

  // Requirement: files.moved
  it("is in the other one for every store, whichever layout it has, with its texts, its empty directories and its times", async () => {
    const address = addressFor(freshAddress().nodeId, "perUser", "ada");
    const store = openStore(layout, { clock: () => new Date("2026-01-01") });
    const memory = store.memory(address, { paths: "posix" });
    await memory.write("/notes/%a.$b/today", "text");
    await memory.write("/_bsontype/gone", "x");
    await memory.delete("/_bsontype/gone");
    const before = await memory.snapshot();
    expect(await store.moveMemory(address, { layout: there })).toBe(true);
    expect((await stored(address))[layout]).toEqual([0, 1]);
    for (const each of [store, openStore(layout), openStore(there)]) {
      const { files, directories } = await each.memory(address).snapshot();
      expect([files, directories.toSorted()]).toEqual([before.files, before.directories.toSorted()]);
      expect(await all(each.listMemories({ nodeId: address.nodeId }))).toEqual([
        {
          address,
          files: 1,
          sizeBytes: expect.any(Number),
          createdAt: new Date("2026-01-01"),
          updatedAt: new Date("2026-01-01"),
        },
      ]);
      expect((await each.search(["memory", address.nodeId])).map(({ key }) => key)).toEqual([
        "/_bsontype/",
        "/notes/",
        "/notes/%a.$b/",
        "/notes/%a.$b/today",
      ]);
      expect(await each.listNamespaces({ prefix: ["memory", address.nodeId] })).toHaveLength(1);
      expect(await each.get(["memory", address.nodeId, "perUser", "ada"], "/notes/%a.$b/today")).toMatchObject({
        value: { content: "text" },
      });
    }
  });

  // Requirement: files.moved
  it("answers every call as before, and refuses with the same codes", async () => {
    const address = freshAddress();
    const memory = openStore(layout).memory(address);
    await memory.write("/d/a", "one");
    await openStore(layout).moveMemory(address, { layout: there });
    await memory.append("/d/a", "two");
    expect(await memory.update("/d/a", "two", "2")).toBe(1);
    await memory.edit("/d/a", (text) => `${text}!`);
    await memory.write("/d/new/b", "b", { ifExists: "fail" });
    await memory.rename("/d/new", "/moved");
    expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/d/a", "/moved/b"]);
    await memory.append("/log", "line");
    expect(await memory.readFiles(["/d/a", "/none"])).toEqual(["one\n2!", null]);
    expect((await memory.list("/")).map(({ name }) => name).toSorted()).toEqual(["d", "log", "moved"]);
    expect(await memory.stat("/d")).toMatchObject({ kind: "dir", sizeBytes: 6 });
    expect((await memory.search("line")).map(({ path }) => path)).toEqual(["/log"]);
    expect(await memory.stat("/none")).toBeNull();
    await refuses(memory.read("/none"), "ENOENT");
    await refuses(memory.list("/none"), "ENOENT");
    await refuses(memory.write("/d/a", "x", { ifExists: "fail" }), "EEXIST");
    await refuses(memory.append("/d/a/b", "x"), "ENOTDIR");
    await refuses(memory.rename("/none", "/x"), "ENOENT");
    expect(await memory.delete("/none")).toEqual({ files: 0, dirs: 0 });
    expect(await memory.delete("/d")).toEqual({ files: 1, dirs: 1 });
    expect(await memory.delete("/")).toEqual({ files: 2, dirs: 1 });
    expect((await stored(address))[layout]).toEqual([0, 1]);
  });

  // Requirement: files.moved
  it("is found by each kind of first call of a store that knows of no move", async () => {
    const calls: [string, (memory: Memory, store: MongoMemoryStore, nodeId: string) => Promise<unknown>][] = [
      ["read", (memory) => memory.read("/a/b")],
      ["read of several files", async (memory) => (await memory.readFiles(["/a/b"]))[0]],
      ["list", async (memory) => (await memory.list("/a")).map(() => "text")[0]],
      ["list of the root", async (memory) => (await memory.list("/")).map(() => "text")[0]],
      ["stat", async (memory) => (await memory.stat("/a/b")) && "text"],
      ["stat of a directory", async (memory) => (await memory.stat("/a")) && "text"],
      ["outline", async (memory) => (await memory.outline({ maxContentBytes: 9 })).files[0]?.content],
      [
        "outline of what a connector can show",
        async (memory) => (await memory.outline({ maxPathChars: 4000 })).files.map(() => "text")[0],
      ],
      ["grep", async (memory) => (await memory.grep("text"))[0]?.text],
      ["version and search", async (memory) => (await memory.search("text")).map(() => "text")[0]],
      ["append", (memory) => memory.append("/a/b", "x").then(() => "text")],
      ["update", async (memory) => (await memory.update("/a/b", "text", "x")) === 1 && "text"],
      ["write", async (memory) => ((await memory.stat("/a/b")) ? memory.write("/a/b", "text").then(() => "text") : "")],
      ["creation", (memory) => memory.write("/new", "x", { ifExists: "fail" }).then(() => "text")],
      ["edit", (memory) => memory.edit("/a/b", (text) => text).then(() => "text")],
      ["delete of a file", async (memory) => (await memory.delete("/a/b")).files === 1 && "text"],
      ["delete of a directory", async (memory) => (await memory.delete("/a")).files === 1 && "text"],
      ["delete of everything", async (memory) => (await memory.delete("/")).files === 1 && "text"],
      ["rename", (memory) => memory.rename("/a/b", "/c").then(() => "text")],
      ["rename of a directory", (memory) => memory.rename("/a", "/c").then(() => "text")],
      [
        "get of the store",
        async (_memory, store, nodeId) => (await store.get(["memory", nodeId, "global"], "/a/b"))?.value["content"],
      ],
      [
        "batch of the store",
        async (_memory, store, nodeId) => {
          await store.batch([
            { namespace: ["memory", nodeId, "global"], key: "/a/b", value: null },
            { namespace: ["memory", nodeId, "global"], key: "/a/", value: null },
          ]);
          return (await store.memory({ nodeId }).outline()).directories.length === 0 && "text";
        },
      ],
    ];
    for (const [name, run] of calls) {
      const address = freshAddress();
      await openStore(layout).memory(address).write("/a/b", "text");
      await openStore(layout).moveMemory(address, { layout: there });
      const store = openStore(layout);
      expect({ name, answer: await run(store.memory(address), store, address.nodeId) }).toEqual({
        name,
        answer: "text",
      });
      expect({ name, stored: (await stored(address))[layout] }).toEqual({ name, stored: [0, 1] });
    }
  });

  // Requirement: files.moved
  it("is searched as it is now by a store that has searched it before", async () => {
    const address = freshAddress();
    const [here, away] = [openStore(layout), openStore(there)];
    const memory = here.memory(address);
    const found = async (query: string): Promise<string[]> =>
      (await memory.search(query)).map(({ path, text }) => `${path} ${text}`);
    await memory.write("/a", "an apple");
    await memory.write("/b", "a pear");
    expect(await found("apple")).toEqual(["/a an apple"]);
    for (const to of [there, layout, there]) {
      await away.moveMemory(address, { layout: to });
      expect(await found("pear")).toEqual(["/b a pear"]);
      await away.memory(address).write("/a", `a cherry on ${to}`);
      expect(await found("cherry")).toEqual([`/a a cherry on ${to}`]);
      expect(await found("apple")).toEqual([]);
    }
  });

  // Requirement: files.moved
  it("comes back, and stores that have followed it follow it again", async () => {
    const address = freshAddress();
    const [here, away] = [openStore(layout), openStore(there)];
    await here.memory(address).append("/log", "0");
    for (let round = 1; round <= 4; round += 1) {
      expect(await here.moveMemory(address, { layout: round % 2 === 1 ? there : layout })).toBe(true);
      await here.memory(address).append("/log", `here ${round}`);
      await away.memory(address).append("/log", `away ${round}`);
    }
    const lines = ["0", ...[1, 2, 3, 4].flatMap((round) => [`here ${round}`, `away ${round}`])];
    expect(await openStore(there).memory(address).read("/log")).toBe(lines.join("\n"));
    expect(await stored(address)).toMatchObject({ [layout]: [layout === "document" ? 1 : 2, 0], [there]: [0, 1] });
  });

  // Requirement: files.moved
  it("comes back also when it is empty", async () => {
    const address = freshAddress();
    const memory = openStore(layout).memory(address);
    await memory.write("/a", "x");
    await memory.delete("/a");
    for (const to of [there, layout, there, layout])
      expect(await openStore(layout).moveMemory(address, { layout: to })).toBe(true);
    expect([
      await readTexts(memory),
      await memory.append("/b", "y"),
      await readTexts(openStore(there).memory(address)),
    ]).toEqual([{}, undefined, { "/b": "y" }]);
  });

  // Requirement: files.moved-history
  it("takes its history with it, and goes on with it there", async () => {
    const address = freshAddress();
    const open = (each: LayoutName): Memory =>
      openStore(each, { history: true })
        .memory(address)
        .with({ actor: { userId: "ada" } });
    const memory = open(layout);
    await memory.write("/a", "one");
    await memory.append("/a", "two");
    await memory.rename("/a", "/notes/b");
    expect(await openStore(layout, { history: true }).moveMemory(address, { layout: there })).toBe(true);
    await open(there).append("/notes/b", "three");
    await memory.append("/notes/b", "four");
    for (const each of [memory, open(layout), open(there)]) {
      expect((await listVersions(each)).map(({ operation }) => operation)).toEqual([
        "modified",
        "modified",
        "renamed",
        "modified",
        "created",
      ]);
      expect((await each.history?.read("2"))?.content).toBe("one\ntwo");
      expect((await each.history?.blame("/notes/b"))?.map(({ text }) => text)).toEqual(["one", "two", "three", "four"]);
    }
    await openStore(there).moveMemory(address, { layout });
    await memory.append("/notes/b", "five");
    const versions = await listVersions(memory);
    expect(versions).toHaveLength(6);
    await memory.history?.revert({ path: "/notes/b", to: versions[1]?.id ?? "" });
    expect(await memory.read("/notes/b")).toBe("one\ntwo\nthree\nfour");
  });

  // Requirement: files.moved-history
  it("takes along what waits for a person, and the approval is carried out where it is", async () => {
    const address = freshAddress();
    const memory = openStore(layout).memory(address);
    const node = new MemoryNode({
      store: openStore(layout),
      nodeId: address.nodeId,
      rules: [{ path: "/**", access: "ask" }],
      onAsk: "propose",
    });
    await node.memoryTools[0]?.invoke(
      { command: "append", path: "/a", content: "one" },
      { configurable: { thread_id: "t", user_id: "u" } },
    );
    await memory.write("/b", "two");
    await openStore(layout).moveMemory(address, { layout: there });
    const [proposal] = await all(openStore(there).memory(address).proposals?.list() ?? none());
    await memory.proposals?.approve(proposal?.id ?? "", { by: { userId: "ada" } });
    expect(await readTexts(openStore(there).memory(address))).toEqual({ "/a": "one", "/b": "two" });
  });

  // Requirement: files.moved-forgotten
  it("is forgotten where it is, with its mark, its versions and nothing else", async () => {
    const [address, copy] = [freshAddress(), freshAddress()];
    const store = openStore(layout, { history: true });
    await store.memory(address).write("/a", "one");
    await store.memory(address).write("/a", "two");
    await store.moveMemory(address, { layout: there });
    const made = [openStore(layout, { history: true }), openStore(there, { history: true })];
    for (const each of made) await each.memory(copy).write("/b", "x");
    expect(await openStore(layout, { history: true }).forget(address)).toEqual({
      memories: 1,
      files: 1,
      versions: 2,
      proposals: 0,
    });
    expect(await stored(address)).toEqual({ document: [0, 0], files: [0, 0] });
    expect(await db.collection("memories_versions").countDocuments({ nodeId: address.nodeId })).toBe(0);
    expect(await made[0]?.forget(copy)).toMatchObject({ memories: 1 });
    expect((await listVersions(openStore(there, { history: true }).memory(copy))).length).toBe(1);
    expect(await readTexts(openStore(layout).memory(address))).toEqual({});
  });

  // Requirement: files.moved-forgotten
  it("is made anew at home once it was forgotten, also by a store that has followed it", async () => {
    const address = freshAddress();
    const [store, follower] = [openStore(layout), openStore(layout)];
    await store.memory(address).write("/a", "one");
    await store.moveMemory(address, { layout: there });
    expect(await follower.memory(address).read("/a")).toBe("one");
    await openStore(there).forget(address);
    expect(await readTexts(follower.memory(address))).toEqual({});
    await refuses(follower.memory(address).read("/a"), "ENOENT");
    await follower.memory(address).write("/b", "two");
    expect(await readTexts(store.memory(address))).toEqual({ "/b": "two" });
    expect(await stored(address)).toMatchObject({ [there]: [0, 0] });
  });

  // Requirement: files.moved-forgotten
  it("expires where it is, and a mark that is left is read as an empty memory and goes with the next change", async () => {
    const address = freshAddress();
    // Later than it is: the server sweeps by its own clock.
    let now = new Date("2100-01-01");
    const options = { clock: () => now, expireMs: { global: 60_000 }, memoriesCollection: `expiring_${layout}` };
    const store = openStore(layout, options);
    await store.memory(address).write("/a", "one");
    await store.moveMemory(address, { layout: there });
    now = new Date("2100-01-02");
    const memory = store.memory(address);
    await refuses(memory.read("/a"), "ENOENT");
    expect([await memory.list("/"), await readTexts(memory), await all(store.listMemories())]).toEqual([[], {}, []]);
    await memory.write("/b", "two");
    for (const each of [memory, openStore(layout, options).memory(address)])
      expect(await readTexts(each)).toEqual({ "/b": "two" });
    expect(await store.moveMemory(address, { layout: there })).toBe(true);
    expect(await readTexts(openStore(layout, options).memory(address))).toEqual({ "/b": "two" });
  });

  // Requirement: files.moved
  it("is moved once: a second move, and one of a memory that is nowhere, does nothing", async () => {
    const [address, nowhere] = [freshAddress(), freshAddress()];
    await openStore(layout).memory(address).write("/a", "one");
    const moves = await Promise.all([1, 2, 3].map(() => openStore(layout).moveMemory(address, { layout: there })));
    expect(moves.filter(Boolean)).toHaveLength(1);
    expect(await openStore(there).moveMemory(address, { layout: there })).toBe(false);
    expect(await openStore(layout).moveMemory(nowhere, { layout: there })).toBe(false);
    expect(await stored(nowhere)).toEqual({ document: [0, 0], files: [0, 0] });
  });

  // Requirement: files.moved-refused
  it("stays where it is if the other layout has a memory of its address, too", async () => {
    const address = freshAddress();
    await openStore(layout).memory(address).write("/a", "one");
    await openStore(there).memory(address).write("/b", "two");
    await refuses(openStore(layout).moveMemory(address, { layout: there }), "EEXIST");
    expect([
      await readTexts(openStore(layout).memory(address)),
      await readTexts(openStore(there).memory(address)),
    ]).toEqual([{ "/a": "one" }, { "/b": "two" }]);
  });

  // Requirement: files.moved-watched
  it("is watched there: a watch that began before hears of what others change, at once", async () => {
    const address = freshAddress();
    await openStore(layout).memory(address).write("/a", "one");
    const watching = openStore(layout).memory(address).watch({ pollIntervalMs: 3_600_000 });
    await watching.ready;
    await openStore(layout).moveMemory(address, { layout: there });
    await openStore(there).memory(address).write("/b", "two");
    expect((await watching.next()).value).toMatchObject({ path: "/b" });
    await openStore(there).moveMemory(address, { layout });
    await openStore(there).memory(address).write("/c", "three");
    expect((await watching.next()).value).toMatchObject({ path: "/c" });
    await watching.return();
  });

  // Requirement: files.one-command
  it("takes no command more than one that was never moved, once a store has followed it", async () => {
    const [address, never] = [freshAddress(), freshAddress()];
    await openStore(layout).memory(address).write("/d/a", "text");
    await openStore(layout).moveMemory(address, { layout: there });
    const [moved, usual] = [openStore(layout).memory(address), openStore(there).memory(never)];
    await usual.write("/d/a", "text");
    await moved.write("/d/a", "text");
    const work: ((memory: Memory) => Promise<unknown>)[] = [
      (memory) => memory.read("/d/a"),
      (memory) => memory.append("/d/a", "x"),
      (memory) => memory.write("/d/a", "y"),
      (memory) => memory.list("/d"),
    ];
    for (const run of work) {
      const [one, two] = [await commandsOf(client, () => run(moved)), await commandsOf(client, () => run(usual))];
      expect(one.map(({ commandName }) => commandName)).toEqual(two.map(({ commandName }) => commandName));
    }
  });
});

describe("moving a memory", () => {
  // Requirement: files.moved-refused
  it("is refused if the memory is larger than a document may be, and nothing was moved", async () => {
    const address = freshAddress();
    const store = openStore("files");
    const memory = store.memory(address, { maxFileBytes: 8_000_000 });
    for (const path of ["/a", "/b"]) await memory.write(path, "x".repeat(7_600_000));
    await refuses(
      store.moveMemory(address, { layout: "document" }),
      "ENOSPC",
      "ENOSPC: the memory takes more than 15000000 bytes, and the other layout keeps no larger one; nothing was moved",
    );
    expect(await stored(address)).toEqual({ document: [0, 0], files: [3, 0] });
  });

  // Requirement: files.moved-refused
  it("is refused on a standalone server, and the memory stays as it is", async () => {
    const standalone = testDatabase("standalone");
    const store = new MongoMemoryStore({ client: standalone.client, dbName: standalone.name });
    const address = freshAddress();
    await store.memory(address).write("/a", "one");
    await expect(store.moveMemory(address, { layout: "files" })).rejects.toMatchObject({
      code: "EIO",
      message: expect.stringContaining("needs a replica set"),
    });
    expect(await readTexts(store.memory(address))).toEqual({ "/a": "one" });
  });

  it("refuses bad arguments", async () => {
    await refuses(openStore("files").moveMemory({ nodeId: "" }, { layout: "files" }), "EINVAL");
    await expect(openStore("files").moveMemory({ nodeId: "a" }, { layout: "other" as LayoutName })).rejects.toThrow(
      TypeError,
    );
  });

  // Requirement: files.moved-whole
  it.each(layoutNames)("from %s that is killed in the middle leaves the old memory whole", async (layout) => {
    const server = await privateMongod("replicaSet", { args: ["--setParameter", "transactionLifetimeLimitSeconds=1"] });
    const own = useClient(new MongoClient(server.uri));
    const address = freshAddress();
    const store = new MongoMemoryStore({ client: own, dbName: "test", layout });
    for (const path of ["/a", "/d/b"]) await store.memory(address).write(path, "text");
    await new MongoMemoryStore({ client: own, dbName: "test", layout: other[layout] }).start();
    const worker = spawn(
      process.execPath,
      [compiled("__tests__/helpers/move-worker.ts"), server.uri, "test", address.nodeId, layout],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    await once(worker.stdout, "data");
    expect(await readTexts(store.memory(address))).toEqual({ "/a": "text", "/d/b": "text" });
    worker.kill("SIGKILL");
    await once(worker, "exit");
    await store.memory(address).append("/a", "after");
    expect(await readTexts(store.memory(address))).toEqual({ "/a": "text\nafter", "/d/b": "text" });
    expect(await store.moveMemory(address, { layout: other[layout] })).toBe(true);
  });
});

const workers: Workers[] = [];
afterAll(() => Promise.all(workers.map((each) => each.close())));

/** Moves the memory there and back until `isDone`, and at least so often. */
async function moveToAndFro(address: CheckedAddress, times: number, isDone: () => boolean): Promise<number> {
  let moves = 0;
  for (; moves < times || !isDone(); moves += 1)
    await openStore("document").moveMemory(address, { layout: moves % 2 === 0 ? "files" : "document" });
  return moves;
}

describe("a live memory that moves to and fro", () => {
  // Requirement: files.moved-whole, guarantees.linearizable
  it.each(["files", "tree"] as const)(
    "gives what processes with both layouts do with %s an order that explains every answer",
    async (workload) => {
      const processes = await Workers.start(4, { uri, dbName, layout: layoutNames });
      workers.push(processes);
      for (let round = 0; round < repetitions({ usual: 2, long: 30 }); round += 1) {
        const address = freshAddress() as CheckedAddress;
        const memory = openStore("document").memory(address);
        // From now on a mark says to both kinds of stores where the memory is.
        await memory.write("/first", "x");
        await memory.delete("/first");
        await openStore("document").moveMemory(address, { layout: "files" });
        let isDone = false;
        processes.begin({
          nodeId: address.nodeId,
          workload,
          seed: Math.trunc(Math.random() * 1_000_000),
          calls: repetitions({ usual: 25, long: 60 }),
        });
        const ended = processes.ended().finally(() => (isDone = true));
        const moves = await moveToAndFro(address, 6, () => isDone);
        const history = [...(await ended)];
        const last: Command[] =
          workload === "tree"
            ? [{ name: "snapshot", path: "/" }]
            : workloads.files.paths.map((path) => ({ name: "read", path }));
        for (const command of last) {
          const read = await recordedCall(memory, "the test", command);
          if (read !== null) history.push(operationOf(read));
        }
        expect(moves).toBeGreaterThanOrEqual(6);
        expect(faultOf(history)).toBeUndefined();
      }
    },
  );

  // Requirement: files.moved-whole
  it.each([false, true])(
    "keeps each acknowledged line once and in the order of its writer, with history: %s",
    async (history) => {
      const address = freshAddress() as CheckedAddress;
      const clients = layoutNames.map((layout) => ({ layout, client: useClient(new MongoClient(uri)) }));
      const stores = clients.map((each) => new MongoMemoryStore({ ...each, dbName, history }));
      await stores[0]?.memory(address).write("/log", "begin");
      await stores[0]?.moveMemory(address, { layout: "files" });
      const counts = [0, 0, 0, 0];
      let isDone = false;
      const writers = counts.map(async (_, writer) => {
        const memory = stores[writer % 2]?.memory(address);
        for (let line = 0; !isDone; line += 1) {
          await memory?.append("/log", `${writer} ${line}`);
          await memory?.write(`/made/${writer}/${line}`, "x", { ifExists: "fail" });
          if (line % 2 === 0) await memory?.delete(`/made/${writer}/${line}`);
          counts[writer] = line + 1;
        }
      });
      let moves = 0;
      const mover = new MongoMemoryStore({ client, dbName, history });
      for (; moves < 6; moves += 1) {
        const before = [...counts];
        expect(await mover.moveMemory(address, { layout: moves % 2 === 0 ? "document" : "files" })).toBe(true);
        await until(() => counts.every((count, writer) => count > (before[writer] ?? 0)));
      }
      isDone = true;
      await Promise.all(writers);
      const lines = (await mover.memory(address).read("/log")).split("\n");
      counts.forEach((count, writer) => {
        expect(lines.filter((line) => line.startsWith(`${writer} `))).toEqual(
          Array.from({ length: count }, (_, line) => `${writer} ${line}`),
        );
      });
      const made = counts.flatMap((count, writer) =>
        Array.from({ length: count }, (_, line) => line)
          .filter((line) => line % 2 === 1)
          .map((line) => `/made/${writer}/${line}`),
      );
      expect(Object.keys(await readTexts(mover.memory(address))).toSorted()).toEqual([...made, "/log"].toSorted());
      if (history) {
        const versions = await listVersions(mover.memory(address));
        const total = counts.reduce((sum, count) => sum + count, 0);
        const deleted = counts.reduce((sum, count) => sum + Math.ceil(count / 2), 0);
        expect(versions).toHaveLength(1 + 2 * total + deleted);
        expect(new Set(versions.map(({ id }) => id)).size).toBe(versions.length);
      }
    },
  );
});
