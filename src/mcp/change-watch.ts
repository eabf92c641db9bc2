import type { Memory, MemoryChange as Change } from "../core/memory.js";

export interface ResourceChange {
  /** Whether files were created or deleted. */
  isListChanged: boolean;
  /** Every file that was created, deleted or changed. */
  paths: ReadonlySet<string>;
}

export interface Watcher {
  /** Returns false if the watcher is to be removed. Checked before each refresh. */
  isOpen(): boolean;
  /** Whether the watcher receives changes of texts, and changes by other processes. */
  isSubscribed(): boolean;
  notify(change: ResourceChange): void;
}

/**
 * Notifies watchers of changes in a memory. While a watcher is subscribed, the memory is watched. Otherwise the list of
 * files is compared after each change made through this server.
 */
export class ChangeWatch {
  readonly #openMemory: () => Promise<Memory>;
  readonly #intervalMs: number;
  readonly #watchers = new Set<Watcher>();
  #running: { end: AbortController; begun: Promise<void> } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The files of the last list, if no watcher is subscribed. */
  #listed: ReadonlySet<string> | undefined;
  #comparison: Promise<void> = Promise.resolve();
  #nextComparison: Promise<void> | undefined;
  #isClosed = false;

  constructor(openMemory: () => Promise<Memory>, intervalMs: number) {
    this.#openMemory = openMemory;
    this.#intervalMs = intervalMs;
  }

  add(watcher: Watcher): void {
    this.#removeClosed();
    if (!this.#isClosed) this.#watchers.add(watcher);
  }

  /** Starts the watch for a watcher that is added before the next turn of the event loop. It misses no change. */
  async begin(): Promise<void> {
    let isPending = true;
    this.add({ isOpen: () => isPending, isSubscribed: () => true, notify: () => {} });
    // If the refresh fails, the next one starts the watch, and reports changes from then on.
    await this.refresh().catch(() => {});
    setImmediate(() => {
      isPending = false;
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#watchers.clear();
    this.#stop();
  }

  /**
   * Starts, continues or ends the watch, as the watchers need it. A caller adds a watcher, then awaits this method.
   * After that the watcher misses no change.
   *
   * @throws MemoryErrors of `Memory.outline`. The next refresh reports the changes that this one missed
   */
  async refresh(): Promise<void> {
    this.#removeClosed();
    const isSubscribed = Array.from(this.#watchers).some((watcher) => watcher.isSubscribed());
    if (!isSubscribed) this.#stop();
    if (this.#watchers.size === 0) this.#listed = undefined;
    else await (isSubscribed ? this.#run() : this.#compareLists());
  }

  #run(): Promise<void> {
    const end = new AbortController();
    this.#running ??= { end, begun: this.#begin(end) };
    // The timer ends the watch if no watcher is subscribed any more, and begins it again if it has failed.
    this.#timer ??= setInterval(() => void this.refresh().catch(() => undefined), this.#intervalMs).unref();
    return this.#running.begun;
  }

  async #begin(end: AbortController): Promise<void> {
    try {
      const memory = await this.#openMemory();
      const changes = memory.watch({ signal: end.signal, pollIntervalMs: this.#intervalMs });
      await changes.ready;
      void this.#passOn(changes).finally(() => this.#clear(end));
    } catch (error) {
      this.#clear(end);
      throw error;
    }
  }

  async #passOn(changes: AsyncIterable<Change>): Promise<void> {
    let pending: Change[] = [];
    const flush = (): void => {
      const isListChanged = pending.some(({ operation }) => operation !== "modified");
      const paths = new Set(pending.map(({ path }) => path));
      pending = [];
      this.#notify({ isListChanged, paths });
    };
    try {
      for await (const change of changes) {
        if (change.kind === "dir") continue;
        // Changes that arrive together become one notification.
        if (pending.length === 0) setImmediate(flush);
        pending.push(change);
      }
    } catch {
      // The timer starts a new watch.
    }
  }

  #clear(end: AbortController): void {
    if (this.#running?.end === end) this.#running = undefined;
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#running?.end.abort();
    this.#running = undefined;
  }

  /** Compares after the running comparison has ended, so it sees all earlier changes. Waiting calls share one. */
  #compareLists(): Promise<void> {
    this.#nextComparison ??= this.#comparison.then(() => {
      this.#nextComparison = undefined;
      return this.#compareListsNow();
    });
    this.#comparison = this.#nextComparison.catch(() => {});
    return this.#nextComparison;
  }

  async #compareListsNow(): Promise<void> {
    const { files } = await (await this.#openMemory()).outline();
    const now = new Set(files.map(({ path }) => path));
    const before = this.#listed ?? now;
    this.#listed = now;
    const paths = new Set([...now, ...before].filter((path) => !now.has(path) || !before.has(path)));
    if (paths.size > 0) this.#notify({ isListChanged: true, paths });
  }

  #notify(change: ResourceChange): void {
    this.#removeClosed();
    for (const watcher of this.#watchers) watcher.notify(change);
  }

  #removeClosed(): void {
    for (const watcher of this.#watchers) if (!watcher.isOpen()) this.#watchers.delete(watcher);
  }
}
