import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { describe, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { MongoClient } from "mongodb";
import {
  Agent,
  CallModelNode,
  createConversationLog,
  type MemoryProposals,
  type Memory,
  type MemorySource,
  MemoryTool,
  MemoryNode,
  type MemoryNodeOptions,
  MongoMemoryStore,
  type MongoMemoryStoreOptions,
} from "../../../src/index.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { createJournalTools } from "../../../src/langchain/journal/index.js";
import { createRecordTools } from "../../../src/langchain/records/index.js";
import { createMcpServer } from "../../../src/mcp/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { dialectsUnderTest } from "../../helpers/dialects-under-test.js";
import { findStored } from "../../helpers/find-stored.js";
import { getFailure } from "../../helpers/get-failure.js";
import { answerOf, connectInMemory } from "../../helpers/mcp-clients.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { propose, proposesAll } from "../../helpers/proposals.js";
import { readAll } from "../../helpers/read-all.js";
import { readTexts } from "../../helpers/read-texts.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { cli } from "../../helpers/run-cli.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { getHistory, getProposals } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

// The table of verbs shows what approving and rejecting each change answers and makes.

const { uri, db, client, name: dbName } = testDatabase("standalone");
const ada = { by: { userId: "ada" } };
const bob = { by: { userId: "bob" } };
const dialects = await dialectsUnderTest();

interface Place {
  store: MongoMemoryStore;
  node: MemoryNode;
  memory: Memory;
  proposals: MemoryProposals;
  collection: string;
  nodeId: string;
}

const shared = new MongoMemoryStore({ client, dbName });

/** A memory of its own, and with options of the store in collections of its own. */
function fresh({
  node = {},
  store: storeOptions,
}: { node?: Partial<MemoryNodeOptions>; store?: Partial<MongoMemoryStoreOptions> } = {}): Place {
  const nodeId = `node ${randomUUID()}`;
  const collection = storeOptions === undefined ? "memories" : `memories ${randomUUID()}`;
  const store =
    storeOptions === undefined
      ? shared
      : new MongoMemoryStore({ client, dbName, memoriesCollection: collection, ...storeOptions });
  const memory = store.memory({ nodeId });
  const options = { store, nodeId, ...proposesAll, ...node };
  return { store, node: new MemoryNode(options), memory, proposals: getProposals(memory), collection, nodeId };
}

const append = ({ node }: Pick<Place, "node">, path: string, content: string): Promise<string> =>
  propose(node, { command: "append", path, content });

/** The actors of the versions, newest first. */
const listActors = async ({ memory }: Place): Promise<unknown[]> =>
  (await readAll(getHistory(memory).list())).map(({ actor }) => actor);

const findRecords = ({ collection }: Place) => db.collection(`${collection}_proposals`).find().toArray();

describe("a proposal", () => {
  it("is approved only through a memory whose rules allow the change", async () => {
    const place = fresh();
    const id = await append(place, "/house/rule", "Pay at once.");
    const { store, nodeId } = place;
    const strict = new MemoryNode({ store, nodeId, rules: [{ path: "/house/**", access: "read" }] });
    const failure = await getFailure(getProposals(strict.memory()).approve(id, ada));
    expect(failure).toMatchObject({ code: "EACCES", path: "/house/rule" });
    expect(await place.memory.stat("/house/rule")).toBeNull();
    await place.proposals.approve(id, ada);
    expect(await place.memory.read("/house/rule")).toBe("Pay at once.");
  });

  it("is answered by each dialect in its own form, and stores nothing", async () => {
    const { node, memory, proposals } = fresh();
    await memory.write("/a", "one");
    const config = { configurable: { thread_id: "t", user_id: "u" } };
    const call = (tools: { name: string; invoke: unknown }[], name: string, args: object): Promise<string> =>
      (
        tools.find((each) => each.name === name) as { invoke: (args: object, config: object) => Promise<string> }
      ).invoke(args, config);
    const answers = [
      await call(node.memoryTools, "memory", { command: "append", path: "/a", content: "x" }),
      await call([createClaudeMemoryTool(node)], "memory", {
        command: "str_replace",
        path: "/memories/a",
        old_str: "one",
        new_str: "1",
      }),
      await call(createJournalTools(node), "memory_write", { key: "k", content: "x" }),
      await call(createRecordTools(node), "add_memory", { path: "b", content: "x" }),
      JSON.stringify(await new DeepAgentsBackend(node).write("/c", "x")),
      await answerOf(await connectInMemory(createMcpServer({ memory: node })), { command: "delete", path: "/a" }),
    ];
    const ids = answers.map((answer) => /[0-9a-f]{24}/.exec(answer)?.[0] ?? "no id");
    expect(answers.map((answer, index) => answer.replace(ids[index] ?? "", "ID"))).toEqual([
      '{"command":"append","path":"/a","ok":true,"result":{"status":"proposed","proposal":"ID"}}',
      "The change is not made yet: it is proposed, and a person decides about it (proposal ID).",
      '{"data":{"status":"proposed","proposal":"ID"},"success":true}',
      "status: proposed\nproposal: ID\n",
      '{"error":"Error: EACCES: the change is not made yet: it is proposed, and a person decides about it (proposal ID)"}',
      '{"command":"delete","path":"/a","ok":true,"result":{"status":"proposed","proposal":"ID"}}',
    ]);
    expect(await readTexts(memory)).toMatchObject({ "/a": "one" });
    const listed = await readAll(proposals.list());
    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect(listed[0]).toMatchObject({
      command: "append",
      oldContent: null,
      base: expect.stringMatching(/^[0-9a-f]{64}$/),
      actor: { threadId: "t", userId: "u" },
      at: expect.any(Date),
    });
  });

  it("in a memory that was never written makes it when it is approved, and leaves nothing of itself there", async () => {
    const place = fresh({ store: {} });
    const stored = db.collection(place.collection);
    const id = await append(place, "/a", "x");
    expect(await stored.countDocuments()).toBe(0);
    await place.proposals.approve(id, ada);
    expect((await place.memory.snapshot()).revision).toBe(1);
    expect(await stored.findOne()).not.toHaveProperty("applied");
    expect(await readAll(place.proposals.list())).toEqual([]);
    expect(await readAll(place.proposals.list({ status: "approved" }))).toMatchObject([
      { id, decidedBy: { userId: "ada" }, decidedAt: expect.any(Date) },
    ]);
  });

  it("to delete everything shows what goes, and keeps the log of the node", async () => {
    const { node, memory, proposals } = fresh({ node: { log: true } });
    await memory.write("/conversations/day.md", "log");
    await memory.write("/notes/a", "one");
    const id = await propose(node, { command: "delete", path: "/" });
    expect((await proposals.get(id))?.diff).toBe("- /notes/\n- /notes/a (3 bytes)\n");
    await memory.append("/conversations/day.md", "more");
    await proposals.approve(id, ada);
    expect(await memory.snapshot()).toMatchObject({
      files: [{ path: "/conversations/day.md", content: "log\nmore" }],
      directories: ["/conversations"],
    });
  });

  it("that was approved with other words says which were the agent's, and the history says whose are stored", async () => {
    const place = fresh({ store: { history: true } });
    const id = await append(place, "/a", "agent's words");
    const other = await append(place, "/b", "fine");
    await place.proposals.approve(id, { ...ada, content: "better" });
    expect(await place.proposals.get(id)).toMatchObject({
      content: "better",
      diff: expect.stringContaining("+better"),
      proposed: { content: "agent's words", diff: expect.stringContaining("+agent's words") },
    });
    expect((await place.proposals.approve(other, ada)).proposed).toBeUndefined();
    expect(await readTexts(place.memory)).toEqual({ "/a": "better", "/b": "fine" });
    expect(await listActors(place)).toEqual([{}, { userId: "ada" }]);
  });

  it("names the run and the actor that a program gave, and so does the version after its approval", async () => {
    const place = fresh({ store: { history: true } });
    const memory: MemorySource = async (run) =>
      (await place.node.memoryForRun(run)).with({ actor: { agent: "planner" } });
    const config = { configurable: { thread_id: "t", user_id: "zoe" } };
    const id = await propose(
      { memoryTools: [new MemoryTool({ memory })] },
      { command: "append", path: "/a", content: "x" },
      config,
    );
    const actor = { threadId: "t", userId: "zoe", agent: "planner" };
    expect((await place.proposals.get(id))?.actor).toEqual(actor);
    await place.proposals.approve(id, bob);
    expect(await listActors(place)).toEqual([actor]);
  });

  it("whose base has changed stays open, and can be approved once the text is that of its base again", async () => {
    const { node, memory, proposals } = fresh();
    await memory.write("/a", "one");
    const id = await append({ node }, "/a", "x");
    await memory.write("/a", "other");
    expect((await getFailure(proposals.approve(id, ada))).code).toBe("ECONFLICT");
    expect([await memory.read("/a"), (await proposals.get(id))?.status]).toEqual(["other", "pending"]);
    await memory.write("/a", "one");
    await proposals.approve(id, ada);
    expect(await memory.read("/a")).toBe("one\nx");
  });

  it.each<[string, string, Record<string, string>, (memory: Memory) => Promise<unknown>, string]>([
    [
      "a file that must be new, and is there now",
      "add_memory",
      { path: "a", content: "x" },
      (memory) => memory.write("/a", "other"),
      "EEXIST: path already exists",
    ],
    [
      "a file that must exist, and is gone",
      "replace_memory",
      { path: "b", content: "x" },
      (memory) => memory.delete("/b"),
      "ENOENT: file not found",
    ],
    [
      "a file to delete, and is a directory now",
      "drop_memory",
      { path: "b" },
      (memory) => memory.delete("/b").then(() => memory.write("/b/c", "")),
      "EISDIR: path is a directory",
    ],
  ])("of %s says that it would be refused", async (_title, name, args, change, refusal) => {
    const { node, memory, proposals } = fresh();
    await memory.write("/b", "one");
    await createRecordTools(node)
      .find((tool) => tool.name === name)
      ?.invoke(args as never);
    const [proposal] = await readAll(proposals.list());
    await change(memory);
    expect(await getFailure(proposals.approve(proposal?.id ?? "", ada))).toMatchObject({
      code: "ECONFLICT",
      message: expect.stringContaining(`It would now be:\n${refusal}`),
    });
  });

  it("that the memory has no room for stays open", async () => {
    const place = fresh();
    const id = await append(place, "/a", "x".repeat(5000));
    const small = place.store.memory({ nodeId: place.nodeId }, { maxMemoryBytes: 2000 });
    expect((await getFailure(getProposals(small).approve(id, ada))).code).toBe("ENOSPC");
    await place.proposals.approve(id, ada);
    expect(await place.memory.read("/a")).toHaveLength(5000);
  });

  it.each<[string, (proposals: MemoryProposals, id: string) => Promise<unknown>, string]>([
    ["a name", (proposals, id) => proposals.approve(id, { by: "ada" } as never), "by"],
    ["no user", (proposals, id) => proposals.reject(id, { by: { client: "x" } } as never), "by.userId"],
    ["an unknown field", (proposals, id) => proposals.approve(id, { ...ada, path: "/b" } as never), 'option "path"'],
    ["no id", (proposals) => proposals.approve({ $gt: "" } as never, ada), "the id of a proposal must be a text"],
  ])("is not decided by %s", async (_name, decide, words) => {
    const place = fresh();
    const id = await append(place, "/a", "x");
    await expect(decide(place.proposals, id)).rejects.toThrow(words);
    expect((await place.proposals.get(id))?.status).toBe("pending");
  });

  it("is not found through another memory", async () => {
    const place = fresh();
    const id = await append(place, "/a", "x");
    const other = getProposals(place.store.memory({ nodeId: "other" }));
    expect([await other.get(id), await readAll(other.list())]).toEqual([null, []]);
    expect((await getFailure(other.approve(id, ada))).code).toBe("ENOENT");
  });
});

describe.each([undefined, 200])("two reviewers at once, with pages of %s bytes", (pageBytes) => {
  const replicaSet = testDatabase("replicaSet");
  const open = (): Place =>
    fresh({
      store: { client: replicaSet.client, dbName: replicaSet.name, history: true, ...withPageBytes(pageBytes) },
    });
  const who = ["ada", "bob", "eve", "dan"];
  const decide = ({ proposals }: Place, id: string): Promise<unknown>[] =>
    who.map((userId) =>
      userId === "dan" ? proposals.reject(id, { by: { userId } }) : proposals.approve(id, { by: { userId } }),
    );

  it("decide once: one wins, the others learn who, and the change is made once or not at all", async () => {
    for (let round = 0; round < repetitions({ usual: 2, long: 50 }); round += 1) {
      const place = open();
      for (const path of ["/a", "/b", "/z"]) await place.memory.write(path, "one");
      const id = await append(place, "/b", "x");
      const outcomes = await Promise.allSettled(decide(place, id));
      const winners = who.filter((_userId, index) => outcomes[index]?.status === "fulfilled");
      expect(winners).toHaveLength(1);
      for (const outcome of outcomes)
        if (outcome.status === "rejected")
          expect(String(outcome.reason)).toMatch(new RegExp(`ECONFLICT: .* by ${winners[0]} already$`));
      const isMade = winners[0] !== "dan";
      expect(await place.memory.read("/b")).toBe(isMade ? "one\nx" : "one");
      expect(await readAll(getHistory(place.memory).list({ path: "/b" }))).toHaveLength(isMade ? 2 : 1);
    }
  });

  it("beside a writer who changes the text and changes it back make a change only if it ends as approved", async () => {
    for (let round = 0; round < repetitions({ usual: 2, long: 50 }); round += 1) {
      const place = open();
      for (const path of ["/a", "/b", "/z"]) await place.memory.write(path, "one");
      const id = await append(place, "/b", "x");
      const other: Record<string, string> = { one: "two", two: "one" };
      const write = async (): Promise<void> => {
        for (let time = 0; time < 6; time += 1) await place.memory.edit("/b", (text) => other[text] ?? text);
      };
      const [written, ...outcomes] = await Promise.allSettled([write(), ...decide(place, id)]);
      expect(written.status).toBe("fulfilled");
      expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(1);
      for (const outcome of outcomes)
        if (outcome.status === "rejected") expect(String(outcome.reason)).toContain("ECONFLICT: ");
      const isMade = (await place.memory.read("/b")).includes("x");
      expect((await place.proposals.get(id))?.status === "approved").toBe(isMade);
    }
  });

  it("of many proposals for the same file let each be made only on its base", async () => {
    const place = open();
    for (const path of ["/a", "/b", "/z"]) await place.memory.write(path, "one");
    const ids = await Promise.all(["x", "y", "z"].map((content) => append(place, "/b", content)));
    // A change of another file is none of the base.
    await place.memory.append("/z", "more");
    const outcomes = await Promise.allSettled(ids.map((id) => place.proposals.approve(id, ada)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await place.memory.read("/b")).split("\n")).toHaveLength(2);
  });
});

describe("a crash", () => {
  it("before any command of an approval leaves it for the next reviewer, and the change is made once", async () => {
    const steps = isLong ? [1, 2, 3, 4, 5, 6, 7, 8] : [3, 5, 8];
    for (const step of steps) {
      const place = fresh();
      await place.memory.write("/a", "one");
      const id = await append(place, "/a", "x");
      const args = [compiled("__tests__/helpers/approval-worker.ts"), uri, dbName, place.nodeId, id, String(step)];
      const worker = spawn(process.execPath, args, { stdio: "ignore" });
      expect(await once(worker, "exit")).toEqual([null, "SIGKILL"]);
      const isClaimed = (await readAll(place.proposals.list({ status: "pending" }))).length === 0;
      const outcome = await place.proposals.approve(id, bob).then(({ decidedBy }) => decidedBy?.userId, String);
      expect(outcome).toMatch(isClaimed ? /ECONFLICT: the proposal \w+ was approved by ada already$/ : /^bob$/);
      expect(await place.proposals.get(id)).toMatchObject({ decidedBy: { userId: isClaimed ? "ada" : "bob" } });
      // The next approval takes away what a crash has left in the memory.
      await place.proposals.approve(await append(place, "/b", "y"), ada);
      expect(await readTexts(place.memory)).toEqual({ "/a": "one\nx", "/b": "y" });
      expect(await db.collection("memories").findOne({ nodeId: place.nodeId })).not.toHaveProperty("applied");
    }
  });
});

describe("a proposal is invisible", () => {
  const secret = "TOP-SECRET-PROPOSAL";

  it("to every read of a memory, the store, connectors, archives and the memory's own document", async () => {
    const place = fresh({ store: {} });
    const { memory, store, node, collection, nodeId } = place;
    await memory.write("/a", "one");
    const before = JSON.stringify(await db.collection(collection).find().toArray());
    for (const path of ["/a", "/b", "/a.d/c"]) await append(place, path, secret);
    const options = { mongo: uri, db: dbName, "memories-collection": collection, node: nodeId };
    const seen = [
      await memory.snapshot(),
      await memory.outline({ maxContentBytes: 1e6, leadChars: 100 }),
      await memory.list("/"),
      // The query has one of its words.
      await memory.search("proposal"),
      await memory.grep(secret.slice(0, 5)),
      await memory.stat("/b"),
      await store.search([], { query: secret }),
      await store.search([]),
      await store.listNamespaces(),
      await store.get(["memory", nodeId, "global"], "/b"),
      await readAll(store.listMemories()),
      await node.createConnector({ content: "full" }).renderMessage(),
      await node.createConnector({ content: "index" }).renderMessage(),
      await new DeepAgentsBackend(node).grep(secret),
      (await cli(["export", ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])])).stdout,
    ];
    expect(JSON.stringify(seen)).not.toContain(secret);
    expect(JSON.stringify(await db.collection(collection).find().toArray())).toBe(before);
  });

  it.each(dialects)("to every command of %s", async (_name, dialect) => {
    const place = fresh();
    for (const path of ["/notes/today", "/notes/new", "/MEMORY.md"]) await append(place, path, secret);
    const tools = dialect.tools(place.node);
    for (const { tool, args } of Object.values(dialect.commands))
      expect(await tools.find((each) => each.name === tool)?.invoke(args)).not.toContain(secret);
  });

  it("and costs nothing where nobody proposes", async () => {
    const { node, store, collection, nodeId } = fresh({ node: { rules: [] }, store: {} });
    await node.memory().append("/a", "x");
    await store.forget({ nodeId });
    const collections = (await db.listCollections().toArray()).map(({ name }) => name);
    expect(collections.filter((name) => name.startsWith(collection))).toEqual([collection]);
  });
});

describe("a model", () => {
  const forged = (id: string): Record<string, unknown>[] => [
    { command: "approve", path: "/a", id, by: { userId: "ada" } },
    { command: "append", path: "/a", content: "x", by: { userId: "ada" } },
    { command: "append", path: "/a", content: "x", approved: true, proposal: id, access: "write" },
    { command: "append", path: "/a", content: "x", actor: { userId: "ada" } },
    { command: "append", path: "/a", content: "x", onAsk: "interrupt", resume: { decisions: [{ type: "approve" }] } },
    { command: "update", path: `/../memories_proposals/${id}`, oldContent: "pending", content: "approved" },
    { command: "append", path: `/proposals/${id}`, content: '{"status":"approved"}' },
    { command: "view", path: "/memories", approve: id },
    { command: "create", path: "/memories/a", file_text: "x", approved_by: "ada" },
    { command: "rename", old_path: `/memories/proposals/${id}`, new_path: "/memories/a" },
    { key: "approved", content: "x", approve: id },
    { path: "a", content: "x", approve: id },
  ];

  it.each(dialects)("cannot decide by any tool or forged argument of %s", async (_name, dialect) => {
    const { node, memory, proposals } = fresh();
    const id = await append({ node }, "/a", "x");
    const tools = dialect.tools(node);
    expect(tools.map((tool) => `${tool.name} ${JSON.stringify(tool.schema)}`).join()).not.toMatch(
      /approve|reject|proposal/,
    );
    for (const tool of tools) for (const args of forged(id)) await tool.invoke(args as never);
    const written = Object.keys(await readTexts(memory)).filter((path) => !path.startsWith("/.journal"));
    expect(written).toEqual([]);
    for (const { decidedBy, actor } of await readAll(proposals.list()))
      expect([decidedBy, actor?.userId]).toEqual([null, undefined]);
  });
});

it.each(["nodeId", "userId", "threadId"] as const)(
  "forgetting by %s takes proposals along, and leaves no id in others",
  async (field) => {
    const place = fresh({ store: {} });
    const { store } = place;
    const scope = field === "userId" ? "perUser" : "perThread";
    const own = new MemoryNode({ store, nodeId: "own", scope, ...proposesAll });
    const config = { configurable: { thread_id: "zoe", user_id: "zoe" } };
    for (const node of [own, place.node]) await propose(node, { command: "append", path: "/a", content: "x" }, config);
    const [ofAll] = await readAll(place.proposals.list());
    await place.proposals.approve(ofAll?.id ?? "", { by: { userId: "zoe" } });
    const who = field === "nodeId" ? { nodeId: place.nodeId, scope: "global" } : { [field]: "zoe" };
    await store.forget(who as { userId: string });
    const [left, ...others] = await findRecords(place);
    expect(others).toEqual([]);
    expect(left?.["nodeId"]).toBe(field === "nodeId" ? "own" : place.nodeId);
    if (field === "userId") expect([left?.["actor"], left?.["decidedBy"]]).toEqual([{ threadId: "zoe" }, {}]);
    if (field === "threadId") expect(left?.["actor"]).toEqual({ userId: "zoe" });
  },
);

it("a proposal stays when its memory expires, until somebody decides about it or forgets it", async () => {
  // Ahead, because the server deletes by its own clock what has expired.
  let nowMs = Date.now() + 3_600_000;
  const clock = (): Date => new Date((nowMs += 1));
  const place = fresh({ store: { clock, expireMs: { global: 1000 } } });
  const { memory, proposals, store, nodeId } = place;
  await memory.write("/a", "one");
  const [edit, addition] = [await append(place, "/a", "x"), await append(place, "/b", "y")];
  nowMs += 1000;
  expect(await store.sweepExpired()).toEqual({ memories: 1 });
  expect((await readAll(proposals.list())).map(({ id }) => id)).toEqual([edit, addition]);
  expect((await readAll(store.listProposals())).map(({ id }) => id)).toEqual([edit, addition]);
  expect(JSON.stringify(await findRecords(place))).not.toContain("expiresAt");
  expect((await getFailure(proposals.approve(edit, ada))).code).toBe("ECONFLICT");
  await proposals.approve(addition, ada);
  expect(await readTexts(memory)).toEqual({ "/b": "y" });
  expect(await store.forget({ nodeId })).toMatchObject({ proposals: 2 });
});

it("a redaction takes texts out of proposals, decided or not, keeps who decided, and rejects those that are open", async () => {
  const secret = `secret ${randomUUID()}`;
  const place = fresh({ store: { history: true } });
  const { memory, proposals } = place;
  await memory.write("/a", secret);
  const open = await append(place, "/a", "more");
  const decided = await append(place, "/b", secret);
  const other = await append(place, "/c", "fine");
  await proposals.approve(decided, ada);
  await getHistory(memory).redact({ text: secret, cut: true });
  expect(await findStored(db, secret)).toEqual([]);
  const emptied = { content: null, diff: "", base: "" };
  expect(await proposals.get(open)).toMatchObject({ status: "rejected", reason: "redacted", ...emptied, actor: {} });
  expect(await proposals.get(decided)).toMatchObject({ status: "approved", content: null, decidedBy: ada.by });
  expect(await proposals.get(other)).toMatchObject({ status: "pending", content: "fine" });
});

describe("an interrupt", () => {
  const createModel = () =>
    new ScriptedChatModel((messages) =>
      messages.at(-1)?.getType() === "tool"
        ? "done"
        : [{ tool: "memory", args: { command: "append", path: "/a", content: "x" } }],
    );
  const buildAgent = (node: MemoryNode, checkpointer = new MemorySaver()) =>
    createAgent({ model: createModel(), middleware: [memoryMiddleware({ memory: node })], checkpointer });
  const input = { messages: [{ role: "user", content: "go" }] };
  const config = { configurable: { thread_id: "t" } };
  const approved = new Command({ resume: { decisions: [{ type: "approve" }] } });
  /** In collections of its own. */
  const asking = (store: Partial<MongoMemoryStoreOptions> = {}): Place =>
    fresh({ node: { onAsk: "interrupt" }, store });

  it("is kept for 30 days, however long its memory lives", async () => {
    const place = asking({ expireMs: { global: 1000 } });
    await buildAgent(place.node).invoke(input, config);
    const [record] = await findRecords(place);
    expect(record?.["expiresAt"] - record?.["at"]).toBe(30 * 86_400_000);
    const indexes = await db.collection(`${place.collection}_proposals`).indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ name: "expire_proposals", expireAfterSeconds: 0 }));
  });

  it("is resumed by another process, which makes what was shown, once", async () => {
    const { node, nodeId, memory, proposals } = fresh({ node: { onAsk: "interrupt" } });
    const checkpointer = new MemorySaver();
    const agent = buildAgent(node, checkpointer);
    await agent.invoke(input, config);
    const { config: asked } = await agent.graph.getState(config);
    const store = new MongoMemoryStore({ client: useClient(new MongoClient(uri)), dbName });
    await buildAgent(new MemoryNode({ store, nodeId, rules: proposesAll.rules }), checkpointer).invoke(
      approved as never,
      config,
    );
    expect(await readTexts(memory)).toEqual({ "/a": "x" });
    await agent.graph.invoke(approved as never, asked as never);
    expect(await readTexts(memory)).toEqual({ "/a": "x" });
    expect(await readAll(proposals.list())).toEqual([]);
  });

  it("whose change a crash has left half-way is finished by the next resume, once", async () => {
    const place = asking();
    const agent = buildAgent(place.node);
    await agent.invoke(input, config);
    const left = { status: "applying", token: "of the dead", claim: "of the dead" };
    await db.collection(`${place.collection}_proposals`).updateOne({}, { $set: left });
    await agent.invoke(approved as never, config);
    expect(await readTexts(place.memory)).toEqual({ "/a": "x" });
    expect(await findRecords(place)).toMatchObject([{ status: "approved" }]);
  });

  it("whose text was redacted while it waited is refused, and asks nobody", async () => {
    const secret = `secret ${randomUUID()}`;
    const { node, memory } = asking({ history: true });
    const agent = buildAgent(node);
    await memory.write("/a", secret);
    await agent.invoke(input, config);
    await getHistory(memory).redact({ text: secret, cut: true });
    expect(await findStored(db, secret)).toEqual([]);
    const resumed = await agent.invoke(approved as never, config);
    expect(resumed).not.toHaveProperty("__interrupt__");
    expect(JSON.stringify(resumed)).toContain("the new text was redacted while the change waited");
    expect(await memory.read("/a")).not.toContain("x");
  });

  it("about which nobody knows any more is asked again", async () => {
    const { node, memory, collection } = asking();
    const agent = buildAgent(node);
    await agent.invoke(input, config);
    await db.collection(`${collection}_proposals`).deleteMany({});
    const again = (await agent.invoke(approved as never, config)) as { __interrupt__?: unknown[] };
    expect([again.__interrupt__?.length, await readTexts(memory)]).toEqual([1, {}]);
    await agent.invoke(approved as never, config);
    expect(await readTexts(memory)).toEqual({ "/a": "x" });
  });

  it("leads to a version that names the run and the actor that its program gave", async () => {
    const place = asking({ history: true });
    const memory: MemorySource = async (run) =>
      (await place.node.memoryForRun(run)).with({ actor: { client: "tests" } });
    const tools = [new MemoryTool({ memory })];
    const agent = createAgent({ model: createModel(), tools, checkpointer: new MemorySaver() });
    await agent.invoke(input, config);
    await agent.invoke(approved as never, config);
    expect(await listActors(place)).toEqual([expect.objectContaining({ threadId: "t", client: "tests" })]);
  });

  describe("and the log of the same turn", () => {
    const askedFirst = [
      [{ tool: "memory", args: { command: "append", path: "/free", content: "x" } }],
      [{ tool: "memory", args: { command: "append", path: "/a", content: "x" } }],
    ];
    const model = () =>
      new ScriptedChatModel(
        (messages) => askedFirst[messages.filter((each) => each.getType() === "tool").length] ?? "done",
      );
    type Build = (memory: MemoryNode) => { invoke: (input: never, config: never) => Promise<unknown> };
    const agent: Build = (memory) =>
      new Agent({
        model: model(),
        tools: memory.memoryTools,
        memoryConnector: memory,
        log: true,
        checkpointer: new MemorySaver(),
      });
    const middleware: Build = (memory) =>
      createAgent({
        model: model(),
        middleware: [memoryMiddleware({ memory, log: true })],
        checkpointer: new MemorySaver(),
      });
    const graph: Build = (memory) =>
      new StateGraph(MessagesAnnotation)
        .addNode("call_model", new CallModelNode({ model: model(), tools: memory.memoryTools }))
        .addNode("tools", new ToolNode(memory.memoryTools))
        .addNode("log", createConversationLog({ memory }))
        .addEdge(START, "call_model")
        .addConditionalEdges("call_model", toolsCondition, { tools: "tools", [END]: "log" })
        .addEdge("tools", "call_model")
        .compile({ checkpointer: new MemorySaver() });
    const made = (): RunnableConfig => ({});
    const ofServer = (id: string): RunnableConfig => ({ configurable: { run_id: id } });
    const inMetadata = (id: string): RunnableConfig => ({ metadata: { run_id: id } });

    it.each<[string, string, Build, (id: string) => RunnableConfig]>([
      ["an Agent", "made by the package", agent, made],
      ["an Agent", "of the server", agent, ofServer],
      ["createAgent with the middleware", "made by the package", middleware, made],
      ["createAgent with the middleware", "in the metadata", middleware, inMetadata],
      ["a graph with the node of the log", "made by the package", graph, made],
      ["a graph with the node of the log", "of the server", graph, ofServer],
    ])("have one run id: %s, ids %s", async (_way, _ids, build, createConfig) => {
      const rules = [{ path: "/a", access: "ask" as const }];
      const place = fresh({ node: { onAsk: "interrupt", rules }, store: { history: true } });
      const built = build(place.node);
      for (const [given, id] of [
        [input, "first"],
        [approved, "second"],
      ] as const) {
        const { configurable, ...rest } = createConfig(id);
        await built.invoke(given as never, { ...rest, configurable: { ...configurable, thread_id: "t" } } as never);
      }
      const versions = await readAll(getHistory(place.memory).list());
      const {
        "/free": free,
        "/a": asked,
        log,
      } = Object.fromEntries(
        versions.map(({ path, actor }) => [path.replace(/.*\.md$/, "log"), actor?.runId ?? "none"]),
      );
      expect(log).toBe(asked);
      expect([free, asked]).toEqual(
        createConfig === made ? [asked, expect.not.stringMatching("none")] : ["first", "second"],
      );
    });
  });
});

it.each([
  ["an append", { command: "append", path: "/a", content: "more" }],
  ["a new file", { command: "append", path: "/b/c", content: "more" }],
  ["an update", { command: "update", path: "/a", oldContent: "text", content: "more" }],
])("what is read for a change that waits is its file alone: %s", async (_name, args) => {
  const watched = useClient(new MongoClient(uri, { monitorCommands: true }));
  const { node, memory, proposals } = fresh({ store: { client: watched } });
  await memory.write("/a", "text");
  await memory.write("/other", "of another file");
  const replies: unknown[] = [];
  watched.on("commandSucceeded", ({ reply }) => replies.push(reply));
  const id = await propose(node, args);
  expect((await proposals.get(id))?.diff).toContain("+more");
  expect(JSON.stringify(replies)).not.toContain("of another file");
});
