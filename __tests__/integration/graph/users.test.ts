import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { type BaseStore, InMemoryStore } from "@langchain/langgraph-checkpoint";
import { createReactAgent, ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { createDeepAgent } from "deepagents";
import { createAgent } from "langchain";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { Agent, CallModelNode, MemoryNode, type MemoryNodeOptions, createMemoryPrompt } from "../../../src/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { shownMemories } from "../../helpers/conversations.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { storesUnderTest } from "../../helpers/stores-under-test.js";

type Config = RunnableConfig & { context?: Record<string, unknown> };
type Chooser = Pick<MemoryNodeOptions, "userId">;

/** An agent in a thread: notes what it is told to note, and otherwise says which notes it was shown. */
type Ask = (text: string, config: Config) => Promise<string>;

/** One conversation runs through all users, so that only the user can tell the memories apart. */
const checkpointed = (): { checkpointer: MemorySaver } => ({ checkpointer: new MemorySaver() });

function noteTaker(): ScriptedChatModel {
  return new ScriptedChatModel((messages) => {
    const asked = messages.findLastIndex(({ type }) => type === "human");
    const often = /^note often (.*)$/.exec(messages[asked]?.text ?? "")?.[1];
    const noted = messages.slice(asked).filter(({ type }) => type === "tool").length;
    const note = { tool: "memory", args: { path: "/notes", command: "append", content: often } };
    if (often !== undefined && noted < 3) return noted === 0 ? [note, note] : note;
    const last = messages.findLast(({ type }) => type !== "system");
    const [, content] = /^note (.*)$/.exec(last?.text ?? "") ?? [];
    if (content === undefined) return notesShownTo(messages);
    return { tool: "memory", args: { path: "/notes", command: "append", content } };
  });
}

function notesShownTo(messages: readonly BaseMessage[]): string {
  const lines = shownMemories(messages).join("\n").split("\n");
  return `I see: ${lines.flatMap((line) => (line.startsWith("| ") ? [line.slice(2)] : [])).join(", ")}`;
}

const getLast = ({ messages }: { messages: BaseMessage[] }): string => messages.at(-1)?.text ?? "";
const asHuman = (text: string): { messages: HumanMessage[] } => ({ messages: [new HumanMessage(text)] });

const waysIn: [name: string, build: (node: MemoryNode, store: BaseStore) => Ask][] = [
  [
    "a StateGraph",
    (node, store) => {
      const graph = createStateGraph(node).compile({ store, ...checkpointed() });
      return async (text, config) => getLast(await graph.invoke(asHuman(text), config));
    },
  ],
  [
    "a subgraph",
    (node, store) => {
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("inner", createStateGraph(node).compile())
        .addEdge(START, "inner")
        .compile({ store, ...checkpointed() });
      return async (text, config) => getLast(await graph.invoke(asHuman(text), config));
    },
  ],
  [
    "an Agent",
    (node, store) => {
      const agent = new Agent({ model: noteTaker(), tools: node.memoryTools, store, ...checkpointed() });
      agent.attachMemoryConnector(node.createConnector({ content: "full" }));
      return async (text, config) => getLast(await agent.invoke(asHuman(text), config));
    },
  ],
  [
    "createAgent",
    (node, store) => {
      const agent = createAgent({
        model: noteTaker(),
        tools: [],
        middleware: [memoryMiddleware({ memory: node, content: "full" })],
        store,
        ...checkpointed(),
      });
      return async (text, config) => getLast(await agent.invoke(asHuman(text), config as object));
    },
  ],
  [
    "createReactAgent",
    (node, store) => {
      const prompt = createMemoryPrompt({ connector: node.createConnector({ content: "full" }) });
      const agent = createReactAgent({ llm: noteTaker(), tools: node.memoryTools, prompt, store, ...checkpointed() });
      return async (text, config) => getLast(await agent.invoke(asHuman(text), config as object));
    },
  ],
];

function createStateGraph(node: MemoryNode) {
  return new StateGraph(MessagesAnnotation)
    .addNode(
      "call_model",
      new CallModelNode({
        model: noteTaker(),
        tools: node.memoryTools,
        memoryConnector: node.createConnector({ content: "full" }),
      }),
    )
    .addNode("tools", new ToolNode(node.memoryTools))
    .addEdge(START, "call_model")
    .addConditionalEdges("call_model", toolsCondition)
    .addEdge("tools", "call_model");
}

const ofConfig = ({ config }: { config: RunnableConfig }): string | undefined =>
  config.configurable?.["customer"] as string | undefined;

const waysOfIds: [name: string, options: Chooser, config: (user: string) => Config][] = [
  [
    "a function of the node",
    { userId: ofConfig },
    (user) => ({ configurable: { customer: user, user_id: "a client's" } }),
  ],
  [
    "an asynchronous function of the node",
    { userId: async (run) => (await sleep(1), ofConfig(run)) },
    (user) => ({ configurable: { customer: user, langgraph_auth_user_id: "the server's" } }),
  ],
  [
    "a function that leaves it to the run",
    { userId: () => undefined },
    (user) => ({ configurable: { user_id: user } }),
  ],
  [
    "configurable.langgraph_auth_user_id",
    {},
    (user) => ({
      configurable: { langgraph_auth_user_id: user, user_id: "a client's" },
      context: { userId: "a client's" },
    }),
  ],
  ["configurable.user_id", {}, (user) => ({ configurable: { user_id: user }, context: { userId: "of the context" } })],
  ["context.userId", {}, (user) => ({ context: { userId: user, user_id: "the other" } })],
  ["context.user_id", {}, (user) => ({ context: { user_id: user } })],
];

function inThread(thread_id: string, config: Config): Config {
  return { ...config, configurable: { ...config.configurable, thread_id } };
}

/** The usual run takes each way in once, and all ways of ids through one of them. */
const getIds = (way: string): typeof waysOfIds => (isLong || way === "createAgent" ? waysOfIds : waysOfIds.slice(0, 1));

describe.each(waysIn)("the user of a run of %s", (way, build) => {
  it.each(getIds(way))("is found in %s, by connector and tool", async (_place, options, configOf) => {
    const node = new MemoryNode({ ...freshAddress(), scope: "perUser", ...options });
    const store = new InMemoryStore();
    const ask = build(node, store);
    await ask("note vegetarian", inThread("1", configOf("ada")));
    await ask("note allergic", inThread("1", configOf("bob")));
    expect(await ask("what do you see?", inThread("2", configOf("ada")))).toBe("I see: vegetarian");
    expect(await ask("what do you see?", inThread("1", configOf("bob")))).toBe("I see: allergic");
    const own = new MemoryNode({ nodeId: node.nodeId, scope: "perUser", store });
    expect(await Promise.all(["ada", "bob"].map((user) => own.memory(user).read("/notes")))).toEqual([
      "vegetarian",
      "allergic",
    ]);
    expect(await own.globalMemory().list("/")).toEqual([]);
  });

  it.each(storesUnderTest())("stays its own where many run at once on %s", async (_name, open) => {
    const userId: MemoryNodeOptions["userId"] = async (run) => (await sleep(Math.random() * 3), ofConfig(run));
    const node = new MemoryNode({ ...freshAddress(), scope: "perUser", userId });
    const ask = build(node, open());
    const users = Array.from({ length: repetitions({ usual: 6, long: 40 }) }, (_, index) => `user ${index}`);
    const rounds = [1, 2].flatMap((round) => users.map((user) => ({ user, round })));
    await Promise.all(
      rounds.map(({ user, round }) =>
        ask(`note ${user}`, inThread(`${user}, ${round}`, { configurable: { customer: user } })),
      ),
    );
    const seen = await Promise.all(
      users.map((user) => ask("what do you see?", inThread(`${user}, 3`, { configurable: { customer: user } }))),
    );
    expect(seen).toEqual(users.map((user) => `I see: ${user}, ${user}`));
  });
});

it.each(waysIn)(
  "the actor of a run of %s has one runId in all its tool calls, which no other run has",
  async (_way, build) => {
    const runIds: unknown[] = [];
    const node = new MemoryNode({ ...freshAddress(), guard: ({ actor }) => void runIds.push(actor?.runId) });
    const ask = build(node, new InMemoryStore());
    await ask("note often a", inThread("1", {}));
    expect(runIds).toEqual([expect.any(String), runIds[0], runIds[0]]);
    await ask("note often b", inThread("1", {}));
    expect(runIds.slice(3)).toEqual([expect.any(String), runIds[3], runIds[3]]);
    await Promise.all(["2", "3"].map((thread) => ask("note often c", inThread(thread, {}))));
    expect(new Set(runIds).size).toBe(4);
    await ask("note often d", inThread("1", { configurable: { run_id: "the server's" } }));
    expect(runIds.slice(12)).toEqual(["the server's", "the server's", "the server's"]);
  },
);

it("the actor of a deep agent's run has one runId in all its tool calls, also those of a subagent", async () => {
  const runIds: unknown[] = [];
  const node = new MemoryNode({
    ...freshAddress(),
    store: new InMemoryStore(),
    guard: ({ actor }) => void runIds.push(actor?.runId),
  });
  const model = new ScriptedChatModel((messages) => {
    if (messages.some(({ type }) => type === "tool")) return "done";
    const isAgent = messages.some(({ text }) => text === "delegate");
    const write = { tool: "write_file", args: { file_path: `/${runIds.length}.md`, content: "x" } };
    return isAgent
      ? [write, { tool: "task", args: { description: "note it", subagent_type: "general-purpose" } }]
      : write;
  });
  const agent = createDeepAgent({ model, backend: new DeepAgentsBackend(node) });
  await agent.invoke(asHuman("delegate"));
  expect(runIds).toEqual([expect.any(String), runIds[0]]);
  await agent.invoke(asHuman("delegate"));
  expect(runIds.slice(2)).toEqual([expect.any(String), runIds[2]]);
  expect(runIds[2]).not.toBe(runIds[0]);
});

it.each(isLong ? waysOfIds : waysOfIds.slice(0, 1))(
  "the user of a deep agent's run is found in %s",
  async (_place, options, configOf) => {
    const node = new MemoryNode({ ...freshAddress(), scope: "perUser", store: new InMemoryStore(), ...options });
    const model = new ScriptedChatModel((messages) => {
      const isAnswered = messages.some(({ type }) => type === "tool");
      return isAnswered
        ? "done"
        : { tool: "write_file", args: { file_path: "/notes.md", content: messages.at(-1)?.text ?? "" } };
    });
    const agent = createDeepAgent({ model, backend: new DeepAgentsBackend(node) });
    for (const user of ["ada", "bob"]) await agent.invoke(asHuman(`of ${user}`), configOf(user));
    expect(await Promise.all(["ada", "bob"].map((user) => node.memory(user).read("/notes.md")))).toEqual([
      "of ada",
      "of bob",
    ]);
  },
);
