import type { BaseMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import {
  Annotation,
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
  UntrackedValueChannel,
} from "@langchain/langgraph";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { wrongArgument } from "../core/settings/wrong-argument.js";
import type { ConversationLogOptions } from "../conversation/options.js";
import { refuseUnknownOptions } from "../core/settings/check-options.js";
import { defineRunnableMark } from "../langchain/langgraph-internals.js";
import {
  CallModelNode,
  callModelOptionNames,
  type CallModelNodeOptions,
  type MessagesState,
} from "./call-model-node.js";
import { logRun } from "./log-run.js";
import type { LogSource, MemoryConnectorNode } from "./memory-connector-node.js";
import type { MemoryNode } from "./memory-node.js";

/** The options of an Agent: those of its CallModelNode and of its compiled graph. */
export interface AgentOptions extends CallModelNodeOptions {
  /** The store of every run. Memory nodes that have no store use it. */
  store?: BaseStore;
  /** Keeps the conversation of each `thread_id`. @default none: each call starts a new conversation */
  checkpointer?: BaseCheckpointSaver;
  /**
   * Adds the new messages of each turn to a log in the memory that the connector shows. `true` means the defaults,
   * or for the log that the memory has. You can attach the connector later, but before the first turn. @default whether
   * the memory has a log
   */
  log?: boolean | ConversationLogOptions;
}

const optionNames = [...callModelOptionNames, "store", "checkpointer", "log"];

type AgentGraph = ReturnType<typeof compileGraph>;

/**
 * The usual loop, `call_model` ⇄ `tools`. You can change its tools and its memory between runs and during a run. To use
 * the agent as a node of another graph, write `addNode("agent", agent.graph)`.
 */
export class Agent {
  readonly graph: AgentGraph;
  #callModel: CallModelNode;
  readonly #log: AgentOptions["log"];

  /** @throws TypeError in the same cases as CallModelNode, and for a log with bad options */
  constructor(options: AgentOptions) {
    const { store, checkpointer, log, ...callModelOptions } = { ...options };
    refuseUnknownOptions("AgentOptions", options, optionNames);
    const compiled = { ...(store && { store }), ...(checkpointer && { checkpointer }) };
    this.#callModel = new CallModelNode(callModelOptions);
    this.#log = log;
    if (this.#callModel.memoryConnector !== undefined) this.#setLog(this.#callModel);
    // Each turn sets the log, because a connector may have been attached to the node itself.
    const begin = (callModel: CallModelNode): void => this.#setLog(callModel);
    this.graph = compileGraph(() => this.#callModel, compiled, begin, log !== false);
    // `addNode` must treat the agent as a Runnable. For any other object LangGraph would call each property.
    defineRunnableMark(this, () => true);
  }

  /** The node on which later turns begin. Turns that already run on this node see its changes, too. */
  get callModel(): CallModelNode {
    return this.#callModel;
  }

  /**
   * Lets later turns run on another node. A running turn ends on the node on which it began, unless the turn is
   * interrupted and resumed.
   * @throws TypeError if `callModel` is not a CallModelNode
   */
  setCallModel(callModel: CallModelNode): void {
    if (typeof callModel?.invoke !== "function" || !Array.isArray(callModel.tools)) {
      throw wrongArgument("setCallModel: callModel", "a CallModelNode", callModel);
    }
    if (callModel.memoryConnector !== undefined) this.#setLog(callModel);
    this.#callModel = callModel;
  }

  /** @throws TypeError if another tool has the name */
  addTool(tool: StructuredToolInterface): void {
    this.#callModel.addTool(tool);
  }

  /**
   * Removes a tool, from the next call of the model on. Does nothing if the tool is missing.
   * @param tool the tool or its name
   */
  removeTool(tool: StructuredToolInterface | string): void {
    this.#callModel.removeTool(tool);
  }

  /**
   * Shows a memory to the model instead of the earlier memory, from the next call of the model on.
   * @param connector a connector, or a MemoryNode, which gets a connector with the defaults
   * @throws TypeError for anything else
   */
  attachMemoryConnector(connector: MemoryConnectorNode | MemoryNode): void {
    this.#callModel.setMemoryConnector(connector);
    this.#setLog(this.#callModel);
  }

  /** Gives the memory of a node the log of the agent. @throws TypeError if it cannot have one */
  #setLog({ memoryConnector }: CallModelNode): void {
    if (this.#log === undefined || this.#log === false) return;
    const memory = memoryConnector?.source.memory;
    if (memory?.setLog === undefined)
      throw new TypeError("Agent: a log needs a memoryConnector that shows a MemoryNode");
    memory.setLog(this.#log);
  }

  /** Runs a turn. @param config must have `configurable.thread_id` for a checkpointer and for `perThread` memories */
  invoke: AgentGraph["invoke"] = (input, options) => this.graph.invoke(input, options);

  /** Runs a turn and streams it. LangGraph's `stream` describes the modes. */
  stream: AgentGraph["stream"] = (input, options) => this.graph.stream(input, options);
}

/**
 * The messages, and the node on which the turn began. LangGraph never checkpoints this node. The state wraps the node
 * in a function, so that JSON omits the node from traces.
 */
const turnAnnotation = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** Internal: the node on which the turn began. */
  turn: () => new UntrackedValueChannel<(() => CallModelNode) | undefined>(),
});

type TurnState = typeof turnAnnotation.State;

function compileGraph(
  current: () => CallModelNode,
  compiled: Pick<AgentOptions, "store" | "checkpointer">,
  begin: (callModel: CallModelNode) => void,
  mayLog: boolean,
) {
  const getNode = ({ turn = current }: TurnState): CallModelNode => turn();
  const callModel = async (state: TurnState, config: LangGraphRunnableConfig): Promise<Partial<TurnState>> => {
    const node = getNode(state);
    begin(node);
    return { ...(await node.invoke(state, config)), turn: () => node };
  };
  // Each call reads the tools again, because tools may have been added.
  const callTools = async (state: TurnState, config: LangGraphRunnableConfig): Promise<MessagesState> =>
    new ToolNode<MessagesState>([...getNode(state).tools]).invoke(state, config);
  const findLog = (state: TurnState): LogSource | undefined => {
    const source = getNode(state).memoryConnector?.source;
    return mayLog && source?.memory.log ? source : undefined;
  };
  const writeLog = async (state: TurnState, config: LangGraphRunnableConfig): Promise<Partial<TurnState>> => {
    const source = findLog(state);
    if (source !== undefined) await logRun(source, state.messages, config);
    return {};
  };
  const chooseNext = (state: TurnState): "tools" | "log" | typeof END => {
    if (hasToolCalls(state.messages.at(-1))) return "tools";
    return findLog(state) === undefined ? END : "log";
  };
  const graph = new StateGraph({ stateSchema: turnAnnotation, input: MessagesAnnotation, output: MessagesAnnotation })
    .addNode("call_model", callModel)
    .addNode("tools", callTools)
    .addNode("log", writeLog)
    .addEdge(START, "call_model")
    .addConditionalEdges("call_model", chooseNext, ["tools", "log", END])
    .addEdge("tools", "call_model")
    .addEdge("log", END)
    .compile(compiled);
  // Without this line, streams would show the whole state, even with input and output schemas.
  graph.streamChannels = ["messages"];
  return graph;
}

function hasToolCalls(message: BaseMessage | undefined): boolean {
  return (
    message !== undefined &&
    "tool_calls" in message &&
    Array.isArray(message.tool_calls) &&
    message.tool_calls.length > 0
  );
}
