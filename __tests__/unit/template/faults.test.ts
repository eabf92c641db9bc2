import { describe, expect, it, beforeAll } from "@jest/globals";
import { Validator } from "@langchain/core/utils/json_schema";
import { quoteAll } from "../../../src/template/quote.js";
import { testTranscript } from "../../helpers/transcripts.js";
import { build, edge, faultsOf, graphOf, node, documentedExample } from "../../helpers/graph-definitions.js";
import { type GraphDefinition, graphDefinitionSchema } from "../../../src/index.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { changeJson, jsonChange } from "../../helpers/inputs/mutations.js";
import { fragment } from "../../helpers/inputs/texts.js";

const faults = (definition: unknown) => faultsOf(() => build(definition as never));

/** A memory, an agent, a tool and a connector, to which one thing is added that is wrong. */
const nodes = [node("M", "memory"), node("A", "agent"), node("T", "memoryTool"), node("C", "memoryConnector")];
const edges = ["A.tools -> T.$self", "M.$self -> T.$memory", "M.$self -> C.$memory", "C.$self -> A.$memory"];

describe("the faults of a graph definition are told as the transcript says", () => {
  testTranscript("graph-faults", async (given) =>
    given.flatMap((line) => {
      const [, kind, json = ""] = /^(definition|node|edge) (.*)$/.exec(line) ?? [];
      if (kind === undefined) return [line];
      return [line, ...faults(definitionWith(kind, JSON.parse(json))).map((fault) => `! ${fault}`)];
    }),
  );
});

function definitionWith(kind: string, wrong: unknown): unknown {
  if (kind === "definition") return wrong;
  const definition = graphOf(nodes, ...edges);
  if (kind === "node") return { ...definition, nodes: [...definition.nodes, wrong] };
  const isShort = typeof wrong === "string" && wrong.includes(" -> ");
  return { ...definition, edges: [...definition.edges, isShort ? edge(wrong) : wrong] };
}

describe("a graph definition", () => {
  it("without fault is accepted", () => {
    expect(faults(graphOf(nodes, ...edges))).toEqual([]);
    expect(faults({ nodes: [], edges: [] })).toEqual([]);
    expect(faults({ nodes: [{ id: "A", data: { template: "agent" } }], edges: [] })).toEqual([]);
  });

  it.each(["M.$self -> A.setMemoryConnector", "C.$self -> A.setMemoryConnector"])(
    "may join %s, as the documents of the reference do",
    (join) => {
      expect(faults(graphOf(nodes, "M.$self -> C.$memory", join))).toEqual([]);
    },
  );

  it("may hold all that a visual editor saves with it", () => {
    const own = { type: "memory", position: { x: 1.5, y: -2 }, measured: { width: 1n, toJSON: () => 1 } };
    const definition = graphOf(nodes, ...edges);
    expect(
      faults({
        ...definition,
        nodes: definition.nodes.map(({ id, data }) => ({
          id,
          data: { ...data, label: id, state: { ok: true } },
          ...own,
        })),
        edges: definition.edges.map((each, index) => ({
          ...each,
          id: `e${index}`,
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

  it("with a memoryTool that has no memory is accepted", () => {
    expect(faults(graphOf([node("A", "agent"), node("T", "memoryTool")], "A.tools -> T.$self"))).toEqual([]);
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
    for (const other of ["B.tools -> T2.$self", "B.tools -> T1.$self"])
      expect(faults(graphOf(tools, "A.tools -> T1.$self", other))).toEqual([]);
  });

  it("that is undefined, or has holes, is refused", () => {
    const holes: unknown[] = [];
    holes.length = 1;
    const expected = "Invalid input: expected object, received undefined (given undefined)";
    expect(faults(undefined)).toEqual([`the definition: ${expected}`]);
    expect(faults({ nodes: holes, edges: holes })).toEqual([`nodes[0]: ${expected}`, `edges[0]: ${expected}`]);
  });

  it("has every fault named at once, and none quoted at length", () => {
    const found = faults({
      nodes: [
        node("M", "memory", { scope: "x", colour: "y".repeat(9999) }),
        node("M", "agnet"),
        node("T", "memoryTool", { name: "z".repeat(9999) }),
      ],
      edges: [edge("M.$self -> T.$memory"), edge("A.tools -> T.$self"), edge("M.tools -> T.$self"), edge("M.x -> T.y")],
      comment: "?",
    });
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

  it("with thousands of ids has no more of them read for each sentence than are shown", () => {
    let read = 0;
    function* manyIds(): Generator<string> {
      for (; read < 10_000; read += 1) yield `id ${read}`;
    }
    expect(quoteAll(manyIds())).toMatch(/^"id 0", "id 1", .*…$/);
    expect(read).toBeLessThan(401);
  });
});

const validator = new Validator(graphDefinitionSchema, "2020-12", false);
const accepts = (definition: unknown) => validator.validate(definition).valid;

/** What a schema cannot know: how nodes and edges go together. */
const aboutSeveral =
  /no other node has, and|must be the id of a node.*\(given "|no edge goes|says again|takes one edge|must differ|must have a memory/;

const everything: GraphDefinition = graphOf(
  [
    node("M", "memory", {
      nodeId: "m",
      scope: "perThread",
      paths: "posix",
      maxFileBytes: 1,
      maxMemoryBytes: 15_000_000,
    }),
    node("A", "agent", { systemPrompt: "", title: "a" }),
    node("T", "memoryTool", {
      name: "a-_9",
      description: "d",
      title: "t",
      commands: ["read", "list", "append", "update", "delete"],
    }),
    node("C", "memoryConnector", {
      placement: "last_message",
      content: "full",
      maxChars: 200_000,
      systemMessages: "merged",
      role: "user",
    }),
  ],
  "A.tools -> T.$self",
  "M.$self -> T.$memory",
  "M.$self -> C.$memory",
  "C.$self -> A.$memory",
);

/** Valid here, wrong there. */
const words = [
  "A",
  "M",
  "T",
  "memory",
  "agent",
  "memoryTool",
  "memoryConnector",
  "global",
  "full",
  "auto",
  "$self",
  "$memory",
  "tools",
];
const values: unknown[] = [
  ...words,
  "",
  "__proto__",
  "constructor",
  "a\nb",
  "\ud800",
  "x".repeat(65),
  "x".repeat(512),
  "x".repeat(513),
  null,
  true,
  0,
  1,
  1.5,
  -1,
  1e300,
  [],
  {},
  ["read"],
  ["read", "?"],
  [[]],
  { scope: "global" },
  { template: "agent" },
  { id: "B", data: { template: "agent", config: {} } },
];

/** The validator throws for a name with half of a character. */
const names = fragment.filter((name) => name.isWellFormed());
const nearlyRight = fc
  .array(jsonChange(fc.constantFrom(...values), names), { maxLength: 2 })
  .map((changes) => changeJson(structuredClone(everything), changes));

describe("graphDefinitionSchema", () => {
  let documented: GraphDefinition;

  beforeAll(async () => {
    documented = await documentedExample();
  });

  it("accepts the documented example, and a definition with every field", () => {
    expect([accepts(documented), accepts(everything)]).toEqual([true, true]);
    expect([faults(documented), faults(everything)]).toEqual([[], []]);
  });

  it("accepts and refuses what buildGraph does, but for how nodes and edges go together", () => {
    const seen = { accepted: 0, refused: 0, together: 0 };
    assertProperty(
      fc.property(nearlyRight, (definition) => {
        const found = faults(definition);
        const alone = found.filter((fault) => !aboutSeveral.test(fault));
        expect([accepts(definition), definition]).toEqual([alone.length === 0, definition]);
        seen[found.length === 0 ? "accepted" : alone.length === 0 ? "together" : "refused"] += 1;
      }),
      // So many are needed to see each of the three.
      { usual: 300, long: 1_000 },
    );
    expect(Object.values(seen).every((times) => times > 5)).toBe(true);
  });

  it("tells editors what each field of a config may be", () => {
    const text = JSON.stringify(graphDefinitionSchema);
    expect(text.match(/"description":"(?:[^"\\]|\\.)+"/g)?.length).toBeGreaterThan(20);
    expect(JSON.parse(text)).toEqual(graphDefinitionSchema);
  });
});

describe("buildGraph", () => {
  it("meets any JSON with a graph or with the one error", () => {
    assertProperty(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (definition) => {
        expect(faults(definition).length).toBeGreaterThan(0);
      }),
      { usual: 30, long: 500 },
    );
  });

  it("meets JSON nested deeper than the stack with the one error", () => {
    const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`) as unknown;
    expect(
      faults({ nodes: [deep, { id: deep, data: { template: deep, config: deep } }], edges: deep }).length,
    ).toBeGreaterThan(3);
  });
});
