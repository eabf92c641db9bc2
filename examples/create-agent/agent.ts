import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseStore } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { MemoryNode } from "langgraph-mongo-memory";
import { memoryMiddleware } from "langgraph-mongo-memory/middleware";

export const nodeId = "example-create-agent";

/** A LangChain agent whose memory is shared by all threads. */
export function createOperationsAgent(model: BaseChatModel, store: BaseStore) {
  return createAgent({
    model,
    store,
    systemPrompt: "You help the operations team. Note in your memory what others will need.",
    middleware: [
      memoryMiddleware({
        // A node that has no store uses the agent's store.
        memory: new MemoryNode({ nodeId }),
        content: "full",
        // After the conversation, so that a changed memory does not invalidate the provider's prompt cache of the
        // conversation.
        placement: "last_message",
        onError: (error) => console.error("the model was called without its memory:", error.code),
      }),
    ],
  });
}
