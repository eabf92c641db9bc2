import { createHash } from "node:crypto";
import type { Memory, OutlineFile } from "../core/memory.js";

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

interface SeenFile {
  sizeBytes: number;
  /** Of the text; undefined where no watcher asked for texts. */
  digest: string | undefined;
}

interface SeenTree {
  revision: number | null;
  hasDigests: boolean;
  files: Map<string, SeenFile>;
}

/**
 * Finds out what has changed in a memory since the last look, and tells it to all watchers: after each change made through
 * this server, and every `intervalMs` while somebody is subscribed. One look serves all clients.
 */
export class ChangeWatch {
  readonly #openMemory: () => Promise<Memory>;
  readonly #intervalMs: number;
  readonly #watchers = new Set<Watcher>();
  #seen: SeenTree | undefined;
  #timer: NodeJS.Timeout | undefined;
  #current: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #isClosed = false;

  constructor(openMemory: () => Promise<Memory>, intervalMs: number) {
    this.#openMemory = openMemory;
    this.#intervalMs = intervalMs;
  }

  add(watcher: Watcher): void {
    this.#forgetClosed();
    this.#watchers.add(watcher);
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    this.#watchers.clear();
    clearTimeout(this.#timer);
  }

  /**
   * Looks once the look under way is over: what was changed before this call is seen. Calls that wait share one look.
   * After the first look of a watcher nothing escapes it, so that whoever begins to watch adds itself, then awaits one.
   *
   * @throws MemoryError as `Memory.outline`; the next look tells what this one could not
   */
  look(): Promise<void> {
    if (this.#next === undefined) {
      this.#next = this.#current.then(() => {
        this.#next = undefined;
        return this.#lookNow();
      });
      this.#current = this.#next.catch(() => {});
    }
    return this.#next;
  }

  async #lookNow(): Promise<void> {
    this.#forgetClosed();
    if (this.#isClosed) return;
    if (this.#watchers.size === 0) {
      this.#seen = undefined;
      return;
    }
    const needsDigests = this.#hasSubscribers();
    const memory = await this.#openMemory();
    const outline = await memory.outline();
    const before = this.#seen;
    const isSame = before !== undefined && before.revision !== null && before.revision === outline.revision;
    if (isSame && (before.hasDigests || !needsDigests)) return;
    const now = seenTree(needsDigests ? await memory.snapshot() : outline, needsDigests);
    this.#seen = now;
    const change = before && changesBetween(before, now);
    if (change === undefined || change.paths.size === 0) return;
    for (const watcher of this.#watchers) watcher.tell(change);
  }

  #forgetClosed(): void {
    for (const watcher of this.#watchers) if (!watcher.isOpen()) this.#watchers.delete(watcher);
  }

  #hasSubscribers(): boolean {
    return Array.from(this.#watchers).some((watcher) => watcher.isOpen() && watcher.isSubscribed());
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isClosed || !this.#hasSubscribers()) return;
    this.#timer = setTimeout(() => void this.#poll(), this.#intervalMs).unref();
  }

  async #poll(): Promise<void> {
    try {
      if (this.#hasSubscribers()) await this.look();
    } catch {
      // What is not seen now is seen by the next look: what was seen before is kept.
    }
    this.#timer = undefined;
    this.#schedule();
  }
}

function seenTree(tree: { revision: number | null; files: OutlineFile[] }, hasDigests: boolean): SeenTree {
  const files = new Map(
    tree.files.map(({ path, sizeBytes, content }) => [
      path,
      { sizeBytes, digest: hasDigests && content !== undefined ? textDigest(content) : undefined },
    ]),
  );
  return { revision: tree.revision, hasDigests, files };
}

function textDigest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

function changesBetween(before: SeenTree, now: SeenTree): MemoryChange {
  const came = [...now.files.keys()].filter((path) => !before.files.has(path));
  const went = [...before.files.keys()].filter((path) => !now.files.has(path));
  const changed = [...now.files].filter(([path, file]) => differ(before.files.get(path), file)).map(([path]) => path);
  return { isListChanged: came.length + went.length > 0, paths: new Set([...came, ...went, ...changed]) };
}

function differ(before: SeenFile | undefined, now: SeenFile): boolean {
  if (before === undefined) return false;
  if (before.sizeBytes !== now.sizeBytes) return true;
  return before.digest !== undefined && now.digest !== undefined && before.digest !== now.digest;
}
