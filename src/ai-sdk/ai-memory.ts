import { wrongArgument } from "../core/settings/wrong-argument.js";
import type { Memory } from "../core/memory.js";
import { isMemory } from "../core/mounts/mounts.js";
import { pickDefined } from "../core/settings/pick-defined.js";
import { findLog } from "../conversation/options.js";
import { toolsByName } from "../dialects/registry.js";
import { MemoryConnectorNode } from "../graph/memory-connector-node.js";
import { getMemoryRun, type MemoryRun } from "../langchain/memory-run.js";
import { openMemoryForRun } from "../langchain/memory-source.js";
import { type AiMemoryOptions, checkAiMemoryOptions } from "./options.js";
import { getUserTurn } from "../prompt/user-turn.js";
import { type AiStep, createMessageKind, type PreparedStep, showInStep } from "./step.js";
import { type AiTool, type AiToolCall, createAiTool } from "./tools.js";

/** The parts of a memory that `generateText`, `streamText` and `ToolLoopAgent` take. */
export interface AiMemory {
  /** The tools of the memory, by name. */
  tools: Record<string, AiTool>;
  /**
   * Shows the memory to the model, with its latest changes at each step. A memory that cannot be read never breaks the
   * call: see `onError`. A `prepareStep` of your own can call it and add to its answer.
   */
  prepareStep: <Message extends object>(step: AiStep<Message>) => Promise<PreparedStep<Message>>;
}

/**
 * Gives a model of the Vercel AI SDK a memory: tools that change it, and its contents in the system prompt.
 *
 * Call it once for each request, and spread the result: `generateText({ model, prompt, ...createAiMemory(options) })`.
 * The options choose the memory, its user and its thread. The calls of a tool end with the `abortSignal` of the request.
 * Refusals and failures are answers of the tool, in words for the model. A tool throws only the reason of an abort.
 *
 * @throws TypeError for bad options, or two tools of one name
 */
export function createAiMemory(options: AiMemoryOptions): AiMemory {
  checkAiMemoryOptions(options);
  const { memory, dialects = ["unified"], search = false, instructions, placement = "after_system" } = options;
  const run = createRun(options);
  const adapted = [...toolsByName(dialects, memory, { search }).values()];
  const openMemory = ({ toolCallId, abortSignal }: AiToolCall): Promise<Memory> =>
    openMemoryForRun(memory, {
      ...run,
      config: { ...run.config, ...(abortSignal && { signal: abortSignal }) },
      toolCallId,
    });
  const connector = createConnector(options, adapted.find(({ shownRoot }) => shownRoot !== undefined)?.shownRoot);
  const made = new WeakSet<object>();
  return {
    tools: Object.fromEntries(adapted.map((tool) => [tool.name, createAiTool(tool, openMemory)])),
    prepareStep: async (step) => {
      if (!Array.isArray(step?.messages))
        throw wrongArgument("prepareStep: messages", "a list of messages", step?.messages);
      const parts = await connector.showParts(getUserTurn(step.messages, createMessageKind(made)), run);
      return showInStep(step, parts, { instructions, placement, made });
    },
  };
}

function createRun({ threadId, userId, runId = globalThis.crypto.randomUUID() }: AiMemoryOptions): MemoryRun {
  const ids = { thread_id: threadId, user_id: userId, run_id: runId };
  return getMemoryRun({ configurable: pickDefined(ids) });
}

/** @param rootOfTools as the tools take paths */
function createConnector(options: AiMemoryOptions, rootOfTools: string | undefined): MemoryConnectorNode {
  const { memory, content, maxChars, pinned, maxTokens, countTokens, root = rootOfTools, onError } = options;
  const config = pickDefined({ content, maxChars, pinned, maxTokens, countTokens, root, onError });
  if (!isMemory(memory)) return memory.createConnector(config);
  // The memory is the program's choice, so no other one replaces it.
  return new MemoryConnectorNode({
    ...config,
    memory: { scope: "global", memoryForRun: () => memory, globalMemory: () => memory, log: findLog(memory) ?? null },
  });
}
