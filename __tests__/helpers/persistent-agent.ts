import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { MongoDBSaver } from "@langchain/langgraph-checkpoint-mongodb";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import type { MongoClient } from "mongodb";
import type { Memory } from "../../src/core/memory.js";
import { type DialectName, dialects } from "../../src/dialects/registry.js";
import { DialectTool } from "../../src/langchain/dialect-tool.js";
import { type ScriptedCall, ScriptedChatModel } from "./scripted-chat-model.js";

/** An agent that makes one call, and keeps its state in MongoDB, so that another process can resume its run. */
export function createPersistentAgent(
  client: MongoClient,
  dbName: string,
  memory: Memory,
  { dialect, call }: { dialect: DialectName; call: ScriptedCall },
) {
  const model = new ScriptedChatModel((messages) => (messages.at(-1)?.getType() === "tool" ? "done" : call));
  const tools = dialects[dialect]().tools.map((tool) => new DialectTool(tool, memory));
  // The class of the package is made for another major version of the driver.
  const checkpointer = new MongoDBSaver({ client: client as never, dbName });
  return new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "model")
    .compile({ checkpointer });
}
