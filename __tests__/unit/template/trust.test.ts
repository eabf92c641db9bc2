import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";

type AllowedNodeIds = NonNullable<GraphContext["allowedNodeIds"]>;
import { type BuiltGraph, buildGraph, type GraphContext, type GraphDefinition } from "../../../src/index.js";
import { build, faultsOf, graphOf, node } from "../../helpers/graph-definitions.js";

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
