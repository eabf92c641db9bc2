import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseStore, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { CallModelNode, MemoryNode } from "langgraph-mongo-memory";

/** A graph with one memory for each thread. For a thread without a memory, the node's global memory is shown. */
export function createGraph(model: BaseChatModel, store: BaseStore) {
  const memoryNode = new MemoryNode({ store, nodeId: "example-state-graph", scope: "perThread" });
  const callModel = new CallModelNode({
    model,
    tools: memoryNode.memoryTools,
    systemPrompt: "You recommend dishes. Note in your memory what you learn about the guest.",
    memoryConnector: memoryNode.createConnector({ content: "full" }),
  });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("call_model", callModel)
    .addNode("tools", new ToolNode(memoryNode.memoryTools))
    .addEdge(START, "call_model")
    .addConditionalEdges("call_model", toolsCondition)
    .addEdge("tools", "call_model")
    .compile();
  return { graph, memoryNode };
}
