import type { MemoryConnectorConfig } from "../prompt/connector-options.js";
import type { MemoryToolOptions } from "../dialects/unified/options.js";
import type { MemoryNodeOptions } from "../graph/memory-node.js";

/**
 * An agent graph as JSON, which `buildGraph` takes. A graph, a node, its data and an edge may also hold whatever an editor
 * saves with them, such as `position` or `viewport`. A config may not.
 */
export interface GraphDefinition {
  nodes: GraphNode[];
  edges: GraphEdge[];
  [savedByEditor: string]: unknown;
}

/** A node: one of the templates with its config, each field of which has a default. */
export interface GraphNode {
  [savedByEditor: string]: unknown;
  /** One of 1 to 512 characters that no other node has. */
  id: string;
  data:
    | { template: "memory"; config?: MemoryTemplate }
    | { template: "agent"; config?: AgentTemplate }
    | { template: "memoryTool"; config?: MemoryToolTemplate }
    | { template: "memoryConnector"; config?: MemoryConnectorTemplate };
}

/** Joins two nodes. `edgeKinds` lists the possible nodes and handles. */
export interface GraphEdge extends GraphJoin {
  [savedByEditor: string]: unknown;
}

/** The fields of an edge that count. */
export interface GraphJoin {
  /** The id of a node. */
  source: string;
  sourceHandle: "tools" | "$self";
  /** The id of a node. */
  target: string;
  targetHandle: "$self" | "$memory" | "setMemoryConnector";
}

export type Template = GraphNode["data"]["template"];

/** `nodeId` is the node's id by default. Graphs in one store share the memories of the same `nodeId`. */
export type MemoryTemplate = Omit<MemoryNodeOptions, "store" | "nodeId"> & { nodeId?: string };

/** An `Agent`; its tools and its connector are edges. */
export interface AgentTemplate {
  /** Goes before the messages of a conversation. @default none */
  systemPrompt?: string;
  /** The name of its runs in traces, for people. @default "LangGraph" */
  title?: string;
}

/** A `MemoryTool`; its memory is an edge. */
export type MemoryToolTemplate = Omit<MemoryToolOptions, "memory">;

/** A `MemoryConnectorNode`; its memory is an edge. */
export type MemoryConnectorTemplate = Omit<MemoryConnectorConfig, "onError">;

/**
 * Every edge there can be. An agent's `$memory` takes a memory, too: a connector with the defaults then shows it.
 * `setMemoryConnector` is another word for the `$memory` of an agent.
 */
export const edgeKinds = [
  { source: "agent", sourceHandle: "tools", target: "memoryTool", targetHandle: "$self" },
  { source: "memory", sourceHandle: "$self", target: "memoryTool", targetHandle: "$memory" },
  { source: "memory", sourceHandle: "$self", target: "memoryConnector", targetHandle: "$memory" },
  { source: "memoryConnector", sourceHandle: "$self", target: "agent", targetHandle: "$memory" },
  { source: "memory", sourceHandle: "$self", target: "agent", targetHandle: "$memory" },
  { source: "memoryConnector", sourceHandle: "$self", target: "agent", targetHandle: "setMemoryConnector" },
  { source: "memory", sourceHandle: "$self", target: "agent", targetHandle: "setMemoryConnector" },
] as const satisfies (Pick<GraphJoin, "sourceHandle" | "targetHandle"> & Record<"source" | "target", Template>)[];

/** Whether an edge with this `targetHandle` gives a memory. */
export const givesMemory = (targetHandle: unknown): boolean => targetHandle === "$memory" || targetHandle === "setMemoryConnector";
