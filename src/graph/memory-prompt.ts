import { type BaseMessage, SystemMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { refuseUnknownOptions } from "../core/settings/check-options.js";
import { toMessages } from "../langchain/to-messages.js";
import { checkSystemPrompt, type MessagesState } from "./call-model-node.js";
import { getConnector } from "./get-connector.js";
import type { MemoryConnectorNode } from "./memory-connector-node.js";
import type { MemoryNode } from "./memory-node.js";

/** The options of `createMemoryPrompt`. */
export interface MemoryPromptOptions {
  /** A connector, or a MemoryNode, which gets a connector with the defaults. */
  connector: MemoryConnectorNode | MemoryNode;
  /** Placed before the messages of the state. @default none */
  systemPrompt?: string;
  /** The tools of the agent. Paths are shown as these tools take them. @default as the unified tool takes them */
  tools?: readonly StructuredToolInterface[];
}

/**
 * Creates a prompt function for `createReactAgent({ prompt })`: system prompt, memory and the messages of the state. It
 * adds nothing to the state. The function does not know the model, so it merges the memory into the one system message,
 * unless the connector says otherwise.
 *
 * @throws TypeError for an unknown option, or if `connector` is neither a connector nor a MemoryNode
 */
export function createMemoryPrompt(
  options: MemoryPromptOptions,
): (state: MessagesState, config: RunnableConfig) => Promise<BaseMessage[]> {
  const { connector: given, systemPrompt = "", tools = [] } = { ...options };
  const connector = getConnector(given, "createMemoryPrompt: connector");
  refuseUnknownOptions("MemoryPromptOptions", options, ["connector", "systemPrompt", "tools"]);
  const prompt = checkSystemPrompt(systemPrompt) === "" ? [] : [new SystemMessage(systemPrompt)];
  return async (state, config) => {
    return connector.inject([...prompt, ...toMessages(state?.messages)], config, undefined, tools);
  };
}
