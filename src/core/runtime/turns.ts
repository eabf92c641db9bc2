const maxTurnMs = 10;

/** Lets others have the event loop during long work: `if (turns.isOver()) await turns.next()` among its steps. */
export class Turns {
  #endsMs = performance.now() + maxTurnMs;

  /** Whether the work has gone on for 10 ms. */
  isOver(): boolean {
    return performance.now() >= this.#endsMs;
  }

  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#endsMs = performance.now() + maxTurnMs;
  }
}
