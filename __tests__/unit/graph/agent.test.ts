import { expect, it, describe, afterEach, jest } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { InMemoryStore, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";

import { MongoClient } from "mongodb";
import { pathsIn } from "../../helpers/fresh-memory.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import {
  Agent,
  CallModelNode,
  MemoryNode,
  createMemoryPrompt,
  createConversationLog,
  type MemoryRun,
  MongoMemoryStore,
} from "../../../src/index.js";
import { freshAddress, untyped, refuses } from "../../helpers/memory-case.js";
import { shownEntries } from "../../helpers/conversations.js";
import { createLearnNode, learnMiddleware } from "../../../src/learn/index.js";
import { createLearningModel } from "../../helpers/learning-model.js";
import { openMemoryForRun } from "../../../src/langchain/memory-source.js";

const turn = { messages: [new HumanMessage("hello")] };

it("an Agent runs the turns that begin later on the node it was set to, and the one under way on the old node", async () => {
  const second = new CallModelNode({ model: new ScriptedChatModel(() => "from the second"), systemPrompt: "second" });
  const change = tool(
    async () => {
      agent.setCallModel(second);
      return "changed";
    },
    { name: "change", description: "change", schema: { type: "object", properties: {} } },
  );
  const model = new ScriptedChatModel((messages) =>
    messages.at(-1)?.type === "tool" ? "from the first" : { tool: "change", args: {} },
  );
  const agent = new Agent({ model, tools: [change] });
  const answer = async () => (await agent.invoke(turn)).messages.at(-1)?.text;
  expect(await answer()).toBe("from the first");
  expect(agent.callModel).toBe(second);
  expect(await answer()).toBe("from the second");
});

it("an Agent refuses a node that is no CallModelNode, and keeps its own", () => {
  const agent = new Agent({ model: new ScriptedChatModel(() => "x") });
  const { callModel } = agent;
  for (const wrong of [undefined, {}, new ScriptedChatModel(() => "x")]) {
    expect(() => agent.setCallModel(wrong as never)).toThrow(TypeError);
  }
  expect(agent.callModel).toBe(callModel);
});

it("a MemoryNode is shown by its connector wherever a connector is taken", async () => {
  const node = new MemoryNode({ ...freshAddress(), store: new InMemoryStore() });
  await node.memory().append("/a", "x");
  const model = new ScriptedChatModel(() => "done");
  const callModel = new CallModelNode({ model });
  callModel.setMemoryConnector(node);
  const agent = new Agent({ model });
  agent.attachMemoryConnector(node);
  await callModel.invoke(turn);
  await agent.invoke(turn);
  await new Agent({ model, memoryConnector: node }).invoke(turn);
  await createReactAgent({ llm: model, tools: [], prompt: createMemoryPrompt({ connector: node }) }).invoke(turn);
  expect(model.calls.map(shownEntries)).toEqual([["/a"], ["/a"], ["/a"], ["/a"]]);
});

it.each([null, {}, "M", new ScriptedChatModel(() => "x")])(
  "what shows no memory is refused as a connector at once: %j",
  (wrong) => {
    const message = /must be a MemoryConnectorNode or a MemoryNode/;
    const model = new ScriptedChatModel(() => "x");
    expect(() => new Agent({ model }).attachMemoryConnector(wrong as never)).toThrow(message);
    expect(() => new CallModelNode({ model, memoryConnector: wrong as never })).toThrow(message);
    expect(() => createMemoryPrompt({ connector: wrong as never })).toThrow(message);
  },
);

it("a connector is refused by addNode, and told where it belongs", () => {
  const connector = new MemoryNode(freshAddress()).createConnector();
  expect(() => new StateGraph(MessagesAnnotation).addNode("memory", connector as never)).toThrow(
    /cannot be a node of a StateGraph: give it to setMemoryConnector/,
  );
});

// The likeliest mistake: LangGraph makes a node that does nothing of any object that is no Runnable.
it("a MemoryNode is refused by addNode, and told what to add instead", () => {
  const memoryNode = new MemoryNode(freshAddress());
  expect(() => new StateGraph(MessagesAnnotation).addNode("memory", memoryNode as never)).toThrow(
    /a MemoryNode cannot be a node of a StateGraph: add a CallModelNode with its memoryTools and its createConnector\(\)/,
  );
  expect(() => new StateGraph(MessagesAnnotation).addNode({ memory: memoryNode as never })).toThrow(TypeError);
  expect(() => new StateGraph(MessagesAnnotation).addSequence({ memory: memoryNode as never })).toThrow(TypeError);
});

it("an Agent is a node of another graph, which runs it", async () => {
  const agent = new Agent({ model: new ScriptedChatModel(() => "hello") });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", agent as never)
    .addEdge(START, "agent")
    .compile();
  const { messages } = await graph.invoke({ messages: [new HumanMessage("hi")] });
  expect(messages.map(({ text }) => text)).toEqual(["hi", "hello"]);
});

const malformed: [name: string, message: unknown, reason: string][] = [
  ["null", null, "it is neither an object nor a text"],
  ["a number", 7, "it is neither an object nor a text"],
  ["an object without a role", { content: "Hi" }, "Unable to coerce message"],
  ["a block that is null", { role: "user", content: [null] }, "its content must be a text or a list of blocks"],
];

/** The states of a graph, and the reasons why they cannot be read. */
const states: [name: string, state: unknown, reason: string][] = [
  ...malformed.map(([name, message, reason]): [string, unknown, string] => [
    name,
    { messages: [new HumanMessage("Hi"), message] },
    `messages[1] is no message: ${reason}`,
  ]),
  ["no messages", {}, "messages must be a list of messages (given undefined)"],
  ["no state", null, "messages must be a list of messages (given undefined)"],
];

type Job = (state: never, config: never) => Promise<unknown>;

const createNode = (): MemoryNode => new MemoryNode({ nodeId: "n", store: new InMemoryStore() });

describe.each(states)("A state with %s", (_name, state, reason) => {
  /** Runs a job that goes after the answer, and returns what it reports. */
  async function run(create: (onError: (error: Error) => void) => Job): Promise<string[]> {
    const errors: Error[] = [];
    await create((error) => void errors.push(error))(untyped(state), untyped({}));
    return errors.map(({ message }) => message);
  }

  it("does not end the run of a log, which reports the reason", async () => {
    const reported = await run((onError) => createConversationLog({ memory: createNode(), onError }));
    expect(reported).toEqual([expect.stringContaining(`EIO: the messages could not be logged: ${reason}`)]);
  });

  it("does not end a run that learns, which reports the reason", async () => {
    const { model } = createLearningModel(() => []);
    const expected = [expect.stringContaining(`EIO: learning failed: ${reason}`)];
    expect(await run((onError) => createLearnNode({ memory: createNode(), model, onError }))).toEqual(expected);
    const afterAgent = (onError: (error: Error) => void): Job =>
      learnMiddleware({ memory: createNode(), model, onError }).afterAgent;
    expect(await run(afterAgent)).toEqual(expected);
  });

  it("is refused before the model is called, by its place in the state", async () => {
    const node = new CallModelNode({ model: new ScriptedChatModel(() => "no"), systemPrompt: "Be brief." });
    const connected = new CallModelNode({
      model: new ScriptedChatModel(() => "no"),
      systemPrompt: "Be brief.",
      memoryConnector: createNode(),
    });
    const prompt = createMemoryPrompt({ connector: createNode(), systemPrompt: "Be brief." });
    const calls = [
      () => node.invoke(untyped(state)),
      () => connected.invoke(untyped(state)),
      async () => prompt(untyped(state), {}),
    ];
    for (const call of calls) {
      const refused = call();
      await expect(refused).rejects.toThrow(TypeError);
      await expect(refused).rejects.toThrow(reason);
    }
  });
});

it.each(malformed)("inject refuses a list with %s, and names its place", async (_name, message, reason) => {
  const refused = createNode()
    .createConnector()
    .inject([new HumanMessage("Hi"), untyped(message)]);
  await expect(refused).rejects.toThrow(TypeError);
  await expect(refused).rejects.toThrow(`messages[1] is no message: ${reason}`);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const runOf = (userId: unknown, config = {}): MemoryRun => ({ config, userId: userId as string });

describe("a MemoryNode", () => {
  it("opens each memory once, for runs and programs, and for each user by itself", async () => {
    const store = new MongoMemoryStore({ client: new MongoClient("mongodb://localhost:1") });
    const open = jest.spyOn(store, "memory");
    const node = new MemoryNode({ store, nodeId: "own", scope: "perUser", mounts: { "/team": { nodeId: "team" } } });
    for (const user of ["ann", "bob", "ann", "bob"]) await node.memoryForRun(runOf(user));
    node.memory("ann");
    expect(open.mock.calls.map(([address]) => address)).toEqual([
      { nodeId: "own", scope: "perUser", userId: "ann" },
      { nodeId: "team", scope: "global" },
      { nodeId: "own", scope: "perUser", userId: "bob" },
    ]);
  });

  it("opens the memory in the store of each run", async () => {
    const node = new MemoryNode({ nodeId: "own" });
    const [one, other] = [new InMemoryStore(), new InMemoryStore()];
    const memoryIn = (store: InMemoryStore) => node.memoryForRun({ config: { store } as object });
    await (await memoryIn(one)).write("/a", "one");
    await (await memoryIn(other)).write("/a", "other");
    expect([await (await memoryIn(one)).read("/a"), await (await memoryIn(other)).read("/a")]).toEqual([
      "one",
      "other",
    ]);
  });

  it("opens no memory of another user for a value that only looks like the id", async () => {
    const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "own", scope: "perUser" });
    await (await node.memoryForRun(runOf("ann"))).write("/secret", "x");
    const lookAlikes = [["ann"], { toJSON: () => "ann" }, { toString: () => "ann" }, Object("ann"), 1n];
    for (const id of lookAlikes) await refuses(node.memoryForRun(runOf(id)), "EINVAL");
    for (const id of ['ann"', "ann ", "ANN", '"]', "ann\\"])
      expect((await (await node.memoryForRun(runOf(id))).snapshot()).files).toEqual([]);
  });

  it("asks its function for the user once for a message, also where it finds nobody", async () => {
    const userId = jest.fn(() => "");
    const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "own", scope: "perUser", userId });
    await node.globalMemory().write("/shared", "x");
    const [message] = await node.createConnector({ onError: () => undefined }).inject([], { configurable: {} });
    expect(message?.text).toContain("\n/shared (1 byte)\n");
    expect(userId).toHaveBeenCalledTimes(1);
  });

  it.each([{}, { mounts: { "/team": { nodeId: "team" } } }])(
    "copies a memory once for a run, through however many doors it comes: %j",
    async (options) => {
      const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "own", ...options });
      const run: MemoryRun = { config: {} };
      const memory = await node.memoryForRun(run);
      expect(await openMemoryForRun(() => memory, run)).toBe(memory);
      expect(await openMemoryForRun(() => memory, { config: {} })).not.toBe(memory);
    },
  );

  it("binds a memory to one run only: the end of a run ends its own calls", async () => {
    const node = new MemoryNode({
      store: new InMemoryStore(),
      nodeId: "own",
      mounts: { "/team": { nodeId: "team" } },
    });
    const stopped = AbortSignal.abort(new Error("stopped"));
    const memory = await node.memoryForRun({ config: { signal: stopped } });
    for (const path of ["/a", "/team/a"]) await expect(memory.append(path, "x")).rejects.toThrow("stopped");
    const next = await node.memoryForRun({ config: {} });
    for (const path of ["/a", "/team/a"]) await next.append(path, "x");
    expect(await pathsIn(node.memory())).toEqual(["/a", "/team/a"]);
  });
});
