import { describe, expect, it } from "@jest/globals";
import { quoteAll } from "../../../src/template/quote.js";
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
  it("without fault is accepted", () => {
    expect(faults(graphOf(nodes, ...edges))).toEqual([]);
    expect(faults({ nodes: [], edges: [] })).toEqual([]);
    expect(faults({ nodes: [{ id: "A", data: { template: "agent" } }], edges: [] })).toEqual([]);
  });

  it.each([
    [undefined, "the definition: Invalid input: expected object, received undefined (given undefined)"],
    [[], "the definition: Invalid input: expected object, received array (given a list)"],
    ["{}", 'the definition: Invalid input: expected object, received string (given "{}")'],
    [{ nodes: [] }, "the definition: edges: Invalid input: expected array, received undefined (given undefined)"],
    [
      { nodes: {}, edges: [] },
      "the definition: nodes: Invalid input: expected array, received object (given an object)",
    ],
  ])("%j is none", (definition, fault) => {
    expect(faults(definition)).toEqual([fault]);
  });

  it.each([
    [null, "nodes[4]: Invalid input: expected object, received null (given null)"],
    [
      { id: "X" },
      'node "X" (nodes[4]): data: expected one of the templates "memory", "agent", "memoryTool", "memoryConnector" (given undefined)',
    ],
    [{ ...node("X", "agent"), id: 1 }, "nodes[4]: id: Invalid input: expected string, received number (given 1)"],
    [node("", "agent"), 'node "" (nodes[4]): id: Too small: expected string to have >=1 characters (given "")'],
    [node("a\nb", "agent"), 'node "a\\nb" (nodes[4]): id: must have no control character (given "a\\nb")'],
    [node("A", "agent"), 'node "A" (nodes[4]): id must be one that no other node has, and node "A" (nodes[1]) has it'],
    [
      node("X", "memory", { node: "x" }),
      'node "X" (nodes[4]): data.config: unknown option "node"; "nodeId" was probably meant',
    ],
    [
      node("X", "memroy"),
      'node "X" (nodes[4]): data.template: expected one of the templates "memory", "agent", "memoryTool", "memoryConnector" (given "memroy")',
    ],
    [
      node("X", "constructor"),
      'node "X" (nodes[4]): data.template: expected one of the templates "memory", "agent", "memoryTool", "memoryConnector" (given "constructor")',
    ],
    [
      { id: "X", data: { template: "agent", config: null } },
      'node "X" (nodes[4]): data.config: Invalid input: expected object, received null (given null)',
    ],
    [
      node("X", "agent", { model: "x" }),
      'node "X" (nodes[4]): data.config: unknown option "model" (the options are systemPrompt, title)',
    ],
    [
      node("X", "agent", JSON.parse('{"__proto__":1}') as object),
      'node "X" (nodes[4]): data.config: unknown option "__proto__" (the options are systemPrompt, title)',
    ],
  ])("with the node %j says so", (wrong, fault) => {
    const definition = graphOf(nodes, ...edges);
    expect(faults({ ...definition, nodes: [...definition.nodes, wrong] })).toEqual([fault]);
  });

  it.each([
    [
      "memory",
      { scope: "thread" },
      'scope: Invalid option: expected one of "global"|"perThread"|"perUser" (given "thread")',
    ],
    ["memory", { nodeId: "" }, 'nodeId: Too small: expected string to have >=1 characters (given "")'],
    ["memory", { paths: true }, 'paths: must be "plain" or "posix" (given true)'],
    ["memory", { maxFileBytes: 0 }, "maxFileBytes: Too small: expected number to be >=1 (given 0)"],
    ["memory", { maxMemoryBytes: 0 }, "maxMemoryBytes: Too small: expected number to be >=1 (given 0)"],
    ["agent", { systemPrompt: 1 }, "systemPrompt: Invalid input: expected string, received number (given 1)"],
    ["agent", { title: "" }, 'title: Too small: expected string to have >=1 characters (given "")'],
    ["memoryTool", { name: "no spaces" }, 'name: must be 1 to 64 letters, digits, _ or - (given "no spaces")'],
    ["memoryTool", { description: "" }, 'description: Too small: expected string to have >=1 characters (given "")'],
    ["memoryTool", { title: {} }, "title: Invalid input: expected string, received object (given an object)"],
    [
      "memoryTool",
      { commands: ["read", "write"] },
      'commands.1: Invalid option: expected one of "read"|"list"|"append"|"update"|"delete"|"search" (given "write")',
    ],
    ["memoryTool", { commands: [] }, "commands: Too small: expected array to have >=1 items (given a list)"],
  ])("with a %s whose config is %j says so", (template, config, fault) => {
    const definition = graphOf([...nodes, node("X", template, config)], ...edges);
    expect(faults(definition)).toEqual([`node "X" (nodes[4]): data.config.${fault}`]);
  });

  it.each([
    [
      { placement: "top" },
      'placement: Invalid option: expected one of "after_system"|"before_system"|"last_message" (given "top")',
    ],
    [{ content: "" }, 'content: Invalid option: expected one of "tree"|"index"|"full"|"auto" (given "")'],
    [{ maxChars: 200_001 }, "maxChars: Too big: expected number to be <=200000 (given 200001)"],
    [{ role: "system" }, 'role: Invalid option: expected one of "auto"|"user" (given "system")'],
    [{ systemMessages: 2 }, 'systemMessages: Invalid option: expected one of "auto"|"separate"|"merged" (given 2)'],
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

  it.each(["logo", "path", "rule", "name", "confg", "Scope", "titles", "mount", "nodeIds", "logs"])(
    "may hold a field %s of an editor everywhere but in a config, however near the name of an option",
    (name) => {
      const saved = { [name]: { of: "an editor" } };
      const definition = graphOf(nodes, ...edges);
      const own = definition.nodes.map(({ id, data }) => ({ ...saved, id, data: { ...saved, ...data } }));
      expect(faults({ ...saved, nodes: own, edges: definition.edges.map((each) => ({ ...saved, ...each })) })).toEqual(
        [],
      );
      expect(faults(graphOf([node("X", "memory", { confg: {} })]))).toHaveLength(1);
    },
  );

  it("with a memoryConnector that has no memory says so, and accepts a memoryTool that has none", () => {
    expect(faults(graphOf(nodes, "A.tools -> T.$self", "C.$self -> A.$memory"))).toEqual([
      'node "C" (nodes[3]): a memoryConnector must have a memory; add an edge memory.$self -> memoryConnector.$memory',
    ]);
  });

  it.each([
    ["A.tools", 'edges[4]: Invalid input: expected object, received string (given "A.tools")'],
    [
      { ...edge("A.tools -> T2.$self"), source: 1 },
      [
        "edges[4]: source: Invalid input: expected string, received number (given 1)",
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
      'edge "A.tool -> T.$self" (edges[4]): sourceHandle: Invalid option: expected one of "tools"|"$self" (given "tool")',
    ],
    [
      edge("A.tools -> T.self"),
      'edge "A.tools -> T.self" (edges[4]): targetHandle: Invalid option: expected one of "$self"|"$memory"|"setMemoryConnector" (given "self")',
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
      "nodes[0]: Invalid input: expected object, received undefined (given undefined)",
      "edges[0]: Invalid input: expected object, received undefined (given undefined)",
    ]);
  });

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
    expect(
      found.map((fault) => fault.replace(/(must be|unknown option|no edge goes|option:|expected).*/, "$1")),
    ).toEqual([
      'node "M" (nodes[0]): data.config.scope: Invalid option:',
      'node "M" (nodes[0]): data.config: unknown option',
      'node "M" (nodes[1]): data.template: expected',
      'node "T" (nodes[2]): data.config.name: must be',
      'edge "M.x -> T.y" (edges[3]): sourceHandle: Invalid option:',
      'edge "M.x -> T.y" (edges[3]): targetHandle: Invalid option:',
      'node "M" (nodes[1]): id must be',
      'edge "A.tools -> T.$self" (edges[1]): source must be',
      'edge "M.tools -> T.$self" (edges[2]): no edge goes',
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
