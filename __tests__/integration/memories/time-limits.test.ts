import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { MongoClient } from "mongodb";
import { type Memory, MemoryTool, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { createJournalTools } from "../../../src/langchain/journal/index.js";
import { createRecordTools } from "../../../src/langchain/records/index.js";
import { withinTime } from "../../../src/core/runtime/call.js";
import { ExactCollection } from "../../../src/mongodb/driver/exact-collection.js";
import { failCommands } from "../../helpers/fail-commands.js";
import { getFailure } from "../../helpers/get-failure.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { changeStatuses } from "../../../src/core/contract/change-record.js";
import { commandsOf } from "../../helpers/commands-of.js";
import type { PrivateMongod } from "../../helpers/mongo-servers.js";
import { getProposals, memoryChanges, memoryReads, storeCalls } from "../../helpers/store-calls.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { readAll } from "../../helpers/read-all.js";
import { untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

const stopped = new Error("stopped");
const overdue = expect.stringMatching(/^EIO: no answer within 100 ms/);

/** Aborts a call once it is under way. */
async function aborted(call: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
  const controller = new AbortController();
  const outcome = call(controller.signal).catch((error: unknown) => error);
  await sleep(20);
  controller.abort(stopped);
  return outcome;
}

const ofMemories = Object.entries({
  ...memoryReads,
  ...memoryChanges,
  ...Object.fromEntries(
    changeStatuses.map((status) => [
      `proposals.list of ${status}`,
      (memory: Memory) => getProposals(memory).list({ status })[Symbol.asyncIterator]().next(),
    ]),
  ),
});

interface Silent {
  /** With a time limit of 100 ms. */
  hasty: MongoMemoryStore;
  /** With none. */
  patient: MongoMemoryStore;
  memory: Memory;
}

const silentOptions = { dbName: "silent", history: true, expireMs: { perUser: 1_000_000 } } as const;

/** The limits of the driver never end a call here: one that its own limit does not end lasts for ever. */
async function openPort(): Promise<Silent> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on("error", () => undefined).resume()));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const patience = { serverSelectionTimeoutMS: 2 ** 31 - 1, connectTimeoutMS: 2 ** 31 - 1 };
  const client = useClient(new MongoClient(`mongodb://127.0.0.1:${port}/`, patience));
  const hasty = new MongoMemoryStore({ ...silentOptions, client, timeoutMs: 100 });
  const patient = new MongoMemoryStore({ ...silentOptions, client, timeoutMs: Infinity });
  return { hasty, patient, memory: patient.memory({ nodeId: "a" }) };
}

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

interface Frozen extends Silent {
  mongod: PrivateMongod;
  owned: MongoMemoryStore;
  node: MemoryNode;
}

let frozen: Promise<Frozen> | undefined;

/** The same for all tests of this file. Each but the last one leaves it frozen. */
const openFrozen = (): Promise<Frozen> => (frozen ??= startFrozen());

async function startFrozen(): Promise<Frozen> {
  const mongod = await privateMongod("standalone");
  const client = useClient(new MongoClient(mongod.uri));
  /** A time limit that a busy machine keeps before the server is frozen, too. */
  const patient = new MongoMemoryStore({ ...silentOptions, client });
  const hasty = new MongoMemoryStore({ ...silentOptions, client, timeoutMs: 100 });
  const owned = await MongoMemoryStore.fromConnString(mongod.uri, { dbName: "silent" });
  const node = new MemoryNode({ ...freshAddress(), store: patient });
  const memory = node.memory();
  await patient.start();
  await untilAnswers(hasty.memory(memory.address));
  await startPatiently(hasty);
  await memory.write("/a", "x");
  await owned.put(["a"], "k", {});
  await mongod.pause();
  return { mongod, hasty, patient, memory, owned, node };
}

const { start: _startedAlready, ...otherCalls } = storeCalls;

describe.each<[string, () => Promise<Silent>, typeof storeCalls]>([
  ["a port that accepts connections and never answers", openPort, storeCalls],
  ["a frozen mongod", openFrozen, otherCalls],
])("%s", (_title, open, calls) => {
  let hasty: MongoMemoryStore;
  let patient: MongoMemoryStore;
  let memory: Memory;
  beforeAll(async () => {
    ({ hasty, patient, memory } = await open());
  });

  it.each(Object.entries(calls))("ends %s of a store when its time is up", async (_name, call) => {
    await expect(call(hasty)).rejects.toMatchObject({ code: "EIO", message: overdue });
  });

  it.each(ofMemories)(
    "ends %s when its time is up or its signal aborts, and is asked nothing after that",
    async (_name, call) => {
      // One after the other, because a change that waits behind another one ends with a message of its own.
      for (const given of [memory.with({ timeoutMs: 100 }), hasty.memory(memory.address)])
        expect(await getFailure(call(given))).toMatchObject({ code: "EIO", message: overdue });
      // The change of a call without a time limit stays in its place, so each has a memory of its own.
      const alone = patient.memory(freshAddress());
      expect(await aborted((signal) => call(alone.with({ signal })))).toBe(stopped);
      await expect(call(memory.with({ signal: AbortSignal.abort(stopped) }))).rejects.toBe(stopped);
    },
  );
});

describe("a frozen mongod", () => {
  it("is told to the model by the tools of every dialect and of deepagents", async () => {
    const { hasty, memory } = await openFrozen();
    const hastyMemory = hasty.memory(memory.address);
    const [write, , read] = createJournalTools(hastyMemory);
    const [add] = createRecordTools(hastyMemory);
    const answers = await Promise.all([
      new MemoryTool({ memory: hastyMemory }).invoke({ path: "/a", command: "append", content: "y" }),
      createClaudeMemoryTool(hastyMemory).invoke({ command: "view", path: "/memories" }),
      write?.invoke({ key: "k", content: "y" }),
      read?.invoke({ key: "k" }),
      add?.invoke({ path: "r", content: "y" }),
      new DeepAgentsBackend(hastyMemory).read("/a").then(({ error }) => error),
    ]);
    expect(answers).toEqual(answers.map(() => expect.stringContaining("no answer within 100 ms")));
  });

  it("leaves a model without its memory when the time is up", async () => {
    const told: string[] = [];
    const { hasty } = await openFrozen();
    const onError = ({ message }: Error): number => told.push(message);
    const messages = [new HumanMessage("hello")];
    const connector = new MemoryNode({ ...freshAddress(), store: hasty }).createConnector({ onError });
    expect(await connector.inject(messages)).toBe(messages);
    expect(told).toEqual([overdue]);
  });

  const read = { path: "/a", command: "read" } as const;
  it.each<[string, (signal: AbortSignal, of: Frozen) => Promise<unknown>]>([
    ["a tool called directly", (signal, { memory }) => new MemoryTool({ memory }).invoke(read, { signal })],
    ["the tool of a node", async (signal, { node }) => node.memoryTools[0]?.invoke(read, { signal })],
    [
      "the journal",
      async (signal, { memory }) => createJournalTools(memory)[0]?.invoke({ key: "k", content: "y" }, { signal }),
    ],
    ["a connector", (signal, { node }) => node.createConnector().inject([new HumanMessage("hello")], { signal })],
    ["a rendering", (signal, { node }) => node.createConnector().renderMessage({ signal })],
  ])("lets go of %s that is aborted", async (_name, call) => {
    const silent = await openFrozen();
    expect(await aborted((signal) => call(signal, silent))).toBe(stopped);
  });

  it("ends the stop of a store that owns its client", async () => {
    const { owned } = await openFrozen();
    await owned.stop();
    await expect(owned.get(["a"], "k")).rejects.toMatchObject({ message: expect.stringContaining("store is stopped") });
  });

  it("gets no change, when it goes on, that was over while it waited for a connection", async () => {
    const { mongod } = await openFrozen();
    const address = freshAddress();
    const narrow = useClient(new MongoClient(mongod.uri, { maxPoolSize: 1 }));
    mongod.resume();
    const changed = new MongoMemoryStore({ client: narrow, dbName: "silent" }).memory(address);
    await untilAnswers(changed);
    await changed.append("/a", "before");
    await mongod.pause();
    const sent = changed.append("/a", "sent");
    const waits = await aborted((signal) => changed.with({ signal }).append("/a", "waits"));
    mongod.resume();
    await sent;
    await changed.append("/a", "after");
    expect([waits, await changed.read("/a")]).toEqual([stopped, "before\nsent\nafter"]);
  });
});

it("an edit that is aborted while its text is changed writes nothing", async () => {
  const { client, name } = testDatabase();
  const store = new MongoMemoryStore({ client, dbName: name });
  const edited = store.memory(freshAddress());
  await edited.write("/a", "x");
  const controller = new AbortController();
  const edit = edited.with({ signal: controller.signal }).edit("/a", (text) => {
    controller.abort(stopped);
    return `${text}y`;
  });
  await expect(edit).rejects.toBe(stopped);
  await edited.append("/b", "after it");
  expect(await edited.read("/a")).toBe("x");
});

describe("MongoDB", () => {
  const { client, name, uri } = testDatabase();

  it("is told the time limit with every command but finds and the making of indexes", async () => {
    const watched = useClient(new MongoClient(uri, { monitorCommands: true }));
    const store = new MongoMemoryStore({ client: watched, dbName: name, timeoutMs: 60_000 });
    await store.start();
    const opened = store.memory(freshAddress(), { timeoutMs: 50_000 });
    const limits = async (run: () => Promise<unknown>): Promise<unknown[]> =>
      (await commandsOf(watched, run)).map(({ command }) => command["maxTimeMS"] as unknown);
    expect(await limits(() => opened.append("/a", "x"))).toEqual([50_000]);
    expect(await limits(() => opened.read("/a"))).toEqual([undefined]);
    expect(await limits(() => opened.delete("/a"))).toEqual([50_000]);
    expect(await limits(() => store.put(["a"], "k", {}))).toEqual([60_000]);
    expect(
      await limits(() =>
        store.batch([
          { namespace: ["a"], key: "k", value: {} },
          { namespace: ["a"], key: "l", value: null },
        ]),
      ),
    ).toEqual([60_000, 60_000]);
    expect(await limits(() => opened.with({ timeoutMs: Infinity }).append("/a", "x"))).toEqual([undefined]);
  });

  it("ends a find whose call is over", async () => {
    const items = client.db(name).collection("numbers");
    await items.insertMany(Array.from({ length: 3000 }, (_, number) => ({ number })));
    const sum = { $sum: { $map: { input: { $range: [0, 20_000] }, in: { $add: ["$$this", "$number"] } } } };
    const exact = new ExactCollection(items);
    const find = withinTime({ signals: [], timeoutMs: 100 }, "read", (call) =>
      exact.findOne({ $expr: { $lt: [sum, 0] } }, call),
    );
    await expect(find).rejects.toThrow("no answer within 100 ms");
    while ((await countRunning(client, items.namespace)) > 0) await sleep(20);
  });

  it("is left without a cursor and a command by a sweep that is over", async () => {
    const mongod = await privateMongod("standalone");
    const own = useClient(new MongoClient(mongod.uri));
    const options = { client: own, dbName: "sweep", expireMs: { perUser: 1000 }, clock: () => new Date(nowMs) };
    let nowMs = Date.UTC(2026, 0, 1);
    // More than one batch of a cursor.
    const memories = Array.from({ length: 120 }, (_, index) =>
      new MongoMemoryStore(options).memory({ nodeId: "a", scope: "perUser", userId: `u${index}` }),
    );
    await Promise.all(memories.map((memory) => memory.write("/a", "x")));
    nowMs += 2000;
    const hasty = new MongoMemoryStore({ ...options, timeoutMs: 500 });
    await startPatiently(hasty);
    await failCommands(own, { failCommands: ["findAndModify"], blockConnection: true, blockTimeMS: 5000 });
    await expect(hasty.sweepExpired()).rejects.toMatchObject({ code: "EIO" });
    await failCommands(own, null);
    while ((await countCursors(own)) > 0 || (await countRunning(own, "sweep.memories")) > 0) await sleep(20);
    expect(await readAll(new MongoMemoryStore({ ...options, expireMs: {} }).listMemories())).toHaveLength(120);
  });

  it("gives each batch of owners a time of its own, however many have nothing to sweep", async () => {
    const mongod = await privateMongod("standalone");
    const own = useClient(new MongoClient(mongod.uri));
    const writer = new MongoMemoryStore({ client: own, dbName: "sweep" });
    const memories = Array.from({ length: 250 }, (_, index) =>
      writer.memory({ nodeId: "a", scope: "perUser", userId: `u${index}` }),
    );
    await Promise.all(memories.map((memory) => memory.write("/a", "x")));
    const heads = await own.db("sweep").collection("memories").find().toArray();
    const owners = heads.map(({ key, nodeId, scope, userId }) => ({
      _id: String(key) as never,
      nodeId,
      scope,
      userId,
    }));
    await own.db("sweep").collection("memories_versions").insertMany(owners);
    const store = new MongoMemoryStore({ client: own, dbName: "sweep", expireMs: { perUser: 1e9 }, timeoutMs: 4000 });
    await startPatiently(store);
    await failCommands(own, { failCommands: ["getMore"], blockConnection: true, blockTimeMS: 2500 });
    expect(await store.sweepExpired()).toEqual({ memories: 0 });
    expect(await own.db("sweep").collection("memories_versions").countDocuments()).toBe(250);
  });

  it("stops reading for a call that is over", async () => {
    const watched = useClient(new MongoClient(uri, { monitorCommands: true }));
    const store = new MongoMemoryStore({ client: watched, dbName: name, timeoutMs: 50 });
    const patientStore = new MongoMemoryStore({ client, dbName: name });
    await patientStore.batch(
      Array.from({ length: 3000 }, (_, index) => ({ namespace: ["many"], key: `k${index}`, value: { index } })),
    );
    await patientStore.start();
    await startPatiently(store);
    // Only this process can decide such a filter, and reads every page.
    const slow = { namespacePrefix: ["many"], filter: { "no.field": 1 }, limit: 10 };
    let pages = 0;
    watched.on("commandSucceeded", ({ commandName }) => {
      if (commandName !== "find" && commandName !== "getMore") return;
      pages += 1;
      // The event loop stands still, as under load, until the time is up.
      for (const until = Date.now() + 60; Date.now() < until;);
    });
    await expect(store.batch([slow])).rejects.toMatchObject({ code: "EIO" });
    const seen = pages;
    await sleep(200);
    // Of thirty; the one under way may still have been answered.
    expect(pages).toBeLessThanOrEqual(seen + 1);
  });
});

async function countRunning(client: MongoClient, ns: string): Promise<number> {
  const running = client.db("admin").aggregate([{ $currentOp: {} }, { $match: { ns } }]);
  return (await running.toArray()).length;
}

async function countCursors(client: MongoClient): Promise<number> {
  const { metrics } = await client.db("admin").command({ serverStatus: 1 });
  return Number((metrics as { cursor: { open: { total: unknown } } }).cursor.open.total);
}

/** Starts a store with a short time limit, however often a busy machine ends the start. */
async function startPatiently(store: MongoMemoryStore): Promise<void> {
  const isStarted = (): Promise<boolean> =>
    store.start().then(
      () => true,
      () => false,
    );
  while (!(await isStarted())) await sleep(20);
}
