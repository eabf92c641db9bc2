import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseStore } from "@langchain/langgraph";
import { Agent, MemoryNode, MongoMemoryStore, openMemory } from "langgraph-mongo-memory";

const nodeId = "example-serverless";

/**
 * A memory for each user. It is created for each request, because this takes no command of the database. Only the
 * connection takes time.
 */
export function createMemoryNode(store: BaseStore): MemoryNode {
  return new MemoryNode({ store, nodeId, scope: "perUser" });
}

export function createCook(model: BaseChatModel, node: MemoryNode): Agent {
  return new Agent({
    model,
    tools: node.memoryTools,
    systemPrompt: "You are a cook. Note in your memory what your guest tells you.",
    memoryConnector: node.createConnector({ content: "auto" }),
    // Adds what was said to the memory, so that the next request can answer from it.
    log: true,
  });
}

/** Erases the memory of a user with its log, which tools and `node.memory(userId).delete("/")` keep. */
export async function forgetUser(store: BaseStore, userId: string): Promise<void> {
  const address = { nodeId, scope: "perUser", userId } as const;
  if (store instanceof MongoMemoryStore) await store.forget(address);
  else await openMemory(store, address).delete("/");
}
