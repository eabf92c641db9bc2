import type { ConversationLogOptions } from "../conversation/options.js";
import type { MemoryConnectorConfig } from "../prompt/connector-options.js";
import type { MemoryToolOptions } from "../langchain/memory-tool.js";
import type { MemoryNodeOptions } from "../graph/memory-node.js";
import type { NodeMount } from "../graph/node-mounts.js";

/**
 * An agent graph as JSON, for `buildGraph`. The graph, a node, its data and an edge may also contain fields that an
 * editor saves, such as `position` or `viewport`. A config may not.
 */
export interface GraphDefinition {
  nodes: GraphNode[];
  edges: GraphEdge[];
  [savedByEditor: string]: unknown;
}

/** A node: one of the templates with its config. Each field of a config has a default. */
export interface GraphNode {
  [savedByEditor: string]: unknown;
  /** 1 to 512 characters, different for every node. */
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

/** The fields of an edge that `buildGraph` reads. */
export interface GraphJoin {
  /** The id of a node. */
  source: string;
  sourceHandle: "tools" | "$self";
  /** The id of a node. */
  target: string;
  targetHandle: "$self" | "$memory" | "setMemoryConnector";
}

export type Template = GraphNode["data"]["template"];

/** The default of `nodeId` is the node's id. Graphs in one store share a memory if its `nodeId` is the same. */
export type MemoryTemplate = Omit<
  MemoryNodeOptions,
  "store" | "nodeId" | "threadId" | "userId" | "guard" | "mounts" | "search" | "searchWords" | "log"
> & {
  nodeId?: string;
  /** The log of conversations. Agents that show the memory write it. */
  log?: boolean | LogTemplate;
  /** The mounts by mount point. An entry "/" describes the node's own memory, and has no `nodeId` and no `scope`. */
  mounts?: Record<string, MountTemplate>;
};

export type LogTemplate = Omit<ConversationLogOptions, "timeZone"> & { timeZone?: string };

/** A memory of the same store that is mounted in another memory's tree. */
export type MountTemplate = Omit<NodeMount, "memory">;

/** An `Agent`. Edges set its tools and its connector. */
export interface AgentTemplate {
  /** Placed before the messages of a conversation. @default none */
  systemPrompt?: string;
  /** The name of the agent's runs in traces, for people. @default "LangGraph" */
  title?: string;
}

/** A `MemoryTool`. An edge sets its memory. */
export type MemoryToolTemplate = Omit<MemoryToolOptions, "memory">;

/** A `MemoryConnectorNode`. An edge sets its memory. */
export type MemoryConnectorTemplate = Omit<MemoryConnectorConfig, "onError" | "maxTokens" | "countTokens">;

/**
 * Every possible edge. An agent's `$memory` also accepts a memory, which a connector with the defaults then shows.
 * `setMemoryConnector` means the same as the `$memory` of an agent.
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

/** Whether an edge with this `targetHandle` gives its target a memory. */
export const givesMemory = (targetHandle: unknown): boolean =>
  targetHandle === "$memory" || targetHandle === "setMemoryConnector";
