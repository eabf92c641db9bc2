import type { BaseMessage } from "@langchain/core/messages";
import { SystemMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { type AgentMiddleware, createMiddleware } from "langchain";
import type { MemoryNode } from "./graph/memory-node.js";
import type { MemoryConnectorConfig } from "./prompt/connector-options.js";

export interface MemoryMiddlewareOptions extends MemoryConnectorConfig {
  memory: MemoryNode;
  /** Whether the agent gets the memory's tools too. @default true */
  tools?: boolean;
}

/**
 * Middleware for `createAgent`: shows the memory to the model at every call, after what the agent has just written too,
 * and gives the agent the `memory` tool. Nothing of it is kept in the agent's state.
 *
 * The run's `configurable.thread_id` chooses the memory of a `perThread` node; a node without a store of its own uses the
 * agent's (`createAgent({ store })`). A memory that cannot be read never breaks the run: see `onError`.
 *
 * @throws TypeError for bad options
 */
export function memoryMiddleware({ memory, tools = true, ...config }: MemoryMiddlewareOptions): AgentMiddleware {
  if (typeof memory?.createConnector !== "function") throw new TypeError("memoryMiddleware: memory must be a MemoryNode");
  const connector = memory.createConnector(config);
  return createMiddleware({
    name: `Memory(${memory.nodeId})`,
    tools: tools ? memory.memoryTools : [],
    wrapModelCall: async (request, handler) => {
      const { systemMessage, messages, runtime, model } = request;
      const prompt: BaseMessage[] = systemMessage.text === "" ? [] : [systemMessage];
      const run = { configurable: runtime.configurable, store: runtime.store } as RunnableConfig;
      const given = [...prompt, ...messages];
      const shown = await connector.inject(given, run, model);
      if (shown === given) return handler(request);
      const [first, ...rest] = shown;
      return SystemMessage.isInstance(first)
        ? handler({ ...request, systemMessage: first, messages: rest })
        : handler({ ...request, messages: shown });
    },
  });
}
