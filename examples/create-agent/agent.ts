import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseStore } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { MemoryNode } from "langgraph-mongo-memory";
import { memoryMiddleware } from "langgraph-mongo-memory/middleware";

export const nodeId = "example-create-agent";

/** An agent of LangChain's, whose memory all threads share. */
export function createOperationsAgent(model: BaseChatModel, store: BaseStore) {
  return createAgent({
    model,
    store,
    systemPrompt: "You help the operations team. Note in your memory what others will need.",
    middleware: [
      memoryMiddleware({
        // Without a store of its own, a node uses that of the agent.
        memory: new MemoryNode({ nodeId }),
        content: "full",
        // Behind the conversation, so that a changed memory leaves a provider's prompt cache of it intact.
        placement: "last_message",
        onError: (error) => console.error("the model was called without its memory:", error.code),
      }),
    ],
  });
}
