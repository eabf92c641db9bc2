import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseStore, END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { CallModelNode, createConversationLog, MemoryNode, openMemory } from "langgraph-mongo-memory";

/**
 * A graph with one memory for each user. Each run adds what was said to it. The memory of the house is mounted in each of
 * them, and agents cannot change it.
 */
export function createGraph(model: BaseChatModel, store: BaseStore) {
  const houseMemory = openMemory(store, { nodeId: "example-state-graph-house" });
  const node = new MemoryNode({
    store,
    nodeId: "example-state-graph",
    scope: "perUser",
    mounts: {
      "/house": { memory: houseMemory, access: "read", description: "Rules for every conversation" },
    },
  });
  const callModel = new CallModelNode({
    model,
    tools: node.memoryTools,
    systemPrompt: "You recommend dishes.",
    memoryConnector: node.createConnector({ content: "auto" }),
  });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("call_model", callModel)
    .addNode("tools", new ToolNode(node.memoryTools))
    .addNode("log", createConversationLog({ memory: node }))
    .addEdge(START, "call_model")
    .addConditionalEdges("call_model", toolsCondition, { tools: "tools", [END]: "log" })
    .addEdge("tools", "call_model")
    .compile();
  return { graph, node, houseMemory };
}
