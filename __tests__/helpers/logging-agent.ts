import { AIMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { MongoDBSaver } from "@langchain/langgraph-checkpoint-mongodb";
import type { MongoClient } from "mongodb";
import { createConversationLog, type MemoryNode } from "../../src/index.js";

/** An agent that answers, then logs. It keeps its state in MongoDB, so that another process can resume its run. */
export function createLoggingAgent(client: MongoClient, dbName: string, memory: MemoryNode) {
  // The class of the package is made for another major version of the driver.
  const checkpointer = new MongoDBSaver({ client: client as never, dbName });
  return new StateGraph(MessagesAnnotation)
    .addNode("model", ({ messages }) => ({ messages: [new AIMessage(`Answer to ${messages.at(-1)?.text}`)] }))
    .addNode("log", createConversationLog({ memory }))
    .addEdge(START, "model")
    .addEdge("model", "log")
    .addEdge("log", END)
    .compile({ checkpointer });
}
