import type { BaseMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { END, type LangGraphRunnableConfig, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { CallModelNode, type CallModelNodeOptions, type MessagesState } from "./call-model-node.js";
import type { MemoryConnectorNode } from "./memory-connector-node.js";

export interface AgentOptions extends CallModelNodeOptions {
  /** Given to every node and tool of a run; memories whose node has no store of its own use it. */
  store?: BaseStore;
  /** Keeps the conversation of each `thread_id`. @default none: every call begins anew */
  checkpointer?: BaseCheckpointSaver;
}

type AgentGraph = ReturnType<typeof compileGraph>;

/** The usual loop, `call_model` ⇄ `tools`, whose tools and memory can be changed between and during runs. */
export class Agent {
  readonly graph: AgentGraph;
  readonly #callModel: CallModelNode;

  /** @throws TypeError as CallModelNode */
  constructor({ store, checkpointer, ...options }: AgentOptions) {
    this.#callModel = new CallModelNode(options);
    this.graph = compileGraph(this.#callModel, store, checkpointer);
  }

  /** @throws TypeError where another tool has the name */
  addTool(tool: StructuredToolInterface): void {
    this.#callModel.addTool(tool);
  }

  removeTool(tool: StructuredToolInterface | string): void {
    this.#callModel.removeTool(tool);
  }

  attachMemoryConnector(connector: MemoryConnectorNode): void {
    this.#callModel.setMemoryConnector(connector);
  }

  /** Runs a turn. @param config needs `configurable.thread_id` for a checkpointer and for `perThread` memories. */
  invoke: AgentGraph["invoke"] = (input, options) => this.graph.invoke(input, options);

  /** Runs a turn and streams it; see LangGraph's `stream` for the modes. */
  stream: AgentGraph["stream"] = (input, options) => this.graph.stream(input, options);
}

function compileGraph(callModel: CallModelNode, store?: BaseStore, checkpointer?: BaseCheckpointSaver) {
  // The tools are looked up at each call, so that those added later are found.
  const callTools = async (state: MessagesState, config: LangGraphRunnableConfig): Promise<MessagesState> =>
    (await new ToolNode([...callModel.tools]).invoke(state, config)) as MessagesState;
  return new StateGraph(MessagesAnnotation)
    .addNode("call_model", callModel)
    .addNode("tools", callTools)
    .addEdge(START, "call_model")
    .addConditionalEdges("call_model", (state) => (asksForTools(state.messages.at(-1)) ? "tools" : END), ["tools", END])
    .addEdge("tools", "call_model")
    .compile({ ...(store && { store }), ...(checkpointer && { checkpointer }) });
}

function asksForTools(message: BaseMessage | undefined): boolean {
  return message !== undefined && "tool_calls" in message && Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
}
