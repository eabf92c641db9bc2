import { clearLine, cursorTo } from "node:readline";
import type { OutputStream } from "./io.js";
import type { Output } from "./output.js";

export interface Progress {
  start(total: number, what: string): void;
  setTotal(total: number): void;
  update(value: number): void;
  step(): void;
}

const silent: Progress = {
  start: () => undefined,
  setTotal: () => undefined,
  update: () => undefined,
  step: () => undefined,
};

/** A bar on the standard error, where that is a terminal; removed at the end. */
export async function withProgress<T>({ err }: { err: Output }, run: (progress: Progress) => Promise<T>): Promise<T> {
  if (!err.isTerminal) return run(silent);
  const bar = new ProgressBar(err.stream);
  try {
    return await run(bar);
  } finally {
    bar.clear();
  }
}

const barChars = 30;
const redrawMs = 100;

class ProgressBar implements Progress {
  readonly #stream: OutputStream;
  #what = "";
  #total = 0;
  #value = 0;
  #drawnAtMs = 0;

  constructor(stream: OutputStream) {
    this.#stream = stream;
  }

  start(total: number, what: string): void {
    this.#what = what;
    this.#total = total;
    this.#value = 0;
    this.#draw();
  }

  setTotal(total: number): void {
    this.#total = total;
  }

  update(value: number): void {
    this.#value = value;
    if (performance.now() - this.#drawnAtMs >= redrawMs) this.#draw();
  }

  step(): void {
    this.update(this.#value + 1);
  }

  clear(): void {
    cursorTo(this.#stream, 0);
    clearLine(this.#stream, 0);
  }

  #draw(): void {
    this.#drawnAtMs = performance.now();
    const share = this.#total > 0 ? Math.min(this.#value / this.#total, 1) : 0;
    const done = "=".repeat(Math.round(share * barChars)).padEnd(barChars, "-");
    this.clear();
    this.#stream.write(`${this.#what} [${done}] ${this.#value}/${this.#total}`);
  }
}
