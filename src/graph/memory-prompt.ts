import { type BaseMessage, SystemMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { MessagesState } from "./call-model-node.js";
import type { MemoryConnectorNode } from "./memory-connector-node.js";

/** The connector, and the system prompt. */
export interface MemoryPromptOptions {
  connector: MemoryConnectorNode;
  /** Goes before the messages of the state. @default none */
  systemPrompt?: string;
}

/**
 * A prompt function for `createReactAgent({ prompt })`: system prompt, memory and the messages of the state. It adds nothing to
 * the state. It does not know the model, so it merges the memory into the one system message, unless the connector says
 * otherwise.
 */
export function createMemoryPrompt({
  connector,
  systemPrompt = "",
}: MemoryPromptOptions): (state: MessagesState, config: RunnableConfig) => Promise<BaseMessage[]> {
  return (state, config) => {
    const prompt = systemPrompt === "" ? [] : [new SystemMessage(systemPrompt)];
    return connector.inject([...prompt, ...state.messages], config);
  };
}
