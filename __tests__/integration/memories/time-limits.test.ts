import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { MongoClient } from "mongodb";
import { type Memory, MemoryTool, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { createJournalTools } from "../../../src/langchain/journal/index.js";
import { createRecordTools } from "../../../src/langchain/records/index.js";
import { withinTime } from "../../../src/core/runtime/call.js";
import { ExactCollection } from "../../../src/mongodb/driver/exact-collection.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import type { PrivateMongod } from "../../helpers/mongo-servers.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
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

describe("a frozen mongod", () => {
  let mongod: PrivateMongod;
  /** A time limit that a busy machine keeps before the server is frozen, too. */
  let patient: MongoMemoryStore;
  let hasty: MongoMemoryStore;
  let owned: MongoMemoryStore;
  let node: MemoryNode;
  let memory: Memory;

  beforeAll(async () => {
    mongod = await privateMongod("standalone");
    const client = useClient(new MongoClient(mongod.uri));
    patient = new MongoMemoryStore({ client, dbName: "waiting" });
    hasty = new MongoMemoryStore({ client, dbName: "waiting", timeoutMs: 100 });
    owned = await MongoMemoryStore.fromConnString(mongod.uri, { dbName: "waiting" });
    node = new MemoryNode({ ...freshAddress(), store: patient });
    memory = node.memory();
    await patient.start();
    await untilAnswers(hasty.memory(memory.address));
    await startPatiently(hasty);
    await memory.write("/a", "x");
    await owned.put(["a"], "k", {});
    await mongod.pause();
  });

  it.each<[string, () => Promise<unknown>]>([
    ["a read", () => hasty.memory(memory.address).read("/a")],
    ["a change", () => hasty.memory(memory.address).append("/a", "y")],
    ["a read of a memory with a limit of its own", () => memory.with({ timeoutMs: 100 }).list()],
    ["get", () => hasty.get(["a"], "k")],
    ["get of a file", () => hasty.get(["memory", memory.address.nodeId, "global"], "/a")],
    ["search", () => hasty.search([])],
    ["search by words", () => hasty.search(["a"], { query: "words" })],
    ["listNamespaces", () => hasty.listNamespaces()],
    ["put", () => hasty.put(["a"], "k", {})],
    ["put of a file", () => hasty.put(["memory", memory.address.nodeId, "global"], "/a", { content: "z" })],
    ["delete", () => hasty.delete(["a"], "k")],
  ])("ends %s when its time is up", async (_name, call) => {
    await expect(call()).rejects.toMatchObject({ code: "EIO", message: overdue });
  });

  it("is told to the model by the tools of every dialect and of deepagents", async () => {
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
    const connector = new MemoryNode({ ...freshAddress(), store: hasty }).createConnector({
      onError: ({ message }) => told.push(message),
    });
    const messages = [new HumanMessage("hello")];
    expect(await connector.inject(messages)).toBe(messages);
    expect(told).toEqual([overdue]);
  });

  it.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    ["a read", (signal) => memory.with({ signal }).read("/a")],
    ["a change", (signal) => memory.with({ signal }).append("/a", "y")],
    [
      "a tool called directly",
      (signal) => new MemoryTool({ memory }).invoke({ path: "/a", command: "read" }, { signal }),
    ],
    [
      "the tool of a node",
      (signal) => node.memoryTools[0]?.invoke({ path: "/a", command: "read" }, { signal }) as Promise<unknown>,
    ],
    [
      "the journal",
      (signal) => createJournalTools(memory)[0]?.invoke({ key: "k", content: "y" }, { signal }) as Promise<unknown>,
    ],
    ["a connector", (signal) => node.createConnector().inject([new HumanMessage("hello")], { signal })],
    ["a rendering", (signal) => node.createConnector().renderMessage({ signal })],
  ])("lets go of %s that is aborted", async (_name, call) => {
    expect(await aborted(call)).toBe(stopped);
  });

  it("ends the stop of a store that owns its client", async () => {
    await owned.stop();
    await expect(owned.get(["a"], "k")).rejects.toMatchObject({ message: expect.stringContaining("store is stopped") });
  });

  it("gets no change, when it goes on, that was over while it waited for a connection", async () => {
    const address = freshAddress();
    const narrow = useClient(new MongoClient(mongod.uri, { maxPoolSize: 1 }));
    mongod.resume();
    const changed = new MongoMemoryStore({ client: narrow, dbName: "waiting" }).memory(address);
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
    const running = (): Promise<object[]> =>
      client
        .db("admin")
        .aggregate([{ $currentOp: {} }, { $match: { ns: items.namespace } }])
        .toArray();
    while ((await running()).length > 0) await sleep(20);
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

/** Starts a store with a short time limit, however often a busy machine ends the start. */
async function startPatiently(store: MongoMemoryStore): Promise<void> {
  const isStarted = (): Promise<boolean> =>
    store.start().then(
      () => true,
      () => false,
    );
  while (!(await isStarted())) await sleep(20);
}
