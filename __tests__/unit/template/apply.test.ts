import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { InMemoryStore } from "@langchain/langgraph";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import {
  buildGraph,
  type GraphDefinition,
  MemoryNode,
  type BuiltGraph,
  type GraphContext,
} from "../../../src/index.js";
import { build, documentedExample, edge, faultsOf, graphOf, node } from "../../helpers/graph-definitions.js";

const names = (agent: { callModel: { tools: readonly { name: string }[] } }) =>
  agent.callModel.tools.map(({ name }) => name);
const ping = tool(async () => "pong", {
  name: "ping",
  description: "ping",
  schema: { type: "object", properties: {} },
});
const oneTool = (config: object = {}) =>
  graphOf([node("A", "agent"), node("T", "memoryTool", config)], "A.tools -> T.$self");

describe("buildGraph", () => {
  it("hands out agents, memories and tools by id, and says which there are", async () => {
    const graph = build(await documentedExample());
    expect(names(graph.agent("A"))).toEqual(["memory_readonly", "memory_write"]);
    expect(graph.memory("M")).toMatchObject({ nodeId: "M", scope: "global" });
    expect(graph.tool("T1")).toMatchObject({
      name: "memory_readonly",
      description: "Read-only memory tool",
      title: "Mem Read",
    });
    for (const [run, message] of [
      [() => graph.agent("M"), 'the graph has no agent with the id "M"; there are "A"'],
      [() => graph.memory("constructor"), 'the graph has no memory with the id "constructor"; there are "M"'],
      [() => graph.tool("T3"), 'the graph has no memoryTool with the id "T3"; there are "T1", "T2"'],
      [() => build({ nodes: [], edges: [] }).agent("A"), 'the graph has no agent with the id "A"'],
    ] as const)
      expect(run).toThrow(expect.objectContaining({ code: "EINVAL", message }));
  });

  it("opens memories as their configs say, and else by the rule plain", async () => {
    const config = { nodeId: "elsewhere", scope: "perThread", paths: "posix", maxFileBytes: 3 };
    const memory = build(graphOf([node("M", "memory", config)])).memory("M");
    expect(memory.memory("1").address).toEqual({ nodeId: "elsewhere", scope: "perThread", threadId: "1" });
    await memory.memory("1").append("/a.txt", "123");
    await expect(memory.memory("1").append("/a.txt", "4")).rejects.toMatchObject({ code: "EFBIG" });
    const plain = build(graphOf([node("M", "memory")]))
      .memory("M")
      .memory();
    await expect(plain.append("/a.txt", "x")).rejects.toMatchObject({ code: "EINVAL" });
  });

  it("keeps to the rules of a memory, which its tool tells", async () => {
    const rules = [{ path: "/policies/**", access: "read" }];
    const graph = build(graphOf([node("M", "memory", { rules }), node("T", "memoryTool")], "M.$self -> T.$memory"));
    const append = { command: "append", path: "/policies/a", content: "x" } as const;
    expect(await graph.tool("T").invoke(append)).toContain('"code":"EACCES"');
    expect(graph.tool("T").description).toContain("/policies/** is read-only.");
    expect(await graph.memory("M").memory().list()).toEqual([]);
  });

  it("lets a tool do its commands, and answer ENOTMEM without a memory", async () => {
    const graph = build(oneTool({ commands: ["read"] }));
    expect(await graph.tool("T").invoke({ command: "read", path: "/a" })).toContain('"code":"ENOTMEM"');
    expect(await graph.tool("T").invoke({ command: "delete", path: "/a" })).toContain('"code":"EACCES"');
  });

  it("asks for the model of each agent by its id, once", () => {
    const asked: string[] = [];
    const model = (id: string) => (asked.push(id), new ScriptedChatModel(() => id));
    const graph = buildGraph(graphOf([node("A", "agent"), node("B", "agent")]), { store: new InMemoryStore(), model });
    graph.apply(graphOf([node("B", "agent", { systemPrompt: "x" }), node("C", "agent")]));
    expect(asked).toEqual(["A", "B", "C"]);
  });

  it("takes a definition that a program watches by proxies, as user interfaces do", () => {
    const watched = <T extends object>(value: T): T =>
      new Proxy(value, {
        get: (target, name, receiver) => {
          const found: unknown = Reflect.get(target, name, receiver);
          return typeof found === "object" && found !== null ? watched(found) : found;
        },
      });
    expect(names(build(watched(oneTool({}))).agent("A"))).toEqual(["memory"]);
  });

  it("keeps nothing of the definition that a program could change", async () => {
    const commands = ["read"];
    const definition = oneTool({ commands });
    const graph = build(definition);
    commands.push("delete");
    definition.edges.length = 0;
    expect(names(graph.agent("A"))).toEqual(["memory"]);
    expect(await graph.tool("T").invoke({ command: "delete", path: "/a" })).toContain('"code":"EACCES"');
  });

  it.each([
    [{ store: {} }, "store"],
    [{ model: {} }, "model"],
    [{ model: undefined }, "model"],
    [{ onError: 1 }, "onError"],
    [{ colour: 1 }, "colour"],
  ])("refuses the context %j", (wrong, field) => {
    const context = { store: new InMemoryStore(), model: new ScriptedChatModel(() => ""), ...wrong } as never;
    const run = () => buildGraph({ nodes: [], edges: [] }, context);
    expect(run).toThrow(TypeError);
    expect(run).toThrow(field);
  });

  it("names the agent whose model is none or cannot bind tools", () => {
    const store = new InMemoryStore();
    const none = () => buildGraph(oneTool(), { store, model: () => undefined as never });
    const message = 'agent "A": CallModelNode: model must be a chat model (given undefined)';
    expect(none).toThrow(expect.objectContaining({ name: "TypeError", message }));
    const simple = new FakeListChatModel({ responses: ["x"] });
    Object.assign(simple, { bindTools: undefined });
    expect(() => buildGraph(oneTool(), { store, model: simple })).toThrow(
      /^agent "A": this chat model cannot bind tools$/,
    );
    expect(names(buildGraph(graphOf([node("A", "agent")]), { store, model: simple }).agent("A"))).toEqual([]);
  });
});

describe("apply", () => {
  it("keeps what did not change, and makes anew what did", () => {
    const before = graphOf(
      [
        node("M", "memory"),
        node("N", "memory"),
        node("A", "agent"),
        node("T", "memoryTool"),
        node("U", "memoryTool", { name: "u" }),
        node("V", "memoryTool", { name: "v" }),
      ],
      "M.$self -> T.$memory",
      "M.$self -> U.$memory",
    );
    const graph = build(before);
    const parts = (): unknown[] => [
      ...["M", "N"].map((id) => graph.memory(id)),
      graph.agent("A"),
      ...["T", "U", "V"].map((id) => graph.tool(id)),
    ];
    const first = parts();
    /** The parts that an apply keeps. */
    const kept = (after: GraphDefinition): string => {
      graph.apply(after);
      return Array.from("MNATUV", (id, index) => (parts()[index] === first[index] ? id : "")).join("");
    };
    expect(kept(before)).toBe("MNATUV");
    const after = structuredClone(before);
    after.edges[1] = edge("N.$self -> U.$memory");
    after.nodes[5] = node("V", "memoryTool", { name: "w" });
    expect(kept(after)).toBe("MNAT");
    after.nodes[0] = node("M", "memory", { nodeId: "other" });
    expect(kept(after)).toBe("NA");
  });

  it("changes nothing where the definition has a fault, or an agent cannot be made", async () => {
    const graph = build(await documentedExample());
    const parts = () => [graph.agent("A"), graph.agent("A").callModel, graph.memory("M"), graph.tool("T1")];
    const before = parts();
    expect(faultsOf(() => graph.apply(graphOf([node("A", "agent"), node("B", "agnet")])))).toHaveLength(1);
    graph.agent("A").addTool(ping);
    const clash = graphOf(
      [node("Z", "agent"), node("A", "agent"), node("T", "memoryTool", { name: "ping" })],
      "A.tools -> T.$self",
    );
    const message = 'agent "A": a tool called ping exists already; remove it first, or give one of them another name';
    expect(() => graph.apply(clash)).toThrow(expect.objectContaining({ name: "TypeError", message }));
    expect(parts().map((part, index) => part === before[index])).toEqual([true, true, true, true]);
    expect(() => graph.agent("Z")).toThrow("no agent");
    expect(names(graph.agent("A"))).toEqual(["memory_readonly", "memory_write", "ping"]);
  });

  it("gives and takes tools, the prompt and the title, and leaves what the program added", async () => {
    const model = new ScriptedChatModel(() => "done");
    const graph = buildGraph(oneTool(), { store: new InMemoryStore(), model });
    const agent = graph.agent("A");
    agent.addTool(ping);
    graph.apply(
      graphOf(
        [node("A", "agent", { systemPrompt: "Be kind.", title: "Ada" }), node("U", "memoryTool", { name: "u" })],
        "A.tools -> U.$self",
      ),
    );
    expect([names(agent), agent.graph.getName()]).toEqual([["u", "ping"], "Ada"]);
    await agent.invoke({ messages: [new HumanMessage("hello")] });
    graph.apply(graphOf([node("A", "agent")]));
    expect([names(agent), agent.graph.getName()]).toEqual([["ping"], "LangGraph"]);
    await agent.invoke({ messages: [new HumanMessage("hello")] });
    expect(model.calls.map((call) => call.map(({ text }) => text))).toEqual([["Be kind.", "hello"], ["hello"]]);
  });

  it("gives again a tool that the program took away", () => {
    const graph = build(oneTool());
    graph.agent("A").removeTool("memory");
    expect(names(graph.agent("A"))).toEqual([]);
    graph.apply(oneTool());
    expect(names(graph.agent("A"))).toEqual(["memory"]);
  });

  it("takes away its own connector, and only where it has another one that of the program", () => {
    const nodes = [node("M", "memory"), node("A", "agent"), node("C", "memoryConnector")];
    const [wired, loose] = [
      graphOf(nodes, "M.$self -> C.$memory", "C.$self -> A.$memory"),
      graphOf(nodes, "M.$self -> C.$memory"),
    ];
    const graph = build(wired);
    const own = graph.agent("A").callModel.memoryConnector;
    expect(own).toBeDefined();
    graph.apply(loose);
    expect(graph.agent("A").callModel.memoryConnector).toBeUndefined();
    const attached = new MemoryNode({ nodeId: "x" }).createConnector();
    graph.agent("A").attachMemoryConnector(attached);
    graph.apply(loose);
    expect(graph.agent("A").callModel.memoryConnector).toBe(attached);
    graph.apply(wired);
    expect(graph.agent("A").callModel.memoryConnector).toBe(own);
  });

  it("takes out an agent, which goes on as it was, and makes a new one of its id later", async () => {
    const graph = build(oneTool());
    const agent = graph.agent("A");
    graph.apply({ nodes: [node("A", "memory")], edges: [] });
    expect(() => graph.agent("A")).toThrow('the graph has no agent with the id "A"');
    expect(graph.memory("A").nodeId).toBe("A");
    expect((await agent.invoke({ messages: [new HumanMessage("hello")] })).messages.at(-1)?.text).toBe("done");
    graph.apply(oneTool());
    expect(graph.agent("A")).not.toBe(agent);
  });
});

type AllowedNodeIds = NonNullable<GraphContext["allowedNodeIds"]>;

const harmless = () => graphOf([node("M", "memory", { nodeId: "mine" })]);
const harmful = () => graphOf([node("M", "memory", { nodeId: "theirs", maxFileBytes: 7 })]);

/** Answers the harmless definition so often, then the other one. */
function turning<T>(first: T, then: T, times: number): () => T {
  let left = times;
  return () => (left-- > 0 ? first : then);
}

describe("a definition that changes while it is read", () => {
  it("is what was checked, whatever a hidden toJSON says", () => {
    const definition = harmless();
    const hide = (part: object | undefined, value: () => unknown): unknown =>
      Object.defineProperty(part, "toJSON", { value });
    hide(definition, harmful);
    hide(definition.nodes, () => harmful().nodes);
    hide(definition.nodes[0]?.data, () => harmful().nodes[0]?.data);
    expect(build(definition).memory("M").nodeId).toBe("mine");
  });

  it.each([1, 2, 3, 5, 10])("is what was checked, where a getter turns after %i reads", (times) => {
    const answer = turning<unknown>(
      harmless().nodes,
      [{ id: "M", data: { template: "memory", config: { nodeId: 7 } } }],
      times,
    );
    const definition = {
      edges: [],
      get nodes() {
        return answer();
      },
    } as unknown as GraphDefinition;
    expect(build(definition).memory("M").nodeId).toBe("mine");
  });

  it.each([1, 2, 3, 5, 10])("is what was checked, where a Proxy turns after %i reads", (times) => {
    const nodeId = turning("mine", "theirs", times);
    const config = new Proxy(
      { nodeId: "mine" },
      { get: (target, name) => (name === "nodeId" ? nodeId() : (Reflect.get(target, name) as unknown)) },
    );
    const graph = buildWith(["mine"], graphOf([node("M", "memory", config)]));
    expect(graph.memory("M").nodeId).toBe("mine");
  });

  it("that goes in a circle, or deeper than any, is refused", () => {
    const circle: Record<string, unknown> = { id: "M", data: { template: "memory" } };
    circle["data"] = { template: "memory", config: circle };
    expect(faultsOf(() => build({ nodes: [circle], edges: [] } as never))).toHaveLength(2);
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`) as object;
    expect(faultsOf(() => build(graphOf([node("M", "memory", deep)])))).toHaveLength(1);
  });
});

function buildWith(allowedNodeIds: AllowedNodeIds, definition: GraphDefinition): BuiltGraph {
  return buildGraph(definition, {
    store: new InMemoryStore(),
    model: new ScriptedChatModel(() => "done"),
    allowedNodeIds,
  });
}

describe("allowedNodeIds", () => {
  const memories = (...nodeIds: string[]) =>
    graphOf(nodeIds.map((nodeId, index) => node(`M${index}`, "memory", { nodeId })));

  const refused = "data.config.nodeId must be one that allowedNodeIds has";

  it.each<[allowed: string[], definition: GraphDefinition, faults: string[]]>([
    [["a", "b"], memories("a", "b", "a"), []],
    [["a", "b"], memories("a", "c"), [`node "M1" (nodes[1]): ${refused}, one of "a", "b" (given "c")`]],
    [[], memories("a"), [`node "M0" (nodes[0]): ${refused} (given "a")`]],
    // The id of a node names its memory where nothing else does.
    [
      ["a"],
      graphOf([node("a", "memory"), node("other", "agent"), node("third", "memory")]),
      [`node "third" (nodes[2]): ${refused}, one of "a" (given "third", the id of the node)`],
    ],
  ])("of %j let a definition open those memories, and no others", (allowed, definition, faults) => {
    expect(faultsOf(() => buildWith(allowed, definition))).toEqual(faults);
  });

  it("may be a function, which answers true", () => {
    const ofTenant = (nodeId: string) => nodeId.startsWith("acme/");
    expect(buildWith(ofTenant, memories("acme/a")).memory("M0").nodeId).toBe("acme/a");
    expect(faultsOf(() => buildWith(ofTenant, memories("acme")))).toHaveLength(1);
    const promises = (async () => true) as unknown as AllowedNodeIds;
    expect(faultsOf(() => buildWith(promises, memories("acme/a")))).toHaveLength(1);
  });

  it("holds for what is applied later, which then changes nothing", () => {
    const graph = buildWith(["a"], memories("a"));
    expect(faultsOf(() => graph.apply(memories("b")))).toHaveLength(1);
    expect(graph.memory("M0").nodeId).toBe("a");
  });

  it.each(["a", [1], {}])("is refused as %j", (given) => {
    expect(() => buildWith(given as never, memories("a"))).toThrow(
      /allowedNodeIds: must be a list of node ids, or a function/,
    );
  });
});
