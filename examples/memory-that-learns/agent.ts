import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { createAgent } from "langchain";
import { type Memory, MemoryNode, type MongoMemoryStore } from "langgraph-mongo-memory";
import { learn, type LearnReport } from "langgraph-mongo-memory/learn";
import { memoryMiddleware } from "langgraph-mongo-memory/middleware";

export const nodeId = "example-memory-that-learns";

/** An agent with a memory for each user. It logs its conversations, and changes nothing else by itself. */
export function createHomeAgent(model: BaseChatModel, store: MongoMemoryStore) {
  const node = new MemoryNode({ store, nodeId, scope: "perUser" });
  const middleware = [memoryMiddleware({ memory: node, log: true, tools: false })];
  return { node, agent: createAgent({ model, middleware }) };
}

/** Lets the model propose what to keep of the new conversations. Call it once a day, for example. */
export function learnFromLog(memory: Memory, model: BaseChatModel): Promise<LearnReport> {
  return learn({ memory, model, read: ["/conversations/**"], write: ["/profile/**"] });
}
