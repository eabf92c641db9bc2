import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseStore, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { CallModelNode, MemoryNode, openMemory } from "langgraph-mongo-memory";

/** A graph with one memory for each thread. The memory of the house is mounted in each of them, and agents cannot change it. */
export function createGraph(model: BaseChatModel, store: BaseStore) {
  const houseMemory = openMemory(store, { nodeId: "example-state-graph-house" });
  const memoryNode = new MemoryNode({
    store,
    nodeId: "example-state-graph",
    scope: "perThread",
    // Lets agents name files as people do: /profile/food.md
    mounts: { "/house": { memory: houseMemory, access: "read", description: "Rules for every conversation" } },
  });
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
  return { graph, memoryNode, houseMemory };
}
