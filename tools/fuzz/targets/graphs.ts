import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc, { type Arbitrary } from "fast-check";
import { ScriptedChatModel } from "../../../__tests__/helpers/scripted-chat-model.js";
import { buildGraph } from "../../../src/template/build-graph.js";
import type { GraphDefinition } from "../../../src/template/definition.js";
import { changeJson, type JsonChange, jsonChange } from "../../../__tests__/helpers/inputs/mutations.js";
import { fragment, text } from "../../../__tests__/helpers/inputs/texts.js";
import { anything } from "../../../__tests__/helpers/inputs/values.js";
import { assertClean, getOutcome } from "../oracle.js";
import { toSandbox, type Target } from "../target.js";

interface GraphCase {
  definition: unknown;
  /** What becomes of the graph later. */
  later: unknown;
}

const id = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("A", "M", "T", "C", "B") },
  { weight: 1, arbitrary: fragment },
);
const configs = {
  memory: fc.record(
    {
      nodeId: fc.constantFrom("mine", "other", "A"),
      scope: fc.constantFrom("global", "perThread"),
      maxFileBytes: fc.integer({ min: 0, max: 2e7 }),
      paths: fc.constantFrom("plain", "posix"),
    },
    { requiredKeys: [] },
  ),
  agent: fc.record({ systemPrompt: text, title: text }, { requiredKeys: [] }),
  memoryTool: fc.record(
    {
      name: fragment,
      description: text,
      title: text,
      commands: fc.array(fc.constantFrom("read", "list", "append", "drop"), { maxLength: 3 }),
    },
    { requiredKeys: [] },
  ),
  memoryConnector: fc.record(
    {
      placement: fc.constantFrom("after_system", "last_message", "x"),
      content: fc.constantFrom("tree", "full"),
      maxChars: fc.integer({ min: -1, max: 300_000 }),
    },
    { requiredKeys: [] },
  ),
};
const node = fc.oneof(
  ...Object.entries(configs).map(([template, config]) =>
    fc.record({
      id,
      data: fc.oneof(
        fc.record({ template: fc.constant(template), config: config as Arbitrary<object> }),
        fc.record({ template: fc.constant(template) }),
      ),
    }),
  ),
);
const edge = fc.record({
  source: id,
  sourceHandle: fc.constantFrom("tools", "$self"),
  target: id,
  targetHandle: fc.constantFrom("$self", "$memory"),
});

/** A graph with which nothing is wrong. */
const sound = {
  nodes: [
    { id: "A", data: { template: "agent", config: { systemPrompt: "Help.", title: "helper" } } },
    { id: "M", data: { template: "memory", config: { nodeId: "mine", scope: "global" } } },
    { id: "T", data: { template: "memoryTool", config: { name: "notes", commands: ["read", "append"] } } },
    { id: "C", data: { template: "memoryConnector", config: { content: "full", maxChars: 500 } } },
  ],
  edges: [
    { source: "A", sourceHandle: "tools", target: "T", targetHandle: "$self" },
    { source: "M", sourceHandle: "$self", target: "T", targetHandle: "$memory" },
    { source: "M", sourceHandle: "$self", target: "C", targetHandle: "$memory" },
    { source: "C", sourceHandle: "$self", target: "A", targetHandle: "$memory" },
  ],
};

const many = fc
  .tuple(fc.constantFrom("memory", "memoryTool", "agent"), fc.integer({ min: 1, max: 1000 }))
  // Making an agent takes LangGraph a millisecond.
  .map(([template, count]) =>
    Array.from({ length: template === "agent" ? count % 50 : count }, (_, index) => ({
      id: `${index}`,
      data: { template },
    })),
  )
  .map((nodes) => ({ nodes, edges: [] }));

const changed = fc
  .array(jsonChange(), { maxLength: 3 })
  .map((changes: JsonChange[]) => changeJson(structuredClone(sound), changes));
const definitions: Arbitrary<unknown> = fc.oneof(
  { weight: 10, arbitrary: changed },
  {
    weight: 6,
    arbitrary: fc.record({ nodes: fc.array(node, { maxLength: 6 }), edges: fc.array(edge, { maxLength: 6 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      nodes: fc.oneof(anything, fc.array(anything)),
      edges: fc.oneof(anything, fc.array(anything)),
    }),
  },
  { weight: 1, arbitrary: anything },
  { weight: 1, arbitrary: many },
);

export const graphs: Target = {
  name: "graphs",
  tries: "graph definitions with any fields",
  casesPerSandbox: 200,
  open: () => {
    const context = {
      store: new InMemoryStore(),
      model: new ScriptedChatModel(() => "done"),
      allowedNodeIds: ["mine", "A", "M", "B"],
    };
    return Promise.resolve(
      toSandbox<GraphCase>({
        inputs: fc.record({ definition: definitions, later: definitions }),
        call: async ({ definition, later }, measure) => {
          const first = await built(measure, definition as GraphDefinition, context);
          const graph = buildGraph(sound as GraphDefinition, context);
          const applied = await getOutcomeOfFaults(() => measure(async () => graph.apply(later as GraphDefinition)));
          if (applied !== "ok" && graph.memory("M").nodeId !== "mine")
            throw new Error("a definition that was refused has changed the graph");
          return first;
        },
        close: () => Promise.resolve(),
      }),
    );
  },
};

async function built(
  measure: <T>(run: () => Promise<T>) => Promise<T>,
  definition: GraphDefinition,
  context: Parameters<typeof buildGraph>[1],
): Promise<string> {
  return getOutcomeOfFaults(() =>
    measure(async () => {
      const graph = buildGraph(definition, context);
      for (const { id: nodeId, data } of definition.nodes) {
        if (data.template !== "memory") continue;
        const opened = graph.memory(nodeId).nodeId;
        if (!(context.allowedNodeIds as string[]).includes(opened))
          throw new Error(`a memory that is not allowed: ${opened}`);
      }
    }),
  );
}

/** Its message lists all faults of the definition, so it may be long. */
async function getOutcomeOfFaults(call: () => Promise<unknown>): Promise<string> {
  return getOutcome(async () => {
    try {
      await call();
    } catch (error) {
      if (error instanceof Error) assertClean(error.message);
      if (!(error instanceof Error) || error.message.length <= 5000) throw error;
      const [title = "", ...faults] = error.message.split("\n");
      const longest = faults.find((fault) => fault.length > 5000);
      if (longest !== undefined || !title.startsWith("invalid graph definition")) throw error;
      error.message = title;
      throw error;
    }
  });
}
