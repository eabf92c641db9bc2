import { readFile } from "node:fs/promises";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseStore } from "@langchain/langgraph";
import { buildGraph, type BuiltGraph, type GraphDefinition } from "langgraph-mongo-memory";

export async function readDefinition(): Promise<GraphDefinition> {
  return JSON.parse(await readFile(new URL("graph.json", import.meta.url), "utf8")) as GraphDefinition;
}

/** Runs the graph of a definition. `apply` can change the graph while it runs. */
export function createGraph(definition: GraphDefinition, model: BaseChatModel, store: BaseStore): BuiltGraph {
  return buildGraph(definition, { store, model });
}

/** Removes the tool that writes from the definition, and adds a second memory, which a connector shows. */
export function withHouseRules({ nodes, edges }: GraphDefinition): GraphDefinition {
  return {
    nodes: [
      ...nodes.filter(({ id }) => id !== "T2"),
      {
        id: "R",
        data: { template: "memory", config: { nodeId: "example-graph-template", scope: "global", paths: "posix" } },
      },
      { id: "C", data: { template: "memoryConnector", config: { content: "full" } } },
    ],
    edges: [
      ...edges.filter(({ target }) => target !== "T2"),
      { source: "R", sourceHandle: "$self", target: "C", targetHandle: "$memory" },
      { source: "C", sourceHandle: "$self", target: "A", targetHandle: "$memory" },
    ],
  };
}
