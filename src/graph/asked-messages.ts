import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { getRole } from "../conversation/entries.js";
import { RecentMap } from "../core/runtime/recent-map.js";
import { getBinding, getMemoryRun } from "../langchain/memory-run.js";
import type { ConnectableMemory } from "./memory-connector-node.js";
import { nameMemories } from "./turn-parts.js";

/** Number of runs whose messages are kept. A run that fails never restores them. */
const maxRuns = 200;

/** Keeps the user's messages of a run for its log, because a middleware may replace them by a summary during the run. */
export class AskedMessages {
  readonly #kept = new RecentMap<readonly BaseMessage[]>(maxRuns);
  readonly #memory: ConnectableMemory;

  constructor(memory: ConnectableMemory) {
    this.#memory = memory;
  }

  /** Keeps the messages since the user's last ones. */
  async keep(messages: readonly BaseMessage[], config: RunnableConfig): Promise<void> {
    const last = messages.findLastIndex(isFromUser);
    const first = messages.slice(0, Math.max(last, 0)).findLastIndex((message) => !isFromUser(message)) + 1;
    const key = await this.#getRunKey(config);
    if (last !== -1 && key !== null) this.#kept.set(key, messages.slice(first));
  }

  /** Returns the messages at the end of a run, after those that a summary has replaced. */
  async restore(messages: readonly BaseMessage[], config: RunnableConfig): Promise<readonly BaseMessage[]> {
    const key = await this.#getRunKey(config);
    const kept = key === null ? undefined : this.#kept.get(key);
    if (key !== null) this.#kept.delete(key);
    return kept === undefined || messages.some(isFromUser) ? messages : [...kept, ...messages];
  }

  /**
   * Names a run by its memories. A resumed run has another id, but the same thread. Null if nothing names it, or if it
   * has no memory: then nothing is logged either.
   */
  async #getRunKey(config: RunnableConfig): Promise<string | null> {
    const run = getMemoryRun(config);
    const runId = getBinding(run).actor?.runId;
    if (run.threadId === undefined && runId === undefined) return null;
    try {
      const memories = nameMemories(await this.#memory.memoryForRun(run));
      return JSON.stringify([memories, run.threadId === undefined ? { runId } : [run.userId, run.threadId]]);
    } catch {
      return null;
    }
  }
}

function isFromUser(message: BaseMessage): boolean {
  return getRole(message) === "user";
}
