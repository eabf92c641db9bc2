import { describe, expect, it } from "@jest/globals";
import { quoteAll } from "../../../src/template/field-issues.js";
import { build, edge, faultsOf, graphOf, node } from "../../helpers/graph-definitions.js";

const faults = (definition: unknown) => faultsOf(() => build(definition as never));

/** A memory, an agent, a tool and a connector, to which one thing is added that is wrong. */
const nodes = [node("M", "memory"), node("A", "agent"), node("T", "memoryTool"), node("C", "memoryConnector")];
const edges = ["A.tools -> T.$self", "M.$self -> T.$memory", "M.$self -> C.$memory", "C.$self -> A.$memory"];
const kinds =
  "agent.tools -> memoryTool.$self, memory.$self -> memoryTool.$memory, memory.$self -> memoryConnector.$memory, " +
  "memoryConnector.$self -> agent.$memory, memory.$self -> agent.$memory, " +
  "memoryConnector.$self -> agent.setMemoryConnector, memory.$self -> agent.setMemoryConnector";
const ids = '"M", "A", "T", "C"';

describe("a graph definition", () => {
  // Requirement: template.tool-metadata
  it("without fault is accepted", () => {
    expect(faults(graphOf(nodes, ...edges))).toEqual([]);
    expect(faults({ nodes: [], edges: [] })).toEqual([]);
    expect(faults({ nodes: [{ id: "A", data: { template: "agent" } }], edges: [] })).toEqual([]);
  });

  it.each([
    [undefined, "the definition must be an object { nodes, edges } (missing)"],
    [[], "the definition must be an object { nodes, edges } (given [])"],
    ["{}", 'the definition must be an object { nodes, edges } (given "{}")'],
    [{ nodes: [] }, "the definition: edges must be a list of edges (missing)"],
    [{ nodes: {}, edges: [] }, "the definition: nodes must be a list of nodes (given an object)"],
  ])("%j is none", (definition, fault) => {
    expect(faults(definition)).toEqual([fault]);
  });

  // Requirement: template.faults-name-the-node, template.names-of-javascript
  it.each([
    [null, "nodes[4] must be an object { id, data: { template, config } } (given null)"],
    [{ id: "X" }, 'node "X" (nodes[4]): data must be an object { template, config } (missing)'],
    [
      { ...node("X", "agent"), id: 1 },
      "nodes[4]: id must be a text of 1 to 512 characters, none of them a control character, which no other node has (given 1)",
    ],
    [
      node("", "agent"),
      'node "" (nodes[4]): id must be a text of 1 to 512 characters, none of them a control character, which no other node has (given "")',
    ],
    [
      node("a\nb", "agent"),
      'node "a\\nb" (nodes[4]): id must be a text of 1 to 512 characters, none of them a control character, which no other node has (given "a\\nb")',
    ],
    [node("A", "agent"), 'node "A" (nodes[4]): id must be one that no other node has, and node "A" (nodes[1]) has it'],
    [
      { ...node("X", "agent"), config: {} },
      'node "X" (nodes[4]): unknown field "config"; "data.config" was probably meant',
    ],
    [
      { ...node("X", "memory"), Scope: "perThread" },
      'node "X" (nodes[4]): unknown field "Scope"; "data.config.scope" was probably meant',
    ],
    [
      { id: "X", data: { template: "memory", confg: {} } },
      'node "X" (nodes[4]): unknown field "data.confg"; "data.config" was probably meant',
    ],
    [
      { id: "X", data: { template: "memoryTool", name: "x" } },
      'node "X" (nodes[4]): unknown field "data.name"; "data.config.name" was probably meant',
    ],
    [
      node("X", "memory", { node: "x" }),
      'node "X" (nodes[4]): unknown field "data.config.node"; "data.config.nodeId" was probably meant; the fields here are "nodeId", "scope", "mounts", "paths", "maxFileBytes", "maxMemoryBytes", "timeoutMs", "rules", "onAsk"',
    ],
    [
      node("X", "memroy"),
      'node "X" (nodes[4]): data.template must be one of "memory", "agent", "memoryTool", "memoryConnector" (given "memroy")',
    ],
    [
      node("X", "constructor"),
      'node "X" (nodes[4]): data.template must be one of "memory", "agent", "memoryTool", "memoryConnector" (given "constructor")',
    ],
    [
      { id: "X", data: { template: "agent", config: null } },
      'node "X" (nodes[4]): data.config must be an object (given null)',
    ],
    [
      node("X", "agent", { model: "x" }),
      'node "X" (nodes[4]): unknown field "data.config.model"; the fields here are "systemPrompt", "title"',
    ],
    [
      node("X", "agent", JSON.parse('{"__proto__":1}') as object),
      'node "X" (nodes[4]): unknown field "data.config.__proto__"; the fields here are "systemPrompt", "title"',
    ],
  ])("with the node %j says so", (wrong, fault) => {
    const definition = graphOf(nodes, ...edges);
    expect(faults({ ...definition, nodes: [...definition.nodes, wrong] })).toEqual([fault]);
  });

  // Requirement: template.faults-name-the-node
  it.each([
    [
      "memory",
      { scope: "thread" },
      'scope must be "global" (one memory for all; the default), "perThread" (one for each thread) or "perUser" (one for each user) (given "thread")',
    ],
    [
      "memory",
      { nodeId: "" },
      'nodeId must be a text of 1 to 512 characters, none of them a control character: what the memory is called in the store (default: the id of the node) (given "")',
    ],
    [
      "memory",
      { paths: true },
      'paths must be "plain" (names of letters, digits, "_", "-" and spaces; the default) or "posix" (any Unicode) (given true)',
    ],
    [
      "memory",
      { maxFileBytes: 0 },
      "maxFileBytes must be a whole number from 1 to 15000000: the largest file in bytes (default 1000000) (given 0)",
    ],
    [
      "memory",
      { maxMemoryBytes: 0 },
      "maxMemoryBytes must be a whole number from 1: the largest memory in bytes (default 15000000, which is also the most) (given 0)",
    ],
    [
      "agent",
      { systemPrompt: 1 },
      "systemPrompt must be a text that goes before the messages of a conversation (default: none) (given 1)",
    ],
    [
      "agent",
      { title: "" },
      'title must be a text of at least 1 character: what its runs are called in traces (default "LangGraph") (given "")',
    ],
    [
      "memoryTool",
      { name: "no spaces" },
      'name must be 1 to 64 letters, digits, "_" or "-": what the model calls the tool (default "memory") (given "no spaces")',
    ],
    [
      "memoryTool",
      { description: "" },
      'description must be a text of at least 1 character: what the model reads about the tool (default: a description of its commands) (given "")',
    ],
    [
      "memoryTool",
      { title: {} },
      "title must be a text of at least 1 character: what people see of the tool (default: none) (given an object)",
    ],
    [
      "memoryTool",
      { commands: ["read", "write"] },
      'commands must be a list of at least one of "read", "list", "append", "update", "delete" and "search" (default: all but "search") (given ["read", "write"])',
    ],
    [
      "memoryTool",
      { commands: [] },
      'commands must be a list of at least one of "read", "list", "append", "update", "delete" and "search" (default: all but "search") (given [])',
    ],
  ])("with a %s whose config is %j says so", (template, config, fault) => {
    const definition = graphOf([...nodes, node("X", template, config)], ...edges);
    expect(faults(definition)).toEqual([`node "X" (nodes[4]): data.config.${fault}`]);
  });

  it.each([
    [
      { placement: "top" },
      'placement must be "after_system" (the default), "before_system" or "last_message" (given "top")',
    ],
    [
      { content: "" },
      'content must be "tree" (paths and sizes; the default), "index" (a line about each file, too) or "full" (the contents of files, too) (given "")',
    ],
    [
      { maxChars: 200_001 },
      "maxChars must be a whole number from 1 to 200000: the longest text that is shown (default 4000) (given 200001)",
    ],
    [{ role: "system" }, 'role must be "auto" (the default) or "user" (given "system")'],
    [{ systemMessages: 2 }, 'systemMessages must be "auto" (the default), "separate" or "merged" (given 2)'],
  ])("with a memoryConnector whose config is %j says so", (config, fault) => {
    const [memory = node("M", "memory"), agent = node("A", "agent"), tool = node("T", "memoryTool")] = nodes;
    const definition = graphOf([memory, agent, tool, node("C", "memoryConnector", config)], ...edges);
    expect(faults(definition)).toEqual([`node "C" (nodes[3]): data.config.${fault}`]);
  });

  it.each(["M.$self -> A.setMemoryConnector", "C.$self -> A.setMemoryConnector"])(
    "may join %s, as the documents of the reference do",
    (join) => {
      expect(faults(graphOf(nodes, "M.$self -> C.$memory", join))).toEqual([]);
    },
  );

  // Requirement: template.fields-of-editors
  it("may hold all that a visual editor saves with it", () => {
    const saved = {
      type: "memory",
      position: { x: 1.5, y: -2 },
      name: "Mine",
      width: 150,
      height: 40,
      selected: false,
      dragging: false,
    };
    const definition = graphOf(nodes, ...edges);
    expect(
      faults({
        ...definition,
        nodes: definition.nodes.map(({ id, data }) => ({
          id,
          data: { ...data, label: id, state: { ok: true } },
          ...saved,
          measured: { width: 1n, toJSON: () => 1 },
        })),
        edges: definition.edges.map((each, index) => ({
          ...each,
          id: `e${index}`,
          type: "smoothstep",
          animated: true,
          style: { stroke: "red" },
          data: {},
        })),
        viewport: { x: 0, y: 0, zoom: 1 },
        version: 3,
      }),
    ).toEqual([]);
  });

  it("with a memoryConnector that has no memory says so, and accepts a memoryTool that has none", () => {
    expect(faults(graphOf(nodes, "A.tools -> T.$self", "C.$self -> A.$memory"))).toEqual([
      'node "C" (nodes[3]): a memoryConnector must have a memory; add an edge memory.$self -> memoryConnector.$memory',
    ]);
  });

  // Requirement: template.faults-name-the-edge, template.names-of-javascript
  it.each([
    ["A.tools", 'edges[4] must be an object { source, sourceHandle, target, targetHandle } (given "A.tools")'],
    [
      { ...edge("A.tools -> T2.$self"), source: 1 },
      [
        "edges[4]: source must be the id of a node (given 1)",
        `edges[4]: target must be the id of a node, one of ${ids} (given "T2")`,
      ],
    ],
    [
      edge("M.$self -> A.setMemoryConnector"),
      [
        'edge "M.$self -> A.setMemoryConnector" (edges[4]): node "A" (nodes[1]) takes one edge at $memory, and has edge "C.$self -> A.$memory" (edges[3]); leave one of them out',
      ],
    ],
    [
      edge("A.tools -> T2.$self"),
      `edge "A.tools -> T2.$self" (edges[4]): target must be the id of a node, one of ${ids} (given "T2")`,
    ],
    [
      edge("__proto__.tools -> T.$self"),
      `edge "__proto__.tools -> T.$self" (edges[4]): source must be the id of a node, one of ${ids} (given "__proto__")`,
    ],
    [
      edge("A.tool -> T.$self"),
      'edge "A.tool -> T.$self" (edges[4]): sourceHandle must be "tools" (of an agent) or "$self" (of a memory or a memoryConnector) (given "tool")',
    ],
    [
      edge("A.tools -> T.self"),
      'edge "A.tools -> T.self" (edges[4]): targetHandle must be "$self" (of a memoryTool), "$memory" (of a memoryTool, a memoryConnector or an agent) or "setMemoryConnector" (the "$memory" of an agent) (given "self")',
    ],
    [
      edge("A.tools -> M.$self"),
      `edge "A.tools -> M.$self" (edges[4]): no edge goes agent.tools -> memory.$self; there are ${kinds}`,
    ],
    [
      edge("M.$self -> M.$memory"),
      `edge "M.$self -> M.$memory" (edges[4]): no edge goes memory.$self -> memory.$memory; there are ${kinds}`,
    ],
    [
      edge("A.tools -> T.$self"),
      'edge "A.tools -> T.$self" (edges[4]): says again what edge "A.tools -> T.$self" (edges[0]) says; leave one of them out',
    ],
  ])("with the edge %j says so", (wrong, expected) => {
    const definition = graphOf(nodes, ...edges);
    expect(faults({ ...definition, edges: [...definition.edges, wrong] })).toEqual([expected].flat());
  });

  it("with two memories for one tool, connector or agent says so", () => {
    const definition = graphOf(
      [...nodes, node("N", "memory")],
      ...edges,
      "N.$self -> T.$memory",
      "N.$self -> C.$memory",
      "N.$self -> A.$memory",
    );
    expect(faults(definition)).toEqual([
      'edge "N.$self -> T.$memory" (edges[4]): node "T" (nodes[2]) takes one edge at $memory, and has edge "M.$self -> T.$memory" (edges[1]); leave one of them out',
      'edge "N.$self -> C.$memory" (edges[5]): node "C" (nodes[3]) takes one edge at $memory, and has edge "M.$self -> C.$memory" (edges[2]); leave one of them out',
      'edge "N.$self -> A.$memory" (edges[6]): node "A" (nodes[1]) takes one edge at $memory, and has edge "C.$self -> A.$memory" (edges[3]); leave one of them out',
    ]);
  });

  // Requirement: template.two-tools-of-one-name
  it("with two tools of one name for an agent says so, and accepts them for two agents", () => {
    const tools = [
      node("A", "agent"),
      node("B", "agent"),
      node("T1", "memoryTool"),
      node("T2", "memoryTool", { name: "memory" }),
    ];
    expect(faults(graphOf(tools, "A.tools -> T1.$self", "A.tools -> T2.$self"))).toEqual([
      'node "T2" (nodes[3]): data.config.name must differ for each tool of node "A" (nodes[0]); node "T1" (nodes[2]) is called "memory", too',
    ]);
    expect(faults(graphOf(tools, "A.tools -> T1.$self", "B.tools -> T2.$self"))).toEqual([]);
    expect(faults(graphOf(tools, "A.tools -> T1.$self", "B.tools -> T1.$self"))).toEqual([]);
  });

  it("with an edge and no node says so without a list of nodes", () => {
    expect(faults(graphOf([], "A.tools -> T.$self"))).toEqual([
      'edge "A.tools -> T.$self" (edges[0]): source must be the id of a node (given "A")',
      'edge "A.tools -> T.$self" (edges[0]): target must be the id of a node (given "T")',
    ]);
  });

  it("with holes says where they are", () => {
    const holes: unknown[] = [];
    holes.length = 1;
    expect(faults({ nodes: holes, edges: holes })).toEqual([
      "nodes[0] must be an object { id, data: { template, config } } (missing)",
      "edges[0] must be an object { source, sourceHandle, target, targetHandle } (missing)",
    ]);
  });

  // Requirement: template.faults-all-at-once
  it("lists every fault at once, and quotes none at length", () => {
    const wrong = {
      nodes: [
        node("M", "memory", { scope: "x", colour: "y".repeat(9999) }),
        node("M", "agnet"),
        node("T", "memoryTool", { name: "z".repeat(9999) }),
      ],
      edges: [edge("M.$self -> T.$memory"), edge("A.tools -> T.$self"), edge("M.tools -> T.$self"), edge("M.x -> T.y")],
      comment: "?",
    };
    const found = faults(wrong);
    expect(found.map((fault) => fault.replace(/(must be|unknown field|no edge goes).*/, "$1"))).toEqual([
      'node "M" (nodes[0]): unknown field',
      'node "M" (nodes[0]): data.config.scope must be',
      'node "M" (nodes[1]): data.template must be',
      'node "T" (nodes[2]): data.config.name must be',
      'node "M" (nodes[1]): id must be',
      'edge "A.tools -> T.$self" (edges[1]): source must be',
      'edge "M.tools -> T.$self" (edges[2]): no edge goes',
      'edge "M.x -> T.y" (edges[3]): sourceHandle must be',
      'edge "M.x -> T.y" (edges[3]): targetHandle must be',
    ]);
    expect(Math.max(...found.map((fault) => fault.length))).toBeLessThan(500);
  });

  it("with thousands of ids reads no more of them in each sentence than it shows", () => {
    let read = 0;
    function* manyIds(): Generator<string> {
      for (; read < 10_000; read += 1) yield `id ${read}`;
    }
    expect(quoteAll(manyIds())).toMatch(/^"id 0", "id 1", .*…$/);
    expect(read).toBeLessThan(401);
  });
});
