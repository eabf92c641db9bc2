import { takePage } from "../fields.js";

interface Listing {
  listMemories(filter: { nodeId: string; scope: "global" }): AsyncIterable<unknown>;
}

/** How long the database may take to answer. With the interval of heartbeats, a browser then knows within 5 s. */
const maxAnswerMs = 2500;

/** Asks whether the database answers, with one question at a time for all visitors of a page. */
export class DatabaseContact {
  readonly #memories: Listing;
  readonly #maxAnswerMs: number;
  #asked: Promise<boolean> | null = null;

  constructor(memories: Listing, answerMs = maxAnswerMs) {
    this.#memories = memories;
    this.#maxAnswerMs = answerMs;
  }

  /** False if the database does not answer in time. It never rejects. */
  async isReachable(): Promise<boolean> {
    this.#asked ??= this.#ask();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, this.#maxAnswerMs, false);
    });
    const answer = await Promise.race([this.#asked, late]);
    clearTimeout(timer);
    return answer;
  }

  /** Asks for one memory, which need not exist: one command that reads next to nothing. */
  async #ask(): Promise<boolean> {
    try {
      await takePage(this.#memories.listMemories({ nodeId: "-", scope: "global" }), 0, 1);
      return true;
    } catch {
      return false;
    } finally {
      this.#asked = null;
    }
  }
}
