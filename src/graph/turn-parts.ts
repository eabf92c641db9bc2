import { RecentMap } from "../core/runtime/recent-map.js";
import type { Memory } from "../core/memory.js";
import { getMountTree } from "../core/mounts/mounted-memory.js";
import { getTaskNamespace } from "../langchain/langgraph-internals.js";
import { getBinding, type MemoryRun } from "../langchain/memory-run.js";
import type { MemoryParts } from "../prompt/shown-memory.js";
import type { UserTurn } from "../prompt/user-turn.js";

/** Number of turns whose parts are kept. */
const maxTurns = 200;

/**
 * Keeps the part of the turn that connectors have shown first in recent turns. Each call of the model in a turn gets
 * the same part, also if the agent writes meanwhile. So prompt caches stay valid through a loop of tools.
 */
export class TurnParts {
  /** Null if the read fails, and without a part of the turn. */
  readonly #parts = new RecentMap<Promise<MemoryParts | null>>(maxTurns);

  /**
   * Shows a memory beside the part that the first call of the turn has shown. Concurrent calls wait for the first one.
   * @param key null for a turn that cannot be recognized
   * @param show gets the parts that the first call has shown, or null if they are not kept
   */
  async show<Shown extends MemoryParts>(
    key: string | null,
    show: (earlier: MemoryParts | null) => Promise<Shown>,
  ): Promise<Shown> {
    if (key === null) return show(null);
    for (let known = this.#parts.get(key); known !== undefined; known = this.#parts.get(key)) {
      const earlier = await known;
      if (earlier === null) continue;
      // Sets it again, so that a long turn is not the oldest one.
      this.#parts.set(key, known);
      return show(earlier);
    }
    const shown = show(null);
    const parts = shown.then(
      ({ text, turn }) => (turn === null ? null : { text, turn }),
      () => null,
    );
    this.#parts.set(key, parts);
    // A call that waits must find no entry, so that it reads for itself.
    if ((await parts) === null) this.#parts.delete(key);
    return shown;
  }
}

/**
 * Names the turn of a run by the owners of the memories and by the user's last message: its id in the thread, or else
 * its text in the run. Null if neither names it.
 */
export function getTurnKey(run: MemoryRun, memory: Memory, root: string, { messageId, text }: UserTurn): string | null {
  const owner = [run.userId, listAddresses(memory), root];
  if (run.threadId !== undefined && messageId !== undefined)
    return JSON.stringify([owner, run.threadId, getGraphNamespace(run), messageId, text]);
  const runId = getBinding(run).actor?.runId;
  return runId === undefined || text === "" ? null : JSON.stringify([owner, runId, text]);
}

/** Tells apart users and threads that a function of the node chooses. */
function listAddresses(memory: Memory): unknown {
  return getMountTree(memory)?.mounts.map((mount) => [mount.point, listAddresses(mount.memory)]) ?? memory.address;
}

/** Names the graph. The last part of a task's namespace is the task, which is another one at each step of a loop. */
function getGraphNamespace({ config }: MemoryRun): string {
  const namespace = getTaskNamespace(config);
  return typeof namespace === "string" ? namespace.split("|").slice(0, -1).join("|") : "";
}
