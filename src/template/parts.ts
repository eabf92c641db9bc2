import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { MemoryError } from "../core/values/errors.js";
import { MemoryTool } from "../langchain/memory-tool.js";
import { Agent } from "../graph/agent.js";
import { CallModelNode, type CallModelNodeOptions } from "../graph/call-model-node.js";
import { MemoryConnectorNode } from "../graph/memory-connector-node.js";
import { MemoryNode } from "../graph/memory-node.js";
import { givesMemory, type GraphDefinition, type GraphNode, type Template } from "./definition.js";
import { quote } from "./quote.js";

/** The parts of a graph that a definition cannot contain. */
export interface GraphContext {
  /** The store of the memories and of the agents' runs. */
  store: BaseStore;
  /**
   * The chat model of every agent, or a function from the id of an agent's node to its model. The function is called
   * once for each agent.
   */
  model: BaseChatModel | ((nodeId: string) => BaseChatModel);
  /** Keeps the conversation of each `thread_id`. @default none: each call of an agent starts a new conversation */
  checkpointer?: BaseCheckpointSaver;
  /**
   * The `nodeId`s that a definition may use: a list, or a function that returns `true` for each allowed one, such as
   * `(nodeId) => nodeId.startsWith("acme/")`. Any other `nodeId` is an issue of the definition, also in `apply`.
   * @default any, so every memory of the store
   */
  allowedNodeIds?: readonly string[] | ((nodeId: string) => boolean);
  /** Called with the reason when a memory could not be shown to a model. @default a warning of the process */
  onError?: (error: MemoryError) => void;
}

/** The objects created from the nodes, by the ids of the nodes. */
export interface Parts {
  memories: ReadonlyMap<string, Part<MemoryNode>>;
  tools: ReadonlyMap<string, Part<MemoryTool>>;
  connectors: ReadonlyMap<string, Part<MemoryConnectorNode>>;
  agents: ReadonlyMap<string, AgentPart>;
}

interface Part<Value> {
  value: Value;
  /** The config from which the value was created. If it is unchanged, the value is kept. */
  config: string;
  memory: MemoryNode | undefined;
}

interface AgentPart {
  agent: Agent;
  model: BaseChatModel;
  title: string;
  /** The node on which later turns run. */
  callModel: CallModelNode;
  /** The agent's tools that the definition added, without the program's own tools. */
  tools: readonly MemoryTool[];
  connector: MemoryConnectorNode | undefined;
}

export const noParts: Parts = { memories: new Map(), tools: new Map(), connectors: new Map(), agents: new Map() };

/**
 * Creates the parts of a checked definition. Keeps a part of `before` if nothing about this part changed. Changes
 * nothing in `before`.
 */
export function makeParts(definition: GraphDefinition, context: GraphContext, before: Parts): Parts {
  const { store, onError } = context;
  const reporter = onError && { onError };
  const memories = mapNodes(definition, "memory", (id, config) => {
    const make = () => new MemoryNode({ paths: "plain", ...config, nodeId: config.nodeId ?? id, store });
    return keepOrMake(before.memories.get(id), config, undefined, make);
  });
  const memoryInto = (id: string): MemoryNode | undefined =>
    memories.get(findMemoryEdge(definition, id)?.source ?? "")?.value;
  const tools = mapNodes(definition, "memoryTool", (id, config) => {
    const memory = memoryInto(id);
    return keepOrMake(
      before.tools.get(id),
      config,
      memory,
      () => new MemoryTool({ ...config, ...(memory && { memory }) }),
    );
  });
  const connectors = mapNodes(definition, "memoryConnector", (id, config) => {
    const memory = memoryInto(id);
    // The check of the definition has refused a connector without a memory.
    const make = () => new MemoryConnectorNode({ ...config, ...reporter, memory: memory as MemoryNode });
    return keepOrMake(before.connectors.get(id), config, memory, make);
  });
  const agents = mapNodes(definition, "agent", (id, { systemPrompt = "", title = "LangGraph" }) => {
    const source = findMemoryEdge(definition, id)?.source ?? "";
    const connector = connectors.get(source)?.value ?? memories.get(source)?.value.createConnector({ ...reporter });
    const own = findToolEdges(definition, id).flatMap(({ target }) => tools.get(target)?.value ?? []);
    return makeAgent(id, context, before.agents.get(id), { systemPrompt, title, tools: own, connector });
  });
  return { memories, tools, connectors, agents };
}

function makeAgent(
  id: string,
  { store, checkpointer, model: given }: GraphContext,
  before: AgentPart | undefined,
  {
    systemPrompt,
    title,
    tools,
    connector,
  }: Pick<AgentPart, "title" | "tools" | "connector"> & { systemPrompt: string },
): AgentPart {
  const model = before?.model ?? (typeof given === "function" ? given(id) : given);
  const current = before?.agent.callModel;
  const added = current?.tools.filter((tool) => !before?.tools.some((own) => own === tool)) ?? [];
  const attached = current?.memoryConnector === before?.connector ? undefined : current?.memoryConnector;
  const memoryConnector = connector ?? attached;
  const callModel = makeCallModel(id, {
    model,
    tools: [...tools, ...added],
    systemPrompt,
    ...(memoryConnector && { memoryConnector }),
  });
  const agent = before?.agent ?? new Agent({ model, store, ...(checkpointer && { checkpointer }) });
  return { agent, model, title, callModel, tools, connector };
}

/** @throws TypeError whose message names the agent */
function makeCallModel(id: string, options: CallModelNodeOptions): CallModelNode {
  try {
    return new CallModelNode(options);
  } catch (cause) {
    throw new TypeError(`agent ${quote(id)}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function keepOrMake<Value>(
  before: Part<Value> | undefined,
  config: object,
  memory: MemoryNode | undefined,
  make: () => Value,
): Part<Value> {
  const text = JSON.stringify(config);
  return before?.config === text && before.memory === memory ? before : { value: make(), config: text, memory };
}

type Config<Name extends Template> = NonNullable<Extract<GraphNode["data"], { template: Name }>["config"]>;

function mapNodes<Name extends Template, Made>(
  { nodes }: GraphDefinition,
  template: Name,
  make: (id: string, config: Config<Name>) => Made,
): Map<string, Made> {
  const chosen = nodes.filter(({ data }) => data.template === template);
  // The same config, without fields that are undefined.
  const copy = (config: object = {}) => JSON.parse(JSON.stringify(config)) as Config<Name>;
  return new Map(chosen.map(({ id, data }) => [id, make(id, copy(data.config))]));
}

function findMemoryEdge({ edges }: GraphDefinition, target: string): GraphDefinition["edges"][number] | undefined {
  return edges.find((edge) => edge.target === target && givesMemory(edge.targetHandle));
}

function findToolEdges({ edges }: GraphDefinition, source: string): GraphDefinition["edges"] {
  return edges.filter((edge) => edge.source === source && edge.sourceHandle === "tools");
}
