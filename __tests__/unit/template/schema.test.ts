import { beforeAll, describe, expect, it } from "@jest/globals";
import { Validator } from "@langchain/core/utils/json_schema";
import { type GraphDefinition, graphDefinitionSchema } from "../../../src/index.js";
import fc from "../../helpers/fast-check.js";
import { build, documentedExample, faultsOf, graphOf, node } from "../../helpers/graph-definitions.js";
import { changeJson, jsonChange } from "../../helpers/inputs/mutations.js";
import { fragment } from "../../helpers/inputs/texts.js";
import { repetitions } from "../../helpers/repetitions.js";

const validator = new Validator(graphDefinitionSchema, "2020-12", false);
const accepts = (definition: unknown) => validator.validate(definition).valid;
const faults = (definition: unknown) => faultsOf(() => build(definition as never));

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
    fc.assert(
      fc.property(nearlyRight, (definition) => {
        const found = faults(definition);
        const alone = found.filter((fault) => !aboutSeveral.test(fault));
        expect([accepts(definition), definition]).toEqual([alone.length === 0, definition]);
        seen[found.length === 0 ? "accepted" : alone.length === 0 ? "together" : "refused"] += 1;
      }),
      // So many are needed to see each of the three.
      { numRuns: repetitions({ usual: 600, long: 1_000 }) },
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
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (definition) => {
        expect(faults(definition).length).toBeGreaterThan(0);
      }),
      { numRuns: repetitions({ usual: 30, long: 500 }) },
    );
  });

  it("meets JSON nested deeper than the stack with the one error", () => {
    const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`) as unknown;
    expect(
      faults({ nodes: [deep, { id: deep, data: { template: deep, config: deep } }], edges: deep }).length,
    ).toBeGreaterThan(3);
  });
});
