import type { ChangeListener } from "../contract/backend.js";
import { withinTime } from "../runtime/call.js";
import { addListener, removeListener } from "../runtime/signal-listeners.js";
import type { VersionedSnapshot } from "../tree/snapshot.js";
import { hasCode, isClosedStorage } from "../values/errors.js";
import {
  type CheckedWatchOptions,
  checkWatchOptions,
  type MemoryChange,
  type MemoryChanges,
  type WatchOptions,
} from "./memory-changes.js";
import { Signal } from "./signal.js";
import { compareTrees, createWatchedTree, emptyWatchedTree, type WatchedTree } from "./watched-tree.js";

/** The methods of a memory that a watch needs. */
export interface WatchedMemory {
  /** Returns the backend's `version`, or null if the backend keeps no count. */
  version(): Promise<string | null>;
  /** Returns the backend's snapshot, without the texts of the known versions. */
  snapshot(known: ReadonlyMap<string, string>): Promise<VersionedSnapshot>;
  /** Returns null if the storage does not report changes. */
  listen(): Promise<ChangeListener | null>;
  /** Calls `listener` after each change that this process makes. @returns a function that stops this */
  listenHere(listener: () => void): () => void;
  /** If one aborts, the watch rejects with its reason. */
  signals: readonly AbortSignal[];
}

interface PolledTree extends WatchedTree {
  version: string | null;
}

/**
 * Watches a memory by comparing it with its state at the last poll, whenever it may have changed. So nothing is
 * reported twice, and nothing is lost by an outage, a broken stream, or a slow consumer: the next poll waits until the
 * consumer has requested all changes of the last poll.
 *
 * @throws TypeError for bad options
 */
export function watchMemory(memory: WatchedMemory, options: WatchOptions = {}): MemoryChanges {
  return new MemoryWatch(memory, checkWatchOptions(options));
}

class MemoryWatch implements MemoryChanges {
  readonly ready: Promise<void>;
  readonly #memory: WatchedMemory;
  readonly #pollIntervalMs: number;
  readonly #signal = new Signal();
  readonly #end = new AbortController();
  /** Functions that remove the listeners of this watch. */
  readonly #stops: (() => void)[] = [];
  readonly #changes: AsyncGenerator<MemoryChange, undefined>;
  #polled: PolledTree = { version: null, ...emptyWatchedTree };
  /**
   * Whether the storage reports changes. "paused": the listener has failed, and is opened again after the next wait.
   */
  #listening: "possible" | "paused" | "unsupported" = "possible";
  #listener: ChangeListener | null = null;
  /** Whether the listener is waiting for a change. */
  #isReceiving = false;

  constructor(memory: WatchedMemory, { signal, pollIntervalMs }: CheckedWatchOptions) {
    this.#memory = memory;
    this.#pollIntervalMs = pollIntervalMs;
    // The watch stops at once, even if the consumer is busy or never requests a change again.
    this.#end.signal.addEventListener("abort", () => this.#stop());
    if (signal?.aborted === true) this.#end.abort();
    else if (signal !== undefined) this.#stops.push(listenTo(signal, () => this.#end.abort()));
    this.ready = this.#untilEnded(() => this.#poll());
    // A consumer may await neither `ready` nor a change. Then there must be no unhandled rejection, and no listener.
    this.ready.catch(() => this.#end.abort());
    this.#changes = this.#generateChanges();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<MemoryChange, undefined>> {
    return this.#changes.next();
  }

  return(): Promise<IteratorResult<MemoryChange, undefined>> {
    this.#end.abort();
    return this.#changes.return(undefined);
  }

  get #hasEnded(): boolean {
    return this.#end.signal.aborted;
  }

  async *#generateChanges(): AsyncGenerator<MemoryChange, undefined> {
    const { notify } = this.#signal;
    if (!this.#hasEnded)
      this.#stops.push(this.#memory.listenHere(notify), ...this.#memory.signals.map((each) => listenTo(each, notify)));
    try {
      await this.ready;
      while (!this.#hasEnded) {
        const before = this.#polled;
        const hasFailed = !(await this.#tryToPoll());
        for (const change of compareTrees(before, this.#polled)) {
          if (this.#hasEnded) return undefined;
          yield change;
        }
        if (!this.#hasEnded) await this.#wait(hasFailed);
      }
      return undefined;
    } finally {
      this.#end.abort();
    }
  }

  /**
   * Returns false if the storage has failed: the changes are reported when it works again. @throws every other error
   */
  async #tryToPoll(): Promise<boolean> {
    try {
      await this.#untilEnded(async () => {
        // The listener is opened before the poll, so that no change is lost between the two.
        await this.#openListener();
        await this.#poll();
      });
      return true;
    } catch (error) {
      if (hasCode(error, "EIO") && !isClosedStorage(error)) return false;
      throw error;
    }
  }

  /** Runs a task that may take long, and stops waiting for it when the watch ends. */
  async #untilEnded(run: () => Promise<void>): Promise<void> {
    try {
      await withinTime({ signals: [this.#end.signal], timeoutMs: Infinity }, "read", run);
    } catch (error) {
      if (!this.#hasEnded) throw error;
    }
  }

  async #poll(): Promise<void> {
    for (const { aborted, reason } of this.#memory.signals) if (aborted) throw reason;
    // The version is read before the texts. So the texts may be newer than the version, and then the next poll reads
    // them again; but they are never older.
    const version = await this.#memory.version();
    if (version !== null && version === this.#polled.version) return;
    const snapshot = await this.#memory.snapshot(this.#polled.versions);
    this.#polled = { version, ...createWatchedTree(snapshot, this.#polled) };
  }

  /** Waits until something may have changed. */
  async #wait(hasFailed: boolean): Promise<void> {
    const isPaused = this.#listening === "paused";
    if (this.#listener !== null && !this.#isReceiving) this.#receive(this.#listener);
    const timer =
      this.#listener === null || hasFailed ? setTimeout(this.#signal.notify, this.#pollIntervalMs) : undefined;
    await this.#signal.wait();
    clearTimeout(timer);
    if (isPaused) this.#listening = "possible";
  }

  async #openListener(): Promise<void> {
    if (this.#listener !== null || this.#listening !== "possible") return;
    const listener = await this.#memory.listen();
    if (listener === null) this.#listening = "unsupported";
    else if (this.#hasEnded) listener.close();
    else this.#listener = listener;
  }

  #receive(listener: ChangeListener): void {
    this.#isReceiving = true;
    const settle = (outcome: "changed" | "unsupported" | "failed"): void => {
      this.#isReceiving = false;
      if (outcome !== "changed") this.#closeListener();
      if (outcome === "unsupported") this.#listening = "unsupported";
      if (outcome === "failed") this.#listening = "paused";
      this.#signal.notify();
    };
    listener.nextChange().then(settle, () => settle("failed"));
  }

  #stop(): void {
    this.#closeListener();
    for (const stop of this.#stops.splice(0)) stop();
    this.#signal.notify();
  }

  #closeListener(): void {
    this.#listener?.close();
    this.#listener = null;
  }
}

function listenTo(signal: AbortSignal, notify: () => void): () => void {
  // Two watches share a listener, but no function.
  const listener = (): void => notify();
  addListener(signal, listener);
  return () => removeListener(signal, listener);
}
