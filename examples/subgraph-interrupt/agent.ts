import { type AIMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import {
  type BaseStore,
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { CallModelNode, MemoryNode } from "langgraph-mongo-memory";

export const nodeId = "example-subgraph-interrupt";

/** A graph around an assistant with one memory for each thread. A person approves each change. */
export function createGraph(model: BaseChatModel, store: BaseStore) {
  return new StateGraph(MessagesAnnotation)
    .addNode("assistant", createAssistant(model))
    .addEdge(START, "assistant")
    .compile({ store, checkpointer: new MemorySaver() });
}

function createAssistant(model: BaseChatModel) {
  // A node that has no store uses the store of the run, which a subgraph gets from the outer graph.
  const node = new MemoryNode({ nodeId, scope: "perThread" });
  const callModel = new CallModelNode({
    model,
    tools: node.memoryTools,
    systemPrompt: "You deliver parcels. Append to /delivery of your memory what you are told about it.",
    memoryConnector: node.createConnector({ content: "full" }),
  });
  return new StateGraph(MessagesAnnotation)
    .addNode("call_model", callModel)
    .addNode("approve", approve, { ends: ["tools", "call_model"] })
    .addNode("tools", new ToolNode(node.memoryTools))
    .addEdge(START, "call_model")
    .addConditionalEdges("call_model", toolsCondition, { tools: "approve", [END]: END })
    .addEdge("tools", "call_model")
    .compile();
}

/**
 * Requests a person's approval before the memory changes. An interrupted node runs again from its beginning, so a
 * command before `interrupt` would run twice. Therefore the tools have their own node.
 */
function approve({ messages }: typeof MessagesAnnotation.State): Command {
  const { tool_calls: calls = [] } = messages.at(-1) as AIMessage;
  if (interrupt(calls.map(({ args }) => args)) === "yes") return new Command({ goto: "tools" });
  const refusals = calls.map(({ id = "" }) => new ToolMessage({ tool_call_id: id, content: "The person said no." }));
  return new Command({ goto: "call_model", update: { messages: refusals } });
}
