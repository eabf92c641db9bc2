import type { Output } from "./output.js";

export interface Progress {
  start(total: number, what: string): void;
  setTotal(total: number): void;
  update(value: number): void;
  step(): void;
}

const silent: Progress = { start: () => undefined, setTotal: () => undefined, update: () => undefined, step: () => undefined };

/** A bar on the standard error, where that is a terminal; removed at the end. */
export async function withProgress<T>({ err }: { err: Output }, run: (progress: Progress) => Promise<T>): Promise<T> {
  if (!err.isTerminal) return run(silent);
  const { default: cliProgress } = await import("cli-progress");
  const bar = new cliProgress.SingleBar({
    stream: err.stream,
    format: "{what} [{bar}] {value}/{total}",
    barsize: 30,
    hideCursor: false,
    gracefulExit: false,
    clearOnComplete: true,
    emptyOnZero: true,
  });
  try {
    return await run({
      start: (total, what) => bar.start(total, 0, { what }),
      setTotal: (total) => bar.setTotal(total),
      update: (value) => bar.update(value),
      step: () => bar.increment(),
    });
  } finally {
    bar.stop();
  }
}
