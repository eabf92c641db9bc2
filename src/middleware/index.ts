import type { BaseMessage } from "@langchain/core/messages";
import { SystemMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { wrongArgument } from "../core/settings/wrong-argument.js";
import { refuseUnknownOptions } from "../core/settings/check-options.js";
import { toConfig } from "../graph/after-run.js";
import { AskedMessages } from "../graph/asked-messages.js";
import { logRun } from "../graph/log-run.js";
import type { MemoryNode } from "../graph/memory-node.js";
import type { ConversationLogOptions } from "../conversation/options.js";
import { connectorFields, type MemoryConnectorConfig } from "../prompt/connector-options.js";

export interface MemoryMiddlewareOptions extends MemoryConnectorConfig {
  /** The memory: a MemoryNode. Other calls also take a Memory, and MCP a function from a run to a Memory. */
  memory: MemoryNode;
  /** Whether the agent also gets the memory's tools. @default true */
  tools?: boolean;
  /**
   * Adds the new messages of each run to a log in the memory. `true` means the defaults, or for the log that the
   * memory has. @default whether the memory has a log
   */
  log?: boolean | ConversationLogOptions;
}

const optionNames = ["memory", "log", "tools", ...Object.keys(connectorFields)];

/**
 * Creates middleware for `createAgent`. It shows the memory, with the agent's latest changes, to the model at every
 * call, and gives the agent the `memory` tool. It adds nothing to the agent's state.
 *
 * The thread or the user of the run decides which memory a `perThread` or `perUser` node uses: see `MemoryRun`. A node
 * that has no store uses the agent's (`createAgent({ store })`). If the memory cannot be read, the run goes on: see
 * `onError`.
 *
 * An agent with two memories needs two tools with different names. Set `tools: false` for the second memory, and add a
 * `new MemoryTool({ memory, name })` to the agent's own tools. If another middleware changes the model, put it before
 * this one. The model decides where the memory goes in the prompt, so this middleware must see the final model.
 *
 * @throws TypeError for bad options, and at the first model call if another tool has the name of this tool
 */
export function memoryMiddleware(options: MemoryMiddlewareOptions): AgentMiddleware {
  const { memory, tools = true, log, ...connectorConfig } = { ...options };
  if (typeof memory?.createConnector !== "function")
    throw wrongArgument("memoryMiddleware: memory", "a MemoryNode", memory);
  refuseUnknownOptions("MemoryMiddlewareOptions", options, optionNames);
  if (log !== undefined) memory.setLog(log);
  const connector = memory.createConnector(connectorConfig);
  const ownTools = tools ? memory.memoryTools : [];
  const asked = log === false || memory.log === null ? null : new AskedMessages(memory);
  return createMiddleware({
    name: `Memory(${memory.nodeId}, ${memory.scope})`,
    tools: ownTools,
    ...(asked !== null && {
      afterAgent: async ({ messages }, runtime) => {
        const run = toConfig(runtime);
        await logRun(connector.source, await asked.restore(messages, run), run);
      },
    }),
    wrapModelCall: async (request, handler) => {
      for (const { name } of ownTools) assertNoNamesake(name, request.tools);
      const { systemMessage, messages, runtime, model, state } = request;
      const run = toConfig(runtime);
      await asked?.keep(state.messages, run);
      const prompt: BaseMessage[] = systemMessage.text === "" ? [] : [systemMessage];
      const given = [...prompt, ...messages];
      const shown = await connector.inject(given, run, model, request.tools);
      if (shown === given) return handler(request);
      const [first, ...rest] = shown;
      return SystemMessage.isInstance(first)
        ? handler({ ...request, systemMessage: first, messages: rest })
        : handler({ ...request, messages: shown });
    },
  });
}

/**
 * Refuses a second tool of the same name. `createAgent` allows it, but a provider would refuse the request, or a call
 * would reach the wrong memory.
 */
function assertNoNamesake(name: string, tools: readonly object[]): void {
  if (tools.filter((tool) => "name" in tool && tool.name === name).length < 2) return;
  throw new TypeError(
    `memoryMiddleware: the agent has two tools called ${name}; give one memory \`tools: false\` here and ` +
      "a `new MemoryTool({ memory, name })` in the agent's `tools`",
  );
}
