/** The longest time that work keeps the event loop, apart from its last step. */
const maxSliceMs = 10;

/** The call or the signal that waits for the work. */
export type Waiting = Pick<AbortSignal, "throwIfAborted">;

/**
 * Lets others have the event loop during long work: `if (slices.isOver()) await slices.next()` among its steps. Timers
 * run then too, so a call ends by its signal and by its time limit in the middle of the work.
 */
export class TimeSlices {
  readonly #waiting: Waiting | null;
  #endsMs: number;

  /** @param waiting null: nobody can end the work */
  constructor(waiting: Waiting | null) {
    this.#waiting = waiting;
    this.#endsMs = (waiting && sliceEnds.get(waiting)) ?? this.#begin();
  }

  /** Whether the work has gone on for 10 ms. */
  isOver(): boolean {
    return performance.now() >= this.#endsMs;
  }

  /** @throws the reason, if nobody waits for the work any more */
  async next(): Promise<void> {
    await yieldToEventLoop();
    this.#waiting?.throwIfAborted();
    this.#endsMs = this.#begin();
  }

  #begin(): number {
    const endsMs = performance.now() + maxSliceMs;
    if (this.#waiting !== null) sliceEnds.set(this.#waiting, endsMs);
    return endsMs;
  }
}

/** The end of the last slice of each call. Pieces of work of one call that follow each other share a slice. */
const sliceEnds = new WeakMap<Waiting, number>();

/** Waits until the event loop has come round: timers and messages that are due come first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Work that yields after each short step. */
export type Steps<T> = Generator<void, T>;

/** Runs the steps of work in time slices. @throws the reason, if nobody waits for the work any more */
export async function runInTimeSlices<T>(work: Steps<T>, waiting: Waiting | null): Promise<T> {
  const slices = new TimeSlices(waiting);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (slices.isOver()) await slices.next();
  }
}
