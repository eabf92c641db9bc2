import { HumanMessage } from "@langchain/core/messages";
import type { Run } from "@langchain/core/tracers/base";
import { LangChainTracer } from "@langchain/core/tracers/tracer_langchain";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { trace } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { ScriptedChatModel } from "../../__tests__/helpers/scripted-chat-model.js";
import { Agent } from "../../src/graph/agent.js";
import { MemoryNode } from "../../src/graph/memory-node.js";
import type { TreeRow } from "./tree-picture.js";

/**
 * An agent that remembers something, as OpenTelemetry and LangSmith see it. @param spans those that have ended, of an
 * SDK that is registered
 */
export async function tracedAgentRun(
  spans: () => readonly ReadableSpan[],
): Promise<{ openTelemetry: TreeRow[]; langSmith: TreeRow[] }> {
  const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "assistant", scope: "global" });
  await node.memory().write("/facts", "Ada likes tea.");
  const earlier = spans().length;
  const model = new ScriptedChatModel((messages) =>
    messages.at(-1)?.type === "human"
      ? { tool: "memory", args: { command: "append", path: "/facts", content: "Ada moved to Turin." } }
      : "I will remember that.",
  );
  const agent = new Agent({ model, tools: node.memoryTools });
  agent.attachMemoryConnector(node.createConnector());
  const runs = new Map<string, Run>();
  const keep = async (run: Run): Promise<void> => void runs.set(run.id, run);
  const tracer = new LangChainTracer({ client: { createRun: keep, updateRun: async () => undefined } as never });
  await trace.getTracer("program").startActiveSpan("POST /chat", async (span) => {
    const config = { callbacks: [tracer], configurable: { thread_id: "t1" } };
    await agent.invoke({ messages: [new HumanMessage("I have moved to Turin.")] }, config);
    span.end();
  });
  return { openTelemetry: rowsOfSpans(spans().slice(earlier)), langSmith: rowsOfRuns([...runs.values()]) };
}

/** The outermost ends last. */
function rowsOfSpans(spans: readonly ReadableSpan[]): TreeRow[] {
  const [outermost] = spans.slice(-1);
  const inner = spans
    .slice(0, -1)
    .map((span): TreeRow => ({ depth: 1, kind: "memory", name: span.name, facts: factsOf(span) }));
  return [{ depth: 0, kind: "other", name: outermost?.name ?? "", facts: [] }, ...inner];
}

/** In words that are the same in each run. */
function factsOf({ attributes }: ReadableSpan): string[] {
  const shown = [
    "gen_ai.memory.store.id",
    "gen_ai.memory.record.id",
    "gen_ai.memory.record.count",
    "gen_ai.conversation.id",
  ];
  return shown.flatMap((name) =>
    attributes[name] === undefined ? [] : [`${name.replace(/^gen_ai\.(?:memory\.)?/, "")}=${String(attributes[name])}`],
  );
}

function rowsOfRuns(runs: readonly Run[], parent?: string, depth = 0): TreeRow[] {
  return runs
    .filter(({ parent_run_id }) => parent_run_id === parent)
    .flatMap((run) => [rowOf(run, depth), ...rowsOfRuns(runs, run.id, depth + 1)]);
}

function rowOf({ name, run_type: type, inputs }: Run, depth: number): TreeRow {
  const isMemory = /^memory/i.test(name);
  return {
    depth,
    kind: isMemory ? "memory" : "other",
    name,
    facts: [type, ...(type === "retriever" ? [`query=${String(inputs["query"])}`] : [])],
  };
}
