import { deepEqual, equal, match, throws } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { buildGraph, type GraphDefinition, MemoryError } from "langgraph-mongo-memory";
import { chooseModel } from "../shared/choose-model.js";
import { chooseStore } from "../shared/choose-store.js";
import { MessagePrinter, say } from "../shared/print.js";
import { script } from "./script.js";

const { model, name: modelName } = await chooseModel(script);
const { store, name: storeName, close } = await chooseStore();
say(`Store: ${storeName}\nModel: ${modelName}`);

try {
  const definition = JSON.parse(await readFile(new URL("graph.json", import.meta.url), "utf8")) as GraphDefinition;
  const graph = buildGraph(definition, { store, model });
  const agent = graph.agent("A");
  const memory = graph.memory("M").memory();
  // An earlier run may have left it in MongoDB.
  await memory.delete("/garden");

  const ask = async (content: string) => {
    say(`\nTools: ${agent.callModel.tools.map(({ name }) => name).join(", ")}\n${content}`);
    const { messages } = await agent.invoke({ messages: [{ role: "user", content }] }, { callbacks: [new MessagePrinter()] });
    say(`  Answer: ${messages.at(-1)?.text}`);
  };

  await ask("Note in /garden/beans of your memory: I water the beans on Mondays.");
  match(JSON.stringify(await memory.snapshot()), /monday/i, "the tool memory_write is joined to the memory M");

  // The live graph is given a second memory, which a connector shows, and loses the tool that writes.
  const rules = { nodeId: "example-graph-template", scope: "global" } as const;
  graph.apply({
    nodes: [
      ...definition.nodes.filter(({ id }) => id !== "T2"),
      { id: "R", data: { template: "memory", config: rules } },
      { id: "C", data: { template: "memoryConnector", config: { content: "full" } } },
    ],
    edges: [
      ...definition.edges.filter(({ target }) => target !== "T2"),
      { source: "R", sourceHandle: "$self", target: "C", targetHandle: "$memory" },
      { source: "C", sourceHandle: "$self", target: "A", targetHandle: "$memory" },
    ],
  });
  await graph.memory("R").memory().write("/house rules", "End with a question.");
  await ask("Look into /garden/beans of your memory: when do I water the beans?");
  equal(graph.agent("A"), agent, "an agent that stays is the same object");
  deepEqual(agent.callModel.tools.map(({ name }) => name), ["memory_readonly"]);

  const edges = [{ source: "A", sourceHandle: "tool", target: "T9", targetHandle: "$self" }];
  say("\nA definition with faults:");
  throws(() => graph.apply({ ...definition, edges } as GraphDefinition), (error: Error) => {
    say(error.message.replaceAll(/^/gm, "  "));
    return MemoryError.isInstance(error);
  });
  deepEqual(agent.callModel.tools.map(({ name }) => name), ["memory_readonly"], "which changed nothing");
} finally {
  await close();
}
