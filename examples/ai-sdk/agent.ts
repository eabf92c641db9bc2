import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseStore } from "@langchain/langgraph";
import { type LanguageModel, ToolLoopAgent } from "ai";
import { logConversation, MemoryNode } from "langgraph-mongo-memory";
import { createAiMemory } from "langgraph-mongo-memory/ai-sdk";

/** An agent of the AI SDK with one memory for each user. */
export function createCookingAgent(model: LanguageModel, store: BaseStore) {
  const node = new MemoryNode({ store, nodeId: "example-ai-sdk", scope: "perUser", log: true });
  const agent = new ToolLoopAgent<{ userId: string }>({
    model,
    instructions: "You recommend dishes. Note in your memory what you learn about the user.",
    // Your program knows the user of a call; a model cannot choose one.
    prepareCall: ({ options, ...settings }) => ({
      ...settings,
      ...createAiMemory({ memory: node, userId: options.userId, content: "auto" }),
    }),
  });
  /** Adds what was said to the memory of the user, so that the next conversation can be answered from it. */
  const log = (userId: string, threadId: string, prompt: string, answer: string): Promise<number> =>
    logConversation(node.memory(userId), [new HumanMessage(prompt), new AIMessage(answer)], { threadId });
  return { agent, node, log };
}
