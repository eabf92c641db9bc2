import { describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { type CommandStartedEvent, type Document, MongoClient } from "mongodb";
import { addressFor, type CheckedAddress, memoryScopes } from "../../../src/core/values/address.js";
import type { MemoryError } from "../../../src/core/values/errors.js";
import type { Memory, MemoryOutline } from "../../../src/core/memory.js";
import { compareCodeUnits } from "../../../src/core/values/text.js";
import { MemoryNode } from "../../../src/graph/memory-node.js";
import { createMemoryPage } from "../../../src/page/index.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import type { MongoMemoryStoreOptions } from "../../../src/mongodb/store/store-options.js";
import { freshAddress, refuses } from "../../../src/testing/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { examined } from "../../helpers/examined.js";
import { askPage, pageQuery, pageToken } from "../../helpers/page-client.js";
import { isLong } from "../../helpers/repetitions.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { until, untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

const { db, name: dbName, uri } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const store = new MongoMemoryStore({ client, dbName, layout: "files" });
const documents = db.collection<{ _id: string }>("memories_files");

function storeWith(options: Partial<MongoMemoryStoreOptions>): MongoMemoryStore {
  return new MongoMemoryStore({ client, dbName, layout: "files", ...options });
}

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of stream) found.push(each);
  return found;
}

/** Commands that the server gets of a call, but for those that end a transaction or a cursor. */
async function getNames(run: () => Promise<unknown>): Promise<string[]> {
  return (await commandsOf(client, run)).map(({ commandName }) => commandName);
}

/** Waits for a call that is refused. */
async function refused(call: Promise<unknown>): Promise<void> {
  await expect(call).rejects.toMatchObject({ name: "MemoryError" });
}

describe("the layout files", () => {
  // Requirement: files.standalone-refused
  it("is refused on a standalone server, with the reason and what to do", async () => {
    const standalone = testDatabase("standalone");
    const memory = new MongoMemoryStore({ client: standalone.client, dbName: standalone.name, layout: "files" }).memory(
      freshAddress(),
    );
    for (const call of [memory.read("/a"), memory.write("/a", "x"), memory.snapshot()]) {
      await refuses(
        call,
        "EIO",
        'EIO: the layout "files" needs a replica set or a sharded cluster, as MongoDB has no transactions on a standalone server; make it a replica set of one (--replSet, rs.initiate()), or use the layout "document"',
      );
    }
    expect(await standalone.db.listCollections().toArray()).toEqual([]);
  });

  // Requirement: mongodb.exact-collation
  it("refuses a collection with a default collation, in which ids would be equal that are not", async () => {
    const memoriesCollection = `m ${freshAddress().nodeId}`;
    await db.createCollection(`${memoriesCollection}_files`, { collation: { locale: "en", strength: 2 } });
    await expect(storeWith({ memoriesCollection }).start()).rejects.toMatchObject({
      code: "EIO",
      message: expect.stringContaining("default collation"),
    });
  });

  // Requirement: files.document-for-each-file
  it("keeps a document for each file and directory, whose ids begin with the memory", async () => {
    const address = freshAddress();
    await store.memory(address).write("/a/b", "text");
    const found = await documents.find({ _id: { $regex: `^g\u0001${address.nodeId}` } }).toArray();
    expect(found.map(({ _id, ...fields }) => [_id.replace(address.nodeId, "N"), fields])).toEqual([
      ["g\u0001N\0", expect.objectContaining({ kind: "dir", nodeId: address.nodeId, scope: "global" })],
      ["g\u0001N\0\0a", expect.objectContaining({ kind: "dir" })],
      ["g\u0001N\0/a\0b", expect.objectContaining({ kind: "file", text: "text", sizeBytes: 4 })],
    ]);
  });
});

describe("commands of the layout files", () => {
  const work: [string, (memory: Memory) => Promise<unknown>, number][] = [
    ["read", (memory) => memory.read("/d/a"), 1],
    ["list", (memory) => memory.list("/d"), 1],
    ["list of the root", (memory) => memory.list("/"), 1],
    ["stat of a file", (memory) => memory.stat("/d/a"), 1],
    ["snapshot", (memory) => memory.snapshot(), 1],
    ["outline for a connector", (memory) => memory.outline({ maxPathChars: 4000 }), 1],
    ["append to a file", (memory) => memory.append("/d/a", "x"), 1],
    ["update", (memory) => memory.update("/d/a", "text", "x"), 1],
    ["update that replaces nothing", (memory) => memory.update("/d/a", "none", "x"), 1],
    ["write of a file", (memory) => memory.write("/d/a", "x"), 1],
    ["edit", (memory) => memory.edit("/d/a", () => "x"), 2],
    ["delete of a file", (memory) => memory.delete("/d/a"), 1],
    ["creation", (memory) => memory.write("/d/new", "x"), 4],
    ["creation by an append", (memory) => memory.append("/d/new", "x"), 4],
    ["creation with a directory", (memory) => memory.write("/d/e/new", "x"), 4],
    ["rename of a file", (memory) => memory.rename("/d/a", "/d/b"), 4],
    ["delete of nothing", (memory) => memory.delete("/d/none"), 3],
    ["refused append", (memory) => refused(memory.append("/d", "x")), 3],
    ["refused update", (memory) => refused(memory.update("/d", "x", "y")), 3],
    ["refused edit", (memory) => refused(memory.edit("/d", () => "x")), 3],
    ["refused creation", (memory) => refused(memory.write("/d/a", "x", { ifExists: "fail" })), 3],
  ];

  // Requirement: files.one-command
  it.each(work)("%s are few", async (_name, run, most) => {
    const memory = store.memory(freshAddress());
    await memory.write("/d/a", "text");
    expect((await getNames(() => run(memory))).length).toBeLessThanOrEqual(most);
  });

  const changes: [string, (memory: Memory) => Promise<unknown>][] = [
    ["append", (memory) => memory.append("/d/a", "x")],
    ["update", (memory) => memory.update("/d/a", "text", "x")],
    ["write", (memory) => memory.write("/d/a", "x")],
    ["edit", (memory) => memory.edit("/d/a", () => "x")],
    ["creation", (memory) => memory.write("/d/new", "x", { ifExists: "fail" })],
  ];

  // Requirement: files.one-command
  it.each(changes)(
    "%s finds documents by their id alone, which the server does without planning",
    async (_name, run) => {
      const memory = store.memory(freshAddress());
      await memory.write("/d/a", "text");
      const sent = (await commandsOf(client, () => run(memory))).map(({ command }) => command);
      const found = sent
        .flatMap((command): Document[] => (command["updates"] as Document[] | undefined) ?? [command])
        .filter(({ q, query, filter }) => q ?? query ?? filter);
      expect(found).not.toEqual([]);
      for (const { q, query, filter, hint } of found)
        expect([Object.keys((q ?? query ?? filter) as object), hint ?? { _id: 1 }]).toEqual([["_id"], { _id: 1 }]);
    },
  );
});

describe("commands of a memory of the layout files name its shard", () => {
  const work: [string, (memory: Memory) => Promise<unknown>][] = [
    ["append", (memory) => memory.append("/a/b", "x")],
    ["update", (memory) => memory.update("/notes/today", "text", "other")],
    ["write", (memory) => memory.write("/notes/today", "x")],
    ["creation", (memory) => memory.write("/notes/new/one", "x")],
    [
      "creations at the same time",
      (memory) => Promise.all(["/n/1", "/n/2", "/m/1"].map((path) => memory.write(path, "x"))),
    ],
    ["edit", (memory) => memory.edit("/notes/today", (text) => `${text}!`)],
    ["delete of a file", (memory) => memory.delete("/notes/today")],
    ["delete of a directory", (memory) => memory.delete("/notes")],
    ["delete of everything", (memory) => memory.delete("/")],
    ["rename of a file", (memory) => memory.rename("/notes/today", "/moved")],
    ["rename of a directory", (memory) => memory.rename("/notes", "/moved")],
    ["read", (memory) => memory.read("/notes/today")],
    ["read of several files", (memory) => memory.readFiles(["/notes/today", "/b"])],
    ["list", (memory) => memory.list("/notes")],
    ["stat", (memory) => memory.stat("/notes")],
    ["snapshot", (memory) => memory.snapshot()],
    ["outline", (memory) => memory.outline({ maxContentBytes: 100 })],
    [
      "search after a change",
      async (memory) => {
        await memory.search("text");
        await memory.append("/notes/today", "x");
        await memory.search("text");
      },
    ],
  ];
  const cases = memoryScopes.flatMap((scope) => work.map(([title, run]) => ({ scope, title, run })));

  // Requirement: mongodb.shard-targeted
  it.each(cases)("$scope: $title", async ({ scope, run }) => {
    const address = addressFor(freshAddress().nodeId, scope, "t");
    const memory = store.memory(address);
    await memory.write("/notes/today", "text");
    const events = await commandsOf(client, () => run(memory));
    const ids = events.filter(({ databaseName }) => databaseName === dbName).flatMap(idsIn);
    expect(ids).not.toEqual([]);
    for (const id of ids) expect(id.startsWith(`${getKey(address)}\0`) || id === `${getKey(address)}\u0001`).toBe(true);
  });
});

/** As a router sees it: what the `_id` of a document must be, or lie between, or what is inserted. */
function idsIn({ commandName, command }: CommandStartedEvent): string[] {
  if (commandName === "insert") return (command["documents"] as { _id: string }[]).map(({ _id }) => _id);
  if (commandName === "getMore") return [];
  const { filter, query, updates, deletes, pipeline } = command as Record<string, Document | Document[] | undefined>;
  const ofWrites = ((updates ?? deletes ?? []) as { q: Document }[]).map(({ q }) => q);
  const ofPipeline = ((pipeline ?? []) as Document[]).slice(0, 1).map((stage) => stage["$match"] as Document);
  return [filter, query, ...ofWrites, ...ofPipeline].flatMap((one) =>
    one === undefined ? [] : getBounds(one as Document),
  );
}

function getBounds(filter: Document): string[] {
  const alternatives = filter["$or"] as Document[] | undefined;
  if (alternatives !== undefined && !("_id" in filter)) return alternatives.flatMap(getBounds);
  const id = filter["_id"] as string | { $gte: string; $lt: string } | { $in: string[] } | undefined;
  if (id === undefined) throw new Error(`no _id in ${JSON.stringify(filter)}`);
  if (typeof id === "string") return [id];
  return "$in" in id ? id.$in : [id.$gte, id.$lt];
}

function getKey(address: CheckedAddress): string {
  const { nodeId, scope } = address;
  return scope === "global" ? `g\u0001${nodeId}` : `${scope === "perThread" ? "t" : "u"}\u0001${nodeId}\u0001t`;
}

describe("a memory of the layout files is as fast at any size", () => {
  const sizes = isLong ? [10, 1000, 100_000] : [10, 1000];
  const work: [string, (memory: Memory) => Promise<unknown>][] = [
    ["read", (memory) => memory.read("/f/5")],
    ["append", (memory) => memory.append("/f/5", "x")],
    ["update", (memory) => memory.update("/f/5", "text", "text")],
    ["write", (memory) => memory.write("/f/5", "text")],
    [
      "creation and delete",
      async (memory) => {
        await memory.write("/f/new", "x", { ifExists: "fail" });
        await memory.delete("/f/new");
      },
    ],
    [
      "rename",
      async (memory) => {
        await memory.rename("/f/6", "/g/6");
        await memory.rename("/g/6", "/f/6");
      },
    ],
    ["list of a small directory", (memory) => memory.list("/g")],
    ["stat of a small directory", (memory) => memory.stat("/g")],
  ];

  // Requirement: files.flat
  it(
    "by the keys and documents that each command examines",
    async () => {
      const figures: Record<string, unknown[]> = {};
      for (const size of sizes) {
        const address = freshAddress();
        const memory = store.memory(address);
        await memory.write("/g/a", "text");
        await fill(address, size);
        for (const [title, run] of work)
          (figures[title] ??= []).push(await examined(db, "memories_files", () => run(memory)));
      }
      for (const [title, [first, ...others]] of Object.entries(figures))
        for (const other of others) expect({ title, other }).toEqual({ title, other: first });
    },
    isLong ? 300_000 : 60_000,
  );

  // Requirement: files.outline-bounded
  it(
    "by the places of an index that a connector examines, more than it counts to and no document",
    async () => {
      for (const size of isLong ? [12_000, 100_000] : [12_000]) {
        const address = freshAddress();
        await fill(address, size);
        const connector = new MemoryNode({ store, nodeId: address.nodeId }).createConnector();
        const found = await examined(db, "memories_files", () => connector.renderMessage());
        expect(found).toEqual(
          [446, 10_555].map((keysExamined) => ({ op: "query", command: "find", keysExamined, docsExamined: 0 })),
        );
        const text = (await connector.renderMessage())?.content;
        const events = await commandsOf(client, () => connector.renderMessage());
        expect(events.map(({ commandName }) => commandName)).toEqual(["find", "find"]);
        for (const id of events.flatMap(idsIn))
          expect(
            id.startsWith(`${getKey({ scope: "global", ...address })}\0`) ||
              id === `${getKey({ scope: "global", ...address })}\u0001`,
          ).toBe(true);
        expect(
          (await askPage(createMemoryPage({ store, token: pageToken }), `/api/message?${pageQuery(address)}`)).json,
        ).toMatchObject({ text, entries: 10_000, isMore: true, leftOut: 10_000, isMoreLeftOut: true });
        expect(text).toMatch(
          /^\/f\/0 \(4 bytes\)$[^]*^\(more than 10000 entries left out, deepest first: limit 4000 characters\)$/m,
        );
      }
    },
    isLong ? 300_000 : 60_000,
  );

  // Requirement: files.outline-bounded
  it("by the commands that read a whole outline", async () => {
    const address = { nodeId: `${randomUUID()}${"\uFFFD".repeat(476)}` };
    await fill(address, 4000);
    const outlines: MemoryOutline[] = [];
    const sent = await commandsOf(client, async () =>
      outlines.push(await store.memory(address).outline({ maxPathChars: 4000 })),
    );
    // The beginning, whether there is much more, and the rest.
    expect(sent.map(({ commandName }) => commandName)).toEqual(["find", "find", "find"]);
    expect(outlines).toEqual([
      {
        files: Array.from({ length: 4000 }, (_, index) => ({ path: `/f/${index}`, sizeBytes: 4 })).toSorted((a, b) =>
          compareCodeUnits(a.path, b.path),
        ),
        directories: ["/f"],
        revision: null,
      },
    ]);
  });
});

async function fill(address: { nodeId: string }, size: number): Promise<void> {
  await store.memory(address).write("/f/0", "text");
  const at = new Date();
  const file = (index: number): Document & { _id: string } => ({
    _id: `g\u0001${address.nodeId}\0/f\0${index}`,
    kind: "file",
    text: "text",
    sizeBytes: 4,
    createdAt: at,
    updatedAt: at,
  });
  for (let start = 1; start < size; start += 10_000) {
    const count = Math.min(10_000, size - start);
    await db
      .collection<Document & { _id: string }>("memories_files")
      .insertMany(Array.from({ length: count }, (_, index) => file(start + index)));
  }
}

describe("changes of the tree of the layout files", () => {
  // Requirement: files.creations-gathered
  it("that make files at the same time are gathered, each with its own answer", async () => {
    const memory = store.memory(freshAddress());
    await memory.write("/d/taken", "x");
    const paths = Array.from({ length: 60 }, (_, index) => `/d/${index}`);
    const outcomes = Promise.allSettled([
      ...paths.map((path) => memory.write(path, path, { ifExists: "fail" })),
      memory.write("/d/taken", "y", { ifExists: "fail" }),
      memory.write("/d/taken/below", "y"),
      memory.write("/d/0/below", "y"),
      memory.write("/d/1", "y", { ifExists: "fail" }),
    ]);
    const commits = (await getNames(() => outcomes)).filter((each) => each === "commitTransaction");
    const codes = (await outcomes)
      .slice(60)
      .map((outcome) => (outcome.status === "rejected" ? (outcome.reason as MemoryError).code : "made"));
    expect((await outcomes).slice(0, 60).filter(({ status }) => status === "rejected")).toEqual([]);
    expect(codes).toEqual(["EEXIST", "ENOTDIR", "ENOTDIR", "EEXIST"]);
    expect(commits.length).toBeLessThan(10);
    expect((await memory.snapshot()).files.map(({ path }) => path).toSorted()).toEqual(
      [...paths, "/d/taken"].toSorted(),
    );
  });

  // Requirement: guarantees.delete-racing-append, files.transactions
  it("of two stores that race end in one of the orders, and leave no file without its directory", async () => {
    const other = new MongoMemoryStore({ client: useClient(new MongoClient(uri)), dbName, layout: "files" });
    const address = freshAddress();
    const [one, two] = [store.memory(address), other.memory(address)];
    for (let round = 0; round < 15; round += 1) {
      await one.write("/d/e/a", "x");
      const [deleted, made, moved] = await Promise.allSettled([
        one.delete("/d"),
        two.write("/d/e/b", "x"),
        two.rename("/d/e", "/moved"),
      ]);
      expect([deleted.status, made.status]).toEqual(["fulfilled", "fulfilled"]);
      if (moved.status === "rejected") expect(moved.reason).toMatchObject({ code: "ENOENT" });
      const { files, directories } = await one.snapshot();
      const parents = files.map(({ path }) => path.slice(0, path.lastIndexOf("/"))).filter((path) => path !== "");
      expect(directories).toEqual(expect.arrayContaining(parents));
      expect(files.map(({ path }) => path)).toEqual(
        files.map(({ path }) => path).filter((path) => /^\/(?:d\/e|moved)\/[ab]$/.test(path)),
      );
      await one.delete("/");
    }
  });

  // Requirement: files.transactions
  it("of several stores at the same time in one directory are all made", async () => {
    const stores = [
      store,
      ...Array.from(
        { length: 3 },
        () => new MongoMemoryStore({ client: useClient(new MongoClient(uri)), dbName, layout: "files" }),
      ),
    ];
    const address = freshAddress();
    const paths = Array.from({ length: 60 }, (_, index) => `/d/${index}`);
    await Promise.all(paths.map(async (path, index) => stores[index % 4]?.memory(address).write(path, path)));
    expect((await store.memory(address).list("/d")).length).toBe(60);
  });
});

describe("a transaction of the layout files", () => {
  // Requirement: files.transactions, guarantees.never-repeated-blindly
  it("whose end is not answered is ended once more, and made once", async () => {
    const server = await privateMongod("replicaSet");
    const own = useClient(new MongoClient(server.uri));
    const memory = new MongoMemoryStore({ client: own, dbName: "test", layout: "files" }).memory({ nodeId: "a" });
    await memory.write("/d/a", "x");
    const failing = (commands: string[], more: object, mode: object = { times: 1 }): Promise<unknown> =>
      own.db("admin").command({ configureFailPoint: "failCommand", mode, data: { failCommands: commands, ...more } });
    await failing(["commitTransaction"], { closeConnection: true });
    await memory.write("/d/b", "x");
    await failing(["insert"], { closeConnection: true });
    await memory.write("/d/c", "x");
    await failing(["insert"], { errorCode: 112, errorLabels: ["TransientTransactionError"] }, { times: 3 });
    await memory.write("/d/d", "x");
    expect((await memory.list("/d")).map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
    await failing(["commitTransaction"], { closeConnection: true }, { times: 20 });
    const outcome = await memory.write("/d/e", "x").catch((error: unknown) => error);
    expect(outcome).toMatchObject({ code: "EIO", message: expect.stringContaining("the outcome is unknown") });
    await own.db("admin").command({ configureFailPoint: "failCommand", mode: "off" });
    expect(["d", "e"]).toContain((await memory.list("/d")).at(-1)?.name);
  });
});

describe("a server of the layout files that goes away", () => {
  // Requirement: files.transactions, guarantees.survives-kill, guarantees.storage-back
  it("loses no file that it has acknowledged by kill -9, and leaves none without its directory", async () => {
    const server = await privateMongod("replicaSet");
    const own = useClient(new MongoClient(server.uri, { serverSelectionTimeoutMS: 500 }));
    const memory = new MongoMemoryStore({ client: own, dbName: "crash", layout: "files" }).memory(freshAddress());
    await untilAnswers(memory);
    const acknowledged: string[] = [];
    const failed: unknown[] = [];
    const stopped = new AbortController();
    const creator = async (writer: number): Promise<void> => {
      for (let index = 0; !stopped.signal.aborted; index += 1) {
        const path = `/${index % 3}/${writer}/${index}`;
        await memory.write(path, path, { ifExists: "fail" }).then(
          () => acknowledged.push(path),
          (error: unknown) => failed.push(error),
        );
      }
    };
    const creators = [0, 1, 2, 3].map(creator);
    await until(() => acknowledged.length > 100);
    await server.kill();
    stopped.abort();
    await Promise.all(creators);
    expect(failed.length).toBeGreaterThan(0);
    for (const error of failed)
      expect(error).toMatchObject({ code: "EIO", message: expect.stringContaining("the outcome is unknown") });
    expect(await memory.read("/0/0/0").catch((error: unknown) => error)).toMatchObject({ code: "EIO" });
    await server.restart();
    await untilAnswers(memory);
    const { files, directories } = await memory.snapshot();
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(acknowledged));
    const known = new Set(["/", ...directories]);
    const orphans = [...files.map(({ path }) => path), ...directories].filter(
      (path) => !known.has(path.slice(0, path.lastIndexOf("/")) || "/"),
    );
    expect(orphans).toEqual([]);
    await memory.write("/after", "x");
  });
});

describe("a watch of the layout files", () => {
  // Requirement: watch.streams
  it("is told by the server of what others change, at once", async () => {
    const address = freshAddress();
    const watching = store.memory(address).watch({ pollIntervalMs: 3_600_000 });
    await watching.ready;
    const other = new MongoMemoryStore({ client: useClient(new MongoClient(uri)), dbName, layout: "files" }).memory(
      address,
    );
    const told: string[] = [];
    const listening = (async (): Promise<void> => {
      for await (const { operation, path } of watching) told.push(`${operation} ${path}`);
    })();
    const steps: [() => Promise<unknown>, string[]][] = [
      [() => other.write("/d/a", "1"), ["created /d", "created /d/a"]],
      [() => other.append("/d/a", "2"), ["modified /d/a"]],
      [() => other.delete("/d"), ["deleted /d/a", "deleted /d"]],
    ];
    let expected: string[] = [];
    for (const [step, tells] of steps) {
      await step();
      expected = [...expected, ...tells];
      await until(() => told.length >= expected.length);
      expect(told).toEqual(expected);
    }
    await watching.return();
    await listening;
  });
});

describe("memories of the layout files", () => {
  // Requirement: erasing.list, erasing.forget
  it("are listed with sizes and times, and forgotten with all their documents", async () => {
    const collection = { memoriesCollection: `m ${freshAddress().nodeId}` };
    const own = storeWith(collection);
    const people = ["ada", "bob"].flatMap((userId) =>
      ["a", "b"].map((nodeId) => ({ nodeId, scope: "perUser" as const, userId })),
    );
    for (const address of people) await own.memory(address).write("/d/a", "text");
    await own.memory({ nodeId: "a" }).write("/b", "é");
    await own.memory({ nodeId: "a" }).delete("/b");
    const summary = { createdAt: expect.any(Date), updatedAt: expect.any(Date) };
    expect(await all(own.listMemories())).toEqual([
      { address: { nodeId: "a", scope: "global" }, files: 0, sizeBytes: 0, ...summary },
      ...["a", "b"].flatMap((nodeId) =>
        ["ada", "bob"].map((userId) => ({
          address: { nodeId, scope: "perUser", userId },
          files: 1,
          sizeBytes: 4,
          ...summary,
        })),
      ),
    ]);
    expect(await own.listNamespaces()).toEqual(
      ["a", "b"].flatMap((nodeId) => ["ada", "bob"].map((userId) => ["memory", nodeId, "perUser", userId])),
    );
    expect(await own.forget({ userId: "ada" })).toEqual({ memories: 2, files: 2, versions: 0, proposals: 0 });
    expect(await own.forget({ userId: "ada" })).toEqual({ memories: 0, files: 0, versions: 0, proposals: 0 });
    const left = await db.collection<{ _id: string }>(`${collection.memoriesCollection}_files`).find().toArray();
    expect(left.filter(({ _id }) => _id.includes("ada"))).toEqual([]);
    expect((await all(own.listMemories({ userId: "bob" }))).length).toBe(2);
  });

  // Requirement: expiring.gone-at-once, files.expiry
  it("are gone at the moment when they expire, stay as long as anything in them changes, and are swept", async () => {
    const collection = { memoriesCollection: `m ${freshAddress().nodeId}` };
    let now = 1_000_000_000_000;
    const own = (): MongoMemoryStore =>
      storeWith({ ...collection, expireMs: { perThread: 16_000 }, clock: () => new Date(now) });
    const at = (threadId: string): Memory => own().memory({ nodeId: "a", scope: "perThread", threadId });
    const one = at("1");
    await one.write("/d/a", "x");
    await one.write("/d/b", "x");
    now += 10_000;
    await one.append("/d/a", "y");
    now += 500;
    // Less than what the root may be behind.
    await one.append("/d/a", "z");
    for (const memory of [one, at("1")]) {
      now = 1_000_000_026_499;
      expect(await memory.read("/d/b")).toBe("x");
      expect((await all(own().listMemories())).length).toBe(1);
      now = 1_000_000_026_500;
      await refuses(memory.read("/d/b"), "ENOENT");
      expect(await memory.snapshot()).toMatchObject({ files: [], directories: [] });
      expect(await all(own().listMemories())).toEqual([]);
      expect(await own().listNamespaces()).toEqual([]);
      expect(await own().search(["memory"])).toEqual([]);
    }
    await one.append("/d/a", "new");
    expect((await one.snapshot()).files.map(({ path, content }) => [path, content])).toEqual([["/d/a", "new"]]);
    await at("2").write("/a", "x");
    now += 200_000;
    await at("3").write("/a", "x");
    const left = await db.collection<{ _id: string }>(`${collection.memoriesCollection}_files`).find().toArray();
    expect(left.map(({ _id }) => _id.slice(0, 5))).toEqual(["t\u0001a\u00013", "t\u0001a\u00013"]);
  });
});
