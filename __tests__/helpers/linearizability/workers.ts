import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { compiled } from "../compiled-sources.js";
import { toArgument } from "../page-sizes.js";
import type { WorkerOrder } from "../linearizability-worker.js";
import type { Operation } from "./checker.js";
import type { Command } from "./memory-commands.js";
import { operationOf, type RecordedCall } from "./recorded-call.js";

type Round = Extract<WorkerOrder, { nodeId: string }>;

/** The database of the processes, and how they keep memories in it. */
export interface WorkerPlace {
  uri: string;
  dbName: string;
  pageBytes?: number | undefined;
  /** @default false */
  history?: boolean;
}

/** Several processes that call one memory at the same time, each with its own client. */
export class Workers {
  /** The calls of this round, unordered. */
  history: Operation<Command>[] = [];
  readonly #processes: ChildProcess[] = [];
  readonly #listeners = new Set<() => void>();
  #busy = 0;
  #failure: Error | null = null;

  static async start(count: number, { uri, dbName, pageBytes, history = false }: WorkerPlace): Promise<Workers> {
    const workers = new Workers();
    const program = compiled("__tests__/helpers/linearizability-worker.ts");
    const rest = [toArgument(pageBytes), history ? "history" : ""];
    for (let number = 0; number < count; number += 1) {
      workers.#listenTo(
        spawn(process.execPath, [program, uri, dbName, String.fromCodePoint(97 + number), ...rest], {
          stdio: ["pipe", "pipe", "inherit"],
        }),
      );
    }
    workers.#busy = count;
    await workers.#until(() => workers.#busy === 0);
    return workers;
  }

  /** Lets all processes begin at once. */
  begin({ seed, ...round }: Round): void {
    this.history = [];
    this.#busy = this.#processes.length;
    this.#processes.forEach((each, number) => tell(each, { ...round, seed: seed * this.#processes.length + number }));
  }

  /** Waits until this number of further calls was answered. */
  async answered(more: number): Promise<void> {
    const count = (): number => this.history.filter(({ answeredAt }) => answeredAt !== null).length;
    const wanted = count() + more;
    await this.#until(() => count() >= wanted);
  }

  /** Waits until all processes have ended their round. */
  async ended(): Promise<Operation<Command>[]> {
    await this.#until(() => this.#busy === 0);
    return this.history;
  }

  async stopped(): Promise<Operation<Command>[]> {
    for (const each of this.#processes) tell(each, { stop: true });
    return this.ended();
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#processes.map(async (each) => {
        if (each.exitCode !== null || each.signalCode !== null) return;
        const exited = once(each, "exit");
        each.stdin?.end();
        await exited;
      }),
    );
  }

  #listenTo(worker: ChildProcess): void {
    this.#processes.push(worker);
    worker.on("exit", (code) => {
      if (code !== 0) this.#fail(new Error(`a worker ended with ${code}`));
    });
    if (worker.stdout === null) throw new Error("a worker has no standard output");
    createInterface({ input: worker.stdout }).on("line", (line) => {
      const told = JSON.parse(line) as RecordedCall | { end: true };
      if ("end" in told) this.#busy -= 1;
      else this.history.push(operationOf(told));
      this.#listeners.forEach((listener) => listener());
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#listeners.forEach((listener) => listener());
  }

  #until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (this.#failure === null && !isSo()) return;
        this.#listeners.delete(look);
        if (this.#failure === null) resolve();
        else reject(this.#failure);
      };
      this.#listeners.add(look);
      look();
    });
  }
}

function tell(worker: ChildProcess, order: WorkerOrder): void {
  worker.stdin?.write(`${JSON.stringify(order)}\n`);
}
