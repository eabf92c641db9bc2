import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { compiled } from "./compiled-sources.js";
import type { ToldLine } from "./line-worker.js";
import { toArgument } from "./page-sizes.js";

/** Processes that append lines to one memory, and can be killed. */
export class LineWorkers {
  /** What has become of each line. "begun" if its process was killed meanwhile. */
  readonly lines = new Map<string, ToldLine["state"]>();
  readonly #args: readonly string[];
  readonly #pageBytes: number | undefined;
  readonly #processes: ChildProcess[] = [];
  #count = 0;
  #made = 0;
  #onMade = (): void => undefined;

  constructor({
    uri,
    dbName,
    nodeId,
    pageBytes,
  }: Record<"uri" | "dbName" | "nodeId", string> & { pageBytes: number | undefined }) {
    this.#args = [compiled("__tests__/helpers/line-worker.ts"), uri, dbName, nodeId];
    this.#pageBytes = pageBytes;
  }

  start(): void {
    this.#count += 1;
    const args = [...this.#args, `worker ${this.#count}`, toArgument(this.#pageBytes)];
    const worker = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#processes.push(worker);
    createInterface({ input: worker.stdout }).on("line", (told) => {
      const { line, state } = JSON.parse(told) as ToldLine;
      this.lines.set(line, state);
      if (state === "made") this.#made += 1;
      this.#onMade();
    });
  }

  /** Waits until so many further lines have been made. */
  made(more: number): Promise<void> {
    const wanted = this.#made + more;
    return new Promise((resolve) => {
      this.#onMade = () => {
        if (this.#made >= wanted) resolve();
      };
    });
  }

  /** Kills the process that has run longest, at once. */
  async kill(): Promise<void> {
    const worker = this.#processes.shift();
    if (worker === undefined) return;
    const closed = once(worker, "close");
    worker.kill("SIGKILL");
    await closed;
  }

  /** Lets all processes finish what they do. */
  async stop(): Promise<void> {
    await Promise.all(
      this.#processes.splice(0).map(async (worker) => {
        const closed = once(worker, "close");
        worker.stdin?.end();
        await closed;
      }),
    );
  }
}
