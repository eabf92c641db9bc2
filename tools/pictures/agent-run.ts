import { HumanMessage } from "@langchain/core/messages";
import type { Run } from "@langchain/core/tracers/base";
import { LangChainTracer } from "@langchain/core/tracers/tracer_langchain";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { ScriptedChatModel } from "../../__tests__/helpers/scripted-chat-model.js";
import { Agent } from "../../src/graph/agent.js";
import { MemoryNode } from "../../src/graph/memory-node.js";
import type { TreeRow } from "./tree-picture.js";

/** An agent that remembers something, as LangSmith sees it. */
export async function langSmithRun(): Promise<TreeRow[]> {
  const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "assistant", scope: "global" });
  await node.memory().write("/facts", "Ada likes tea.");
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
  const config = { callbacks: [tracer], configurable: { thread_id: "t1" } };
  await agent.invoke({ messages: [new HumanMessage("I have moved to Turin.")] }, config);
  return rowsOfRuns([...runs.values()]);
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
