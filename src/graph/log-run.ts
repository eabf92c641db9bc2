import type { BaseMessage } from "@langchain/core/messages";
import { ensureConfig, type RunnableConfig } from "@langchain/core/runnables";
import { isGraphBubbleUp } from "@langchain/langgraph";
import type { ConversationLogOptions } from "../conversation/options.js";
import { writeLog } from "../conversation/log-conversation.js";
import { isMissingOwner } from "../core/values/address.js";
import { MemoryError } from "../core/values/errors.js";
import { getMemoryRun } from "../langchain/memory-run.js";
import { bindRun } from "../langchain/memory-source.js";
import type { MessagesState } from "./call-model-node.js";
import type { LogSource } from "./memory-connector-node.js";
import type { MemoryNode } from "./memory-node.js";
import { reportFailure } from "./report-failure.js";

/**
 * Creates a node for `graph.addNode` that adds the new messages of a run to the log of a memory. It goes after the last
 * answer, and changes nothing in the state. A memory that cannot be written never breaks the run.
 *
 * @param options.onError called with the reason if the memory cannot be written, or if a guard refuses a text. Default:
 * a warning of the process
 * @throws TypeError for bad options, or if the memory has another log
 */
export function createConversationLog(
  options: { memory: MemoryNode; onError?: (error: MemoryError) => void } & ConversationLogOptions,
): (state: MessagesState, config: RunnableConfig) => Promise<object> {
  const { memory, onError, ...log } = { ...options };
  if (typeof memory?.setLog !== "function") throw new TypeError("createConversationLog: memory must be a MemoryNode");
  memory.setLog(Object.keys(log).length === 0 || log);
  return async ({ messages }, config) => {
    await logRun({ memory, onError }, messages, config);
    return {};
  };
}

function warnOfMissingLog(error: MemoryError): void {
  // The process is warned only once about runs without a thread or user, by `warnOfMissingOwner`.
  if (!isMissingOwner(error))
    globalThis.process?.emitWarning?.(`messages not logged: ${error.message}`, { type: "MemoryWarning" });
}

/** Adds the new messages of a run to the log of its memory, if the memory has one. */
export async function logRun(
  { memory, onError = warnOfMissingLog }: LogSource,
  messages: readonly BaseMessage[],
  config: RunnableConfig,
): Promise<void> {
  const { log } = memory;
  if (!log) return;
  const run = getMemoryRun(ensureConfig(config));
  const onRefusal = (error: MemoryError): void => reportFailure(error, onError, warnOfMissingLog);
  try {
    const opened = bindRun(run, await memory.memoryForRun(run));
    await writeLog(opened, messages, { log, run, isWholeNew: false, onRefusal });
  } catch (cause) {
    run.config.signal?.throwIfAborted();
    // The function that finds the thread or the user, or a guard, may interrupt the run.
    if (isGraphBubbleUp(cause)) throw cause;
    onRefusal(
      MemoryError.isInstance(cause)
        ? cause
        : new MemoryError("EIO", "EIO: the messages could not be logged", { cause }),
    );
  }
}
