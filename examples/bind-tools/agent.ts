import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseStore } from "@langchain/langgraph";
import { MemoryNode } from "langgraph-mongo-memory";

const maxTurns = 10;

/** A hand-written loop around a model with the memory tool. */
export function createLoop(model: BaseChatModel, store: BaseStore) {
  const node = new MemoryNode({ store, nodeId: "example-bind-tools" });
  const [memoryTool] = node.memoryTools;
  const withTools = model.bindTools?.(node.memoryTools);
  if (!memoryTool || !withTools) throw new TypeError("this model cannot call tools");
  const connector = node.createConnector({ content: "tree" });

  /**
   * Adds the answers of the model and of its tools to the conversation, until an answer has no tool call. The memory is
   * shown to each call of the model, but never becomes part of the conversation.
   */
  const run = async (messages: BaseMessage[], config: RunnableConfig = {}): Promise<void> => {
    for (let turn = 0; turn < maxTurns; turn += 1) {
      const answer = await withTools.invoke(await connector.inject(messages, config, model), config);
      messages.push(answer);
      if (!answer.tool_calls?.length) return;
      for (const call of answer.tool_calls)
        messages.push(await memoryTool.invoke({ ...call, type: "tool_call" }, config));
    }
  };
  return { node, run };
}
