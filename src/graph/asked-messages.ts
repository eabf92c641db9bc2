import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { getRole } from "../conversation/entries.js";
import { RecentMap } from "../core/runtime/recent-map.js";
import { getBinding, getMemoryRun } from "../langchain/memory-run.js";

/** Number of runs whose messages are kept. A run that fails never restores them. */
const maxRuns = 200;

/** Keeps the user's messages of a run for its log, because a middleware may replace them by a summary during the run. */
export class AskedMessages {
  readonly #kept = new RecentMap<readonly BaseMessage[]>(maxRuns);

  /** Keeps the messages since the user's last one. */
  keep(messages: readonly BaseMessage[], config: RunnableConfig): void {
    const first = messages.findLastIndex(isFromUser);
    const key = getRunKey(config);
    if (first !== -1 && key !== null) this.#kept.set(key, messages.slice(first));
  }

  /** Returns the messages at the end of a run, after those that a summary has replaced. */
  restore(messages: readonly BaseMessage[], config: RunnableConfig): readonly BaseMessage[] {
    const key = getRunKey(config);
    const kept = key === null ? undefined : this.#kept.get(key);
    if (key !== null) this.#kept.delete(key);
    return kept === undefined || messages.some(isFromUser) ? messages : [...kept, ...messages];
  }
}

function isFromUser(message: BaseMessage): boolean {
  return getRole(message) === "user";
}

/** A resumed run has another id, but the same thread. */
function getRunKey(config: RunnableConfig): string | null {
  const run = getMemoryRun(config);
  const runId = getBinding(run).actor?.runId;
  if (run.threadId === undefined && runId === undefined) return null;
  return JSON.stringify(run.threadId === undefined ? { runId } : { userId: run.userId, threadId: run.threadId });
}
