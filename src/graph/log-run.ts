import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { wrongArgument } from "../core/settings/wrong-argument.js";
import type { ConversationLogOptions } from "../conversation/options.js";
import { writeLog } from "../conversation/log-conversation.js";
import type { MemoryError } from "../core/values/errors.js";
import { workAfterRun, type WorkAfterRun } from "./after-run.js";
import type { MessagesState } from "./call-model-node.js";
import type { LogSource } from "./memory-connector-node.js";
import type { MemoryNode } from "./memory-node.js";

/**
 * Creates a node for `graph.addNode` that adds the new messages of a run to the log of a memory. It goes after the last
 * answer, and changes nothing in the state. If the memory cannot be written, the run goes on.
 *
 * @param options.onError called with the reason if the memory cannot be written, or if a guard refuses a text. Default:
 * a warning of the process
 * @throws TypeError for bad options, or if the memory has another log
 */
export function createConversationLog(
  options: { memory: MemoryNode; onError?: (error: MemoryError) => void } & ConversationLogOptions,
): (state: MessagesState, config: RunnableConfig) => Promise<object> {
  const { memory, onError, ...log } = { ...options };
  if (typeof memory?.setLog !== "function")
    throw wrongArgument("createConversationLog: memory", "a MemoryNode", memory);
  memory.setLog(Object.keys(log).length === 0 || log);
  return async (state, config) => {
    await logRun({ memory, onError }, state?.messages, config);
    return {};
  };
}

/** Adds the new messages of a run to the log of its memory, if the memory has one. */
export async function logRun(
  { memory, onError }: LogSource,
  messages: readonly BaseMessage[],
  config: RunnableConfig,
): Promise<void> {
  const { log } = memory;
  if (!log) return;
  const work: WorkAfterRun["work"] = async (open, run, onRefusal) =>
    writeLog(await open(), messages, { log, run, isWholeNew: false, onRefusal });
  const failure = "the messages could not be logged";
  await workAfterRun(config, { memory, title: "messages not logged", failure, onError, work });
}
