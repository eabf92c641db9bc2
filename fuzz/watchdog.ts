import { Worker } from "node:worker_threads";

const maxBlockMs = 60_000;
const beatMs = 500;

/**
 * Of its own thread, which the process cannot block: says what was under way when the event loop stood still, and ends
 * the process.
 */
const watcher = `
  const { workerData, parentPort } = require("node:worker_threads");
  let [seen, names] = [0, []];
  parentPort.on("message", (message) => { seen = Date.now(); names = message; });
  setInterval(() => {
    if (seen === 0 || Date.now() - seen < workerData.maxBlockMs) return;
    require("node:fs").writeSync(2, "FINDING: the event loop has been blocked for " + workerData.maxBlockMs + " ms; under way:\\n" + names.join("\\n") + "\\n");
    process.kill(process.pid, "SIGKILL");
  }, 1000);
`;

/** The places where cases are under way. */
export class UnderWay {
  readonly #names = new Map<symbol, string>();
  readonly #worker = new Worker(watcher, { eval: true, workerData: { maxBlockMs } });
  readonly #timer = setInterval(() => this.#tell(), beatMs);

  enter(name: string): () => void {
    const key = Symbol(name);
    this.#names.set(key, name);
    this.#tell();
    return () => void this.#names.delete(key);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#worker.terminate();
  }

  #tell(): void {
    this.#worker.postMessage([...this.#names.values()], []);
  }
}
