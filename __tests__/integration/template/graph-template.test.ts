import { describe, expect, it } from "@jest/globals";
import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import {
  Command,
  InMemoryStore,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { type Script, ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { type BuiltGraph, buildGraph, type GraphDefinition, MongoMemoryStore } from "../../../src/index.js";
import { documentedExample, graphOf, node } from "../../helpers/graph-definitions.js";
import { FailingStore } from "../../helpers/failing-store.js";
import { brief, checkpointed, shownEntries } from "../../helpers/conversations.js";
import { testDatabase } from "../../helpers/test-database.js";

const turn = (text: string) => ({ messages: [new HumanMessage(text)] });
const inThread = (thread_id: string) => ({ configurable: { thread_id } });
const append = (path: string, content: string) => ({ command: "append", path, content });

/** Calls the tools that the last human message names, one after the other, then answers. */
const obedient: Script = (messages) => {
  const asked = messages.findLastIndex(({ type }) => type === "human");
  const names = /^call (.*)$/.exec(messages[asked]?.text ?? "")?.[1]?.split(" ") ?? [];
  const name = names[messages.slice(asked).filter(({ type }) => type === "tool").length];
  return name === undefined ? "done" : { tool: name, args: append(`/${name}`, "x") };
};

/** Keeps the names of the tools of each call, and holds its answers back while `gate` is pending. */
class WatchedModel extends ScriptedChatModel {
  readonly offered: unknown[][] = [];
  gate: Promise<void> = Promise.resolve();
  #names: unknown[] = [];

  override bindTools(tools: BindToolsInput[]): ReturnType<ScriptedChatModel["bindTools"]> {
    this.#names = tools.map((each) => ("name" in each ? each.name : undefined));
    return super.bindTools(tools);
  }

  override async _generate(messages: BaseMessage[], options?: this["ParsedCallOptions"]): Promise<ChatResult> {
    this.offered.push(this.#names.splice(0));
    await this.gate;
    return super._generate(messages, options);
  }
}

/** The documented example with memories of names of their own, so that no test meets another's. */
async function example(memory = `M-${crypto.randomUUID()}`): Promise<GraphDefinition> {
  const definition = await documentedExample();
  const nodes = definition.nodes.map((each) =>
    each.id === "M" ? node("M", "memory", { nodeId: memory, scope: "global" }) : each,
  );
  return { ...definition, nodes };
}

const without = ({ nodes, edges }: GraphDefinition, id: string): GraphDefinition => ({
  nodes: nodes.filter((each) => each.id !== id),
  edges: edges.filter(({ source, target }) => source !== id && target !== id),
});

const readFiles = async (graph: BuiltGraph, id: string, threadId?: string) =>
  (await graph.memory(id).memory(threadId).snapshot()).files.map(({ path, content }) => `${path}: ${content}`);

describe("a graph template", () => {
  const { client, name: dbName } = testDatabase();
  const store = new MongoMemoryStore({ client, dbName });

  it("gives each user of a run a memory of scope perUser, in all threads", async () => {
    const nodeId = `M-${crypto.randomUUID()}`;
    const parts = [node("A", "agent"), node("M", "memory", { nodeId, scope: "perUser" }), node("T", "memoryTool")];
    const model = new ScriptedChatModel(obedient);
    const graph = buildGraph(graphOf(parts, "A.tools -> T.$self", "M.$self -> T.$memory", "M.$self -> A.$memory"), {
      store,
      model,
    });
    const ask = (text: string, user_id: string, thread_id: string) =>
      graph.agent("A").invoke(turn(text), { configurable: { user_id, thread_id } });
    await ask("call memory", "ada", "1");
    await ask("hello", "ada", "2");
    await ask("hello", "bob", "1");
    expect(model.calls.map(shownEntries)).toEqual([[], ["/memory"], ["/memory"], []]);
    expect([await readFiles(graph, "M", "ada"), await readFiles(graph, "M", "bob")]).toEqual([["/memory: x"], []]);
  });

  it("runs as documented: two tools over one global memory", async () => {
    const model = new WatchedModel((messages) => {
      const answers = messages.filter(({ type }) => type === "tool").length;
      if (answers === 0) return { tool: "memory_write", args: append("/notes/today", "hello") };
      if (answers === 1) return { tool: "memory_readonly", args: { command: "read", path: "/notes/today" } };
      return "done";
    });
    const graph = buildGraph(await documentedExample(), { store, model });
    await graph.memory("M").memory().delete("/");
    const { messages } = await graph.agent("A").invoke(turn("Note hello."), inThread("1"));
    expect(brief(messages).slice(1)).toEqual([
      "ai: ",
      'tool: {"command":"append","path":"/notes/today","ok":true,"result":{"status":"ok"}}',
      "ai: ",
      'tool: {"command":"read","path":"/notes/today","ok":true,"result":{"content":"hello"}}',
      "ai: done",
    ]);
    expect(model.offered).toEqual(Array.from({ length: 3 }, () => ["memory_readonly", "memory_write"]));
    expect(await readFiles(graph, "M")).toEqual(["/notes/today: hello"]);
  });

  it("shows a memory through a connector, and directly, to the thread that it belongs to", async () => {
    const model = new ScriptedChatModel(obedient);
    const nodes = [
      node("M", "memory", { nodeId: crypto.randomUUID(), scope: "perThread" }),
      node("A", "agent"),
      node("B", "agent", { systemPrompt: "Be kind." }),
      node("T", "memoryTool"),
      node("C", "memoryConnector", { content: "full" }),
    ];
    const edges = ["A.tools -> T.$self", "B.tools -> T.$self", "M.$self -> T.$memory", "M.$self -> C.$memory"];
    const graph = buildGraph(graphOf(nodes, ...edges, "C.$self -> A.$memory", "M.$self -> B.$memory"), {
      store,
      model,
    });
    await graph.agent("A").invoke(turn("call memory"), inThread("1"));
    await graph.agent("B").invoke(turn("hello"), inThread("1"));
    await graph.agent("B").invoke(turn("hello"), inThread("2"));
    expect(model.calls.map(shownEntries)).toEqual([[], ["/memory"], ["/memory"], []]);
    expect(
      [model.calls[1]?.[0]?.text, model.calls[2]?.[0]?.text].map((text) => /view="(\w+)"/.exec(text ?? "")?.[1]),
    ).toEqual(["full", "tree"]);
    expect(await readFiles(graph, "M", "1")).toEqual(["/memory: x"]);
  });

  it("lets a turn under way end with the tools, prompt and memory that it began with", async () => {
    const model = new WatchedModel(obedient);
    const definition = await example();
    const graph = buildGraph(definition, { store, model });
    const agent = graph.agent("A");
    let release = (): void => {};
    model.gate = new Promise((resolve) => {
      release = resolve;
    });
    const running = agent.invoke(turn("call memory_write memory_write"), inThread("1"));
    while (model.offered.length === 0) await new Promise(setImmediate);
    const old = graph.memory("M");

    // The tool that the model is about to call goes, and the others get another memory, prompt and a connector.
    const next = without(await example(), "T2");
    graph.apply({
      nodes: [...next.nodes.filter(({ id }) => id !== "A"), node("A", "agent", { systemPrompt: "Be kind." })],
      edges: [...next.edges, { source: "M", sourceHandle: "$self", target: "A", targetHandle: "$memory" }],
    });
    await graph.memory("M").memory().append("/new", "x");
    expect(graph.agent("A")).toBe(agent);
    release();
    const { messages } = await running;
    expect(
      messages.filter(({ type }) => type === "tool").map(({ text }) => (JSON.parse(text) as { ok: boolean }).ok),
    ).toEqual([true, true]);
    expect((await old.memory().snapshot()).files.map(({ content }) => content)).toEqual(["x\nx"]);
    expect(await readFiles(graph, "M")).toEqual(["/new: x"]);
    expect(model.offered).toEqual(Array.from({ length: 3 }, () => ["memory_readonly", "memory_write"]));
    expect(model.calls.map((call) => call[0]?.type)).toEqual(["human", "human", "human"]);

    await agent.invoke(turn("hello"), inThread("1"));
    expect(model.offered.at(-1)).toEqual(["memory_readonly"]);
    expect(model.calls.at(-1)?.[0]?.text).toMatch(/^Be kind\./);
    expect(shownEntries(model.calls.at(-1) ?? [])).toEqual(["/new"]);
  });

  it("goes on with the new tools where an interrupted turn is resumed", async () => {
    const model = new WatchedModel(obedient);
    const definition = await example();
    const checkpointer = new MemorySaver();
    const graph = buildGraph(without(definition, "T2"), { store, model, checkpointer });
    const ask = tool(async () => `the answer is ${String(interrupt("what?"))}`, {
      name: "ask",
      description: "ask",
      schema: { type: "object", properties: {} },
    });
    graph.agent("A").addTool(ask);
    await graph.agent("A").invoke(turn("call ask memory_write"), inThread("1"));
    graph.apply(definition);
    const { messages } = await graph.agent("A").invoke(new Command({ resume: 42 }), inThread("1"));
    expect(await checkpointed(checkpointer, "1")).not.toContain("memory_readonly");
    expect(brief(messages).filter((text) => text.startsWith("tool"))).toEqual([
      "tool: the answer is 42",
      expect.stringContaining('"ok":true'),
    ]);
    expect(model.offered).toEqual([
      ["memory_readonly", "ask"],
      ["memory_readonly", "memory_write", "ask"],
      ["memory_readonly", "memory_write", "ask"],
    ]);
  });
});

describe("an agent of a graph template", () => {
  it("shows nobody what its turns run on, in streams and as a node of another graph", async () => {
    const agent = buildGraph(await example(), {
      store: new InMemoryStore(),
      model: new ScriptedChatModel(obedient),
    }).agent("A");
    const shown: unknown[] = [];
    for await (const [, chunk] of await agent.stream(turn("call memory_write"), {
      streamMode: ["values", "updates", "tasks", "checkpoints"],
    }))
      shown.push(chunk);
    for await (const event of agent.graph.streamEvents(turn("call memory_write"), { version: "v2" })) shown.push(event);
    expect(shown.length).toBeGreaterThan(20);
    const states: object[] = [];
    for await (const [mode, chunk] of await agent.stream(turn("call memory_write"), {
      streamMode: ["values", "updates"],
    })) {
      states.push(...(mode === "values" ? [chunk] : Object.values(chunk as Record<string, object>)));
    }
    expect(new Set(states.flatMap((state) => Object.keys(state)))).toEqual(new Set(["messages"]));
    expect(JSON.stringify(shown)).not.toContain('"turn"');
    expect(Object.keys(await agent.invoke({ ...turn("hello"), turn: "mine" } as never))).toEqual(["messages"]);
    const outer = new StateGraph(MessagesAnnotation).addNode("agent", agent.graph).addEdge(START, "agent").compile();
    expect(brief((await outer.invoke(turn("call memory_write"))).messages).at(-1)).toBe("ai: done");
  });

  it("is told, by the program's hook, which memory it could not be shown", async () => {
    const down = new FailingStore();
    down.isAway = true;
    const reported: string[] = [];
    const nodes = [node("M", "memory"), node("A", "agent"), node("B", "agent"), node("C", "memoryConnector")];
    const definition = graphOf(nodes, "M.$self -> C.$memory", "C.$self -> A.$memory", "M.$self -> B.$memory");
    const model = new ScriptedChatModel(obedient);
    const graph = buildGraph(definition, {
      store: down,
      model,
      onError: ({ code }) => reported.push(code),
    });
    for (const id of ["A", "B"])
      expect((await graph.agent(id).invoke(turn("hello"))).messages.at(-1)?.text).toBe("done");
    expect(reported).toEqual(["EIO", "EIO"]);
  });
});
