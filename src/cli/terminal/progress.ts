import type { Output } from "./output.js";

const barChars = 30;
const redrawMs = 100;
const clearLine = "\r\u001b[K";

/** A progress bar on the standard error, if it is a terminal. */
export class Progress {
  total = 0;
  #done = 0;
  #drawnAtMs = 0;
  readonly #err: Output;
  readonly #noun: string;

  constructor(err: Output, noun: string) {
    this.#err = err;
    this.#noun = noun;
  }

  update(done: number): void {
    this.#done = done;
    if (!this.#err.isTerminal || performance.now() - this.#drawnAtMs < redrawMs) return;
    this.#drawnAtMs = performance.now();
    const share = Math.min(done / Math.max(this.total, 1), 1);
    const bar = "=".repeat(Math.round(share * barChars)).padEnd(barChars, "-");
    this.#err.stream.write(`${clearLine}${this.#noun} [${bar}] ${done}/${this.total}`);
  }

  step(): void {
    this.update(this.#done + 1);
  }

  clear(): void {
    if (this.#drawnAtMs > 0) this.#err.stream.write(clearLine);
  }
}

/** Runs a task with a progress bar, and removes the bar at the end. */
export async function withProgress<T>(err: Output, noun: string, run: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = new Progress(err, noun);
  try {
    return await run(progress);
  } finally {
    progress.clear();
  }
}
