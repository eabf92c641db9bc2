import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseStore, MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { MemoryNode } from "langgraph-mongo-memory";
import { memoryMiddleware } from "langgraph-mongo-memory/middleware";

/**
 * Returns the customer who is signed in to a conversation. Your program knows the customer; a model cannot influence
 * the answer.
 */
export type CustomerOf = (threadId: string) => string | undefined;

/** An agent with one memory for each customer, and with house rules that only programs write. */
export function createSupportAgent(model: BaseChatModel, store: BaseStore, customerOf: CustomerOf) {
  const houseRules = new MemoryNode({ store, nodeId: "example-customer-support rules", scope: "global" });
  // In a conversation without a customer, the tool answers EINVAL.
  const node = new MemoryNode({
    store,
    nodeId: "example-customer-support",
    scope: "perUser",
    userId: ({ threadId = "" }) => customerOf(threadId),
    // The rules are shown to every call, and the model cannot change them.
    mounts: { "/rules": { memory: houseRules, access: "read", description: "House rules" } },
  });
  const agent = createAgent({
    model,
    systemPrompt: "You help customers. Note in your memory what you learn about them.",
    checkpointer: new MemorySaver(),
    // Shows what fits the turn, and adds what was said to the customer's memory.
    middleware: [memoryMiddleware({ memory: node, log: true })],
  });
  return { agent, node, houseRules };
}
