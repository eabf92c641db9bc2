import { isClosedStorage, MemoryError } from "../values/errors.js";
import { withinTime } from "../runtime/call.js";
import type { VersionedSnapshot } from "../tree/snapshot.js";
import { Bell } from "./bell.js";
import { type ChangeListener } from "../contract/change-listener.js";
import {
  checkWatchOptions,
  type MemoryChange,
  type MemoryChanges,
  watchDefaults,
  type WatchOptions,
} from "./memory-changes.js";
import { changesBetween, nothingSeen, type SeenTree, seenTree } from "./seen-tree.js";

/** What a watch asks of a memory. */
export interface WatchedMemory {
  /** As of a backend; null where it keeps no count. */
  version(): Promise<string | null>;
  /** As of a backend. */
  snapshot(known: ReadonlyMap<string, string>): Promise<VersionedSnapshot>;
  /** Null where the storage does not tell of changes. */
  listen(): Promise<ChangeListener | null>;
  /** Calls `listener` after each change that this process makes. Returns what ends it. */
  listenHere(listener: () => void): () => void;
  /** If one aborts, the watch rejects with its reason. */
  signals: readonly AbortSignal[];
}

interface Seen extends SeenTree {
  version: string | null;
}

/**
 * Compares what a memory holds with what it held, whenever it may have changed. So nothing is told twice, and nothing
 * is lost to an outage, to a stream that broke, or to a consumer that takes its time: what it has not asked for yet is
 * not read either.
 *
 * @throws TypeError for bad options
 */
export function watchMemory(memory: WatchedMemory, options: WatchOptions = {}): MemoryChanges {
  checkWatchOptions(options);
  return new MemoryWatch(memory, options);
}

class MemoryWatch implements MemoryChanges {
  readonly ready: Promise<void>;
  readonly #memory: WatchedMemory;
  readonly #pollIntervalMs: number;
  readonly #bell = new Bell();
  readonly #end = new AbortController();
  /** What ends what listens to others for this watch. */
  #stops: (() => void)[] = [];
  readonly #changes: AsyncGenerator<MemoryChange, undefined>;
  #seen: Seen = { version: null, ...nothingSeen };
  /** Whether the storage tells of changes by itself. "later": it has broken off, and is asked again after a while. */
  #telling: "maybe" | "later" | "never" = "maybe";
  #listener: ChangeListener | null = null;
  /** Whether a call of its `heard` is under way. */
  #isListening = false;

  constructor(memory: WatchedMemory, { signal, pollIntervalMs = watchDefaults.pollIntervalMs }: WatchOptions) {
    this.#memory = memory;
    this.#pollIntervalMs = pollIntervalMs;
    // At once, also while the consumer is busy elsewhere, or never asks again.
    this.#end.signal.addEventListener("abort", () => this.#stop());
    if (signal?.aborted === true) this.#end.abort();
    else signal?.addEventListener("abort", () => this.#end.abort(), { once: true, signal: this.#end.signal });
    this.ready = this.#untilEnded(() => this.#look());
    // Whoever awaits neither this nor a change wants no error either.
    this.ready.catch(() => undefined);
    this.#changes = this.#tellAll();
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

  get #isOver(): boolean {
    return this.#end.signal.aborted;
  }

  async *#tellAll(): AsyncGenerator<MemoryChange, undefined> {
    const { ring } = this.#bell;
    if (!this.#isOver)
      this.#stops = [this.#memory.listenHere(ring), ...this.#memory.signals.map((signal) => onAbort(signal, ring))];
    try {
      await this.ready;
      while (!this.#isOver) {
        const before = this.#seen;
        const hasFailed = !(await this.#couldLook());
        for (const change of changesBetween(before, this.#seen)) {
          if (this.#isOver) return undefined;
          yield change;
        }
        if (!this.#isOver) await this.#wait(hasFailed);
      }
      return undefined;
    } finally {
      this.#end.abort();
    }
  }

  /** False where the storage has failed: what changes meanwhile is told when it is back. @throws what else there is */
  async #couldLook(): Promise<boolean> {
    try {
      await this.#untilEnded(async () => {
        // First, so that no change falls between the two.
        await this.#beginToListen();
        await this.#look();
      });
      return true;
    } catch (error) {
      if (MemoryError.isInstance(error) && error.code === "EIO" && !isClosedStorage(error)) return false;
      throw error;
    }
  }

  /** Runs what may take long, but waits for it no longer than the watch goes on. */
  async #untilEnded(run: () => Promise<void>): Promise<void> {
    try {
      await withinTime({ signals: [this.#end.signal], timeoutMs: Infinity }, "read", run);
    } catch (error) {
      if (!this.#isOver) throw error;
    }
  }

  async #look(): Promise<void> {
    for (const { aborted, reason } of this.#memory.signals) if (aborted) throw reason;
    // Before the texts: what is kept with it may be newer, and then the next look reads again, but it is never older.
    const version = await this.#memory.version();
    if (version !== null && version === this.#seen.version) return;
    this.#seen = { version, ...seenTree(await this.#memory.snapshot(this.#seen.versions), this.#seen) };
  }

  /** Until something may have changed. */
  async #wait(hasFailed: boolean): Promise<void> {
    const isPausing = this.#telling === "later";
    if (this.#listener !== null && !this.#isListening) this.#listen(this.#listener);
    // A secondary may answer what was before.
    const isBehind = this.#listener !== null && this.#listener.latest !== this.#seen.version;
    const polls = this.#listener === null || isBehind || hasFailed;
    const timer = polls ? setTimeout(this.#bell.ring, this.#pollIntervalMs) : undefined;
    await this.#bell.heard();
    clearTimeout(timer);
    if (isPausing) this.#telling = "maybe";
  }

  async #beginToListen(): Promise<void> {
    if (this.#listener !== null || this.#telling !== "maybe") return;
    const listener = await this.#memory.listen();
    if (listener === null) this.#telling = "never";
    else if (this.#isOver) listener.close();
    else this.#listener = listener;
  }

  #listen(listener: ChangeListener): void {
    this.#isListening = true;
    const settle = (outcome: "changed" | "renew" | "deaf" | "failed"): void => {
      this.#isListening = false;
      if (outcome !== "changed") this.#closeListener();
      if (outcome === "deaf") this.#telling = "never";
      if (outcome === "failed") this.#telling = "later";
      this.#bell.ring();
    };
    listener.heard(() => this.#seen.version).then(settle, () => settle("failed"));
  }

  #stop(): void {
    this.#closeListener();
    for (const stop of this.#stops) stop();
    this.#stops = [];
    this.#bell.ring();
  }

  #closeListener(): void {
    this.#listener?.close();
    this.#listener = null;
  }
}

function onAbort(signal: AbortSignal, listener: () => void): () => void {
  signal.addEventListener("abort", listener);
  return () => signal.removeEventListener("abort", listener);
}
