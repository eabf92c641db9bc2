import { readFile } from "node:fs/promises";
import { InMemoryStore } from "@langchain/langgraph";
import { type Script, ScriptedChatModel } from "./scripted-chat-model.js";
import { MemoryError, type BuiltGraph, buildGraph, type GraphDefinition } from "../../src/index.js";

type GraphNode = GraphDefinition["nodes"][number];
type GraphEdge = GraphDefinition["edges"][number];

/** The reference's example: an agent with two tools over one global memory, which both can write. */
export async function documentedExample(): Promise<GraphDefinition> {
  return JSON.parse(await readFile("__tests__/fixtures/reference-graph.json", "utf8")) as GraphDefinition;
}

/** Builds a node: `node("T", "memoryTool", { name: "x" })`. Wrong values are allowed. */
export function node(id: string, template: string, config: object = {}): GraphNode {
  return { id, data: { template, config } } as GraphNode;
}

/** Builds an edge: `edge("A.tools -> T.$self")`. Wrong values are allowed. */
export function edge(text: string): GraphEdge {
  const [source, sourceHandle, target, targetHandle] = text.split(/ -> |\./);
  return { source, sourceHandle, target, targetHandle } as GraphEdge;
}

export function graphOf(nodes: GraphNode[], ...edges: string[]): GraphDefinition {
  return { nodes, edges: edges.map(edge) };
}

/** Builds a graph whose agents follow the script, over a new store in memory. */
export function build(definition: GraphDefinition, script: Script = () => "done"): BuiltGraph {
  return buildGraph(definition, { store: new InMemoryStore(), model: new ScriptedChatModel(script) });
}

/** Returns the lines of the thrown error, or nothing if there is none. */
export function faultsOf(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code !== "EINVAL") throw error;
    const [title = "", ...lines] = error.message.split("\n");
    const faults = lines.map((line) => /^- (.*)\.$/.exec(line)?.[1] ?? `not a sentence: ${line}`);
    const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
    return title === `invalid graph definition, ${count}:` ? faults : [`wrong title: ${title}`];
  }
}
