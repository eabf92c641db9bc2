import { RecentMap } from "../core/runtime/recent-map.js";
import type { Memory } from "../core/memory.js";
import { getMountTree } from "../core/mounts/mounted-memory.js";
import { getInternals } from "../core/bind-memory.js";
import { getObjectId } from "../core/values/object-ids.js";
import { getTaskNamespace } from "../langchain/langgraph-internals.js";
import { getBinding, type MemoryRun } from "../langchain/memory-run.js";
import type { KeptTurn } from "../prompt/kept-turn.js";
import type { RenderedMemories } from "../prompt/render.js";
import type { UserTurn } from "../prompt/user-turn.js";

/** Number of turns whose parts are kept. */
const maxTurns = 200;

type ShownParts = Pick<RenderedMemories, "turn" | "shown" | "view">;

interface Turn {
  /** Null if the read fails, and without a part of the turn. */
  kept: Promise<KeptTurn | null>;
  isMade: boolean;
}

/**
 * Keeps the part of the turn through its loop of tools. Each call of the model in the loop gets the same part, also if
 * the agent writes meanwhile, as long as the memory has all lines that the part shows. So prompt caches stay valid.
 */
export class TurnParts {
  readonly #turns = new RecentMap<Turn>(maxTurns);

  /**
   * Shows a memory beside the kept part of the turn. Concurrent calls wait for the first one.
   * @param key null for a turn that cannot be recognized
   * @param isFirst whether nothing follows the user's message. Then an answer is made anew, and so is the part
   * @param show shows the memory with this part, if it can stay, or without one
   */
  async show<Shown extends ShownParts>(
    key: string | null,
    isFirst: boolean,
    show: (kept: KeptTurn | null) => Promise<Shown>,
  ): Promise<Shown> {
    if (key === null) return show(null);
    for (let known = this.#turns.get(key); known !== undefined; known = this.#turns.get(key)) {
      if (isFirst && known.isMade) break;
      const kept = await known.kept;
      if (kept === null) continue;
      const shown = await show(kept);
      if (shown.turn === kept.text) {
        // Sets it again, so that a long turn is not the oldest one.
        this.#turns.set(key, known);
        return shown;
      }
      if (this.#turns.get(key) === known) this.#turns.delete(key);
    }
    return this.#make(key, () => show(null));
  }

  async #make<Shown extends ShownParts>(key: string, show: () => Promise<Shown>): Promise<Shown> {
    const shown = show();
    const kept = shown.then(
      ({ turn, shown: lines, view }) => (turn === null ? null : { text: turn, shown: lines, isWhole: view === "full" }),
      () => null,
    );
    const turn: Turn = { kept, isMade: false };
    this.#turns.set(key, turn);
    const isKept = (await kept) !== null;
    turn.isMade = true;
    // A call that waits must find no entry, so that it reads for itself.
    if (!isKept && this.#turns.get(key) === turn) this.#turns.delete(key);
    return shown;
  }
}

/**
 * Names the turn of a run by the memories and by the user's last message: its id in the thread, or else its text in the
 * run. Null if neither names it.
 */
export function getTurnKey(run: MemoryRun, memory: Memory, root: string, { messageId, text }: UserTurn): string | null {
  const owner = [run.userId, nameMemories(memory), root];
  if (run.threadId !== undefined && messageId !== undefined)
    return JSON.stringify([owner, run.threadId, getGraphNamespace(run), messageId, text]);
  const runId = getBinding(run).actor?.runId;
  return runId === undefined || text === "" ? null : JSON.stringify([owner, runId, text]);
}

/** Tells apart users, threads and storages that a function of the program chooses. */
export function nameMemories(memory: Memory): unknown {
  const tree = getMountTree(memory);
  if (tree !== null) return tree.mounts.map((mount) => [mount.point, nameMemories(mount.memory)]);
  return [getObjectId(getInternals(memory).storage), memory.address];
}

/** Names the graph. The last part of a task's namespace is the task, which is another one at each step of a loop. */
function getGraphNamespace({ config }: MemoryRun): string {
  const namespace = getTaskNamespace(config);
  return typeof namespace === "string" ? namespace.split("|").slice(0, -1).join("|") : "";
}
