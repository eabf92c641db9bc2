import type { Memory, MemoryChange as Change } from "../core/memory.js";

export interface MemoryChange {
  /** Whether files came or went. */
  isListChanged: boolean;
  /** Every file that came, went or has another text. */
  paths: ReadonlySet<string>;
}

export interface Watcher {
  /** Asked before each look; one that is closed is forgotten. */
  isOpen(): boolean;
  /** Whether it wants to know of each file's text, and of changes by other processes. */
  isSubscribed(): boolean;
  tell(change: MemoryChange): void;
}

/**
 * Tells all watchers what changes in a memory. While somebody is subscribed, the memory is watched. For those who only
 * have a list of the files, it looks after each change made through this server.
 */
export class ChangeWatch {
  readonly #openMemory: () => Promise<Memory>;
  readonly #intervalMs: number;
  readonly #watchers = new Set<Watcher>();
  #running: { end: AbortController; begun: Promise<void> } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The files of the last list, where nobody is subscribed. */
  #listed: ReadonlySet<string> | undefined;
  #looking: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #isClosed = false;

  constructor(openMemory: () => Promise<Memory>, intervalMs: number) {
    this.#openMemory = openMemory;
    this.#intervalMs = intervalMs;
  }

  add(watcher: Watcher): void {
    this.#forgetClosed();
    if (!this.#isClosed) this.#watchers.add(watcher);
  }

  close(): void {
    this.#isClosed = true;
    this.#watchers.clear();
    this.#stop();
  }

  /**
   * After the first look of a watcher nothing escapes it, so that whoever begins to watch adds itself, then awaits one.
   *
   * @throws MemoryError as `Memory.outline`; the next look tells what this one could not
   */
  async look(): Promise<void> {
    this.#forgetClosed();
    if (!this.#hasSubscribers()) this.#stop();
    if (this.#watchers.size === 0) this.#listed = undefined;
    else if (this.#hasSubscribers()) await this.#run();
    else await this.#lookAtList();
  }

  #run(): Promise<void> {
    if (this.#running !== undefined) return this.#running.begun;
    const end = new AbortController();
    const begun = this.#begin(end);
    this.#running = { end, begun };
    // Ends the watch where nobody needs it any more, goes on for those who have the list, and begins anew where it has
    // failed.
    this.#timer ??= setInterval(() => void this.look().catch(() => undefined), this.#intervalMs).unref();
    return begun;
  }

  async #begin(end: AbortController): Promise<void> {
    try {
      const memory = await this.#openMemory();
      const changes = memory.watch({ signal: end.signal, pollIntervalMs: this.#intervalMs });
      await changes.ready;
      void this.#tellAll(changes, end);
    } catch (error) {
      this.#ended(end);
      throw error;
    }
  }

  async #tellAll(changes: AsyncIterable<Change>, end: AbortController): Promise<void> {
    let pending: Change[] = [];
    const flush = (): void => {
      const change = {
        isListChanged: pending.some(({ operation }) => operation !== "modified"),
        paths: new Set(pending.map(({ path }) => path)),
      };
      pending = [];
      this.#tell(change);
    };
    try {
      for await (const change of changes) {
        if (change.kind === "dir") continue;
        // What one look has found is told together.
        if (pending.length === 0) setImmediate(flush);
        pending.push(change);
      }
    } catch {
      // The timer begins anew.
    }
    this.#ended(end);
  }

  #ended(end: AbortController): void {
    if (this.#running?.end === end) this.#running = undefined;
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#running?.end.abort();
    this.#running = undefined;
  }

  /**
   * Looks once the look under way is over: what was changed before this call is seen. Calls that wait share one look.
   */
  #lookAtList(): Promise<void> {
    if (this.#next === undefined) {
      this.#next = this.#looking.then(() => {
        this.#next = undefined;
        return this.#lookAtListNow();
      });
      this.#looking = this.#next.catch(() => {});
    }
    return this.#next;
  }

  async #lookAtListNow(): Promise<void> {
    const { files } = await (await this.#openMemory()).outline();
    const before = this.#listed;
    const now = new Set(files.map(({ path }) => path));
    this.#listed = now;
    const paths = new Set(
      before === undefined ? [] : [...now, ...before].filter((path) => !now.has(path) || !before.has(path)),
    );
    if (paths.size > 0) this.#tell({ isListChanged: true, paths });
  }

  #tell(change: MemoryChange): void {
    this.#forgetClosed();
    for (const watcher of this.#watchers) watcher.tell(change);
  }

  #forgetClosed(): void {
    for (const watcher of this.#watchers) if (!watcher.isOpen()) this.#watchers.delete(watcher);
  }

  #hasSubscribers(): boolean {
    return Array.from(this.#watchers).some((watcher) => watcher.isOpen() && watcher.isSubscribed());
  }
}
