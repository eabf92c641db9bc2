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
import { defineRunnableMark } from "../langchain/langgraph-internals.js";
import { CallModelNode, type CallModelNodeOptions, type MessagesState } from "./call-model-node.js";
import type { MemoryConnectorNode } from "./memory-connector-node.js";
import type { MemoryNode } from "./memory-node.js";

/** The options of an Agent: those of its CallModelNode and of its compiled graph. */
export interface AgentOptions extends CallModelNodeOptions {
  /** The store of every run. Memory nodes without a store of their own use it. */
  store?: BaseStore;
  /** Keeps the conversation of each `thread_id`. @default none: every call begins anew */
  checkpointer?: BaseCheckpointSaver;
}

type AgentGraph = ReturnType<typeof compileGraph>;

/**
 * The usual loop, `call_model` ⇄ `tools`. You can change its tools and its memory between runs and during a run.
 * To use it as a node of another graph, write `addNode("agent", agent.graph)`.
 */
export class Agent {
  readonly graph: AgentGraph;
  #callModel: CallModelNode;

  /** @throws TypeError as CallModelNode */
  constructor(options: AgentOptions) {
    const { store, checkpointer, ...callModelOptions } = { ...options };
    this.#callModel = new CallModelNode(callModelOptions);
    this.graph = compileGraph(() => this.#callModel, store, checkpointer);
    // This makes `addNode` treat the agent as a Runnable. LangGraph would call each property of any other object.
    defineRunnableMark(this, () => true);
  }

  /** The node on which the next turns begin. Turns that run on it already see its changes too. */
  get callModel(): CallModelNode {
    return this.#callModel;
  }

  /**
   * Later turns run on another node. A running turn ends on the node on which it began, unless it is interrupted and
   * resumed.
   * @throws TypeError if it is not a CallModelNode
   */
  setCallModel(callModel: CallModelNode): void {
    if (typeof callModel?.invoke !== "function" || !Array.isArray(callModel.tools)) {
      throw new TypeError("setCallModel: it must be a CallModelNode");
    }
    this.#callModel = callModel;
  }

  /** @throws TypeError if another tool has the name */
  addTool(tool: StructuredToolInterface): void {
    this.#callModel.addTool(tool);
  }

  /**
   * Removes a tool. The next call of the model does not get it. Does nothing if the tool is missing. @param tool the
   * tool or its name
   */
  removeTool(tool: StructuredToolInterface | string): void {
    this.#callModel.removeTool(tool);
  }

  /**
   * Shows a memory to the model from its next call on, instead of the earlier one.
   * @param connector a connector, or a MemoryNode, which gets a connector with the defaults
   * @throws TypeError for anything else
   */
  attachMemoryConnector(connector: MemoryConnectorNode | MemoryNode): void {
    this.#callModel.setMemoryConnector(connector);
  }

  /** Runs a turn. @param config A checkpointer and `perThread` memories need `configurable.thread_id` in it. */
  invoke: AgentGraph["invoke"] = (input, options) => this.graph.invoke(input, options);

  /** Runs a turn and streams it; see LangGraph's `stream` for the modes. */
  stream: AgentGraph["stream"] = (input, options) => this.graph.stream(input, options);
}

/**
 * The messages, and the node on which the turn began. LangGraph never checkpoints the node. The state keeps it in a
 * function, so that JSON leaves it out of traces.
 */
const turnAnnotation = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** Internal: the node on which the turn began. */
  turn: () => new UntrackedValueChannel<(() => CallModelNode) | undefined>(),
});

type TurnState = typeof turnAnnotation.State;

function compileGraph(current: () => CallModelNode, store?: BaseStore, checkpointer?: BaseCheckpointSaver) {
  const getNode = ({ turn = current }: TurnState): CallModelNode => turn();
  const callModel = async (state: TurnState, config: LangGraphRunnableConfig): Promise<Partial<TurnState>> => {
    const node = getNode(state);
    return { ...(await node.invoke(state, config)), turn: () => node };
  };
  // Each call reads the tools again, so that it finds tools that were added later.
  const callTools = async (state: TurnState, config: LangGraphRunnableConfig): Promise<MessagesState> =>
    new ToolNode<MessagesState>([...getNode(state).tools]).invoke(state, config);
  const graph = new StateGraph({ stateSchema: turnAnnotation, input: MessagesAnnotation, output: MessagesAnnotation })
    .addNode("call_model", callModel)
    .addNode("tools", callTools)
    .addEdge(START, "call_model")
    .addConditionalEdges("call_model", (state) => (asksForTools(state.messages.at(-1)) ? "tools" : END), ["tools", END])
    .addEdge("tools", "call_model")
    .compile({ ...(store && { store }), ...(checkpointer && { checkpointer }) });
  // Otherwise streams would show the whole state, even with input and output schemas.
  graph.streamChannels = ["messages"];
  return graph;
}

function asksForTools(message: BaseMessage | undefined): boolean {
  return (
    message !== undefined &&
    "tool_calls" in message &&
    Array.isArray(message.tool_calls) &&
    message.tool_calls.length > 0
  );
}
