import type { CallContext } from "./call.js";

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

/**
 * Runs work that yields after each short step, and lets others have the event loop meanwhile. It ends with the call.
 */
export async function runInTurns<T>(work: Generator<void, T>, call: CallContext): Promise<T> {
  const turns = new Turns();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (!turns.isOver()) continue;
    await turns.next();
    call.throwIfAborted();
  }
}
