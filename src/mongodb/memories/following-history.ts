import type { FileLineage, HistoryBackend, VersionText } from "../../core/history/history-backend.js";
import type { MemoryVersion, RevertTarget, VersionFilter } from "../../core/history/history.js";
import type { MemorySnapshot } from "../../core/tree/snapshot.js";

/** Runs a call on the history of the layout that keeps the memory. */
type RunOnHistory = <T>(act: "read" | "change", run: (history: HistoryBackend) => Promise<T>) => Promise<T>;

/** The history of a memory, wherever that is. The versions stay where they are when it moves, and keep their ids. */
export class FollowingHistory implements HistoryBackend {
  readonly #run: RunOnHistory;

  constructor(run: RunOnHistory) {
    this.#run = run;
  }

  page(filter: Omit<VersionFilter, "limit">, limit: number, olderThan: string | null): Promise<MemoryVersion[]> {
    return this.#run("read", (history) => history.page(filter, limit, olderThan));
  }

  read(id: string): Promise<MemoryVersion & { content: string | null }> {
    return this.#run("read", (history) => history.read(id));
  }

  at(id: string): Promise<MemorySnapshot> {
    return this.#run("read", (history) => history.at(id));
  }

  texts(from: string, to: string | null): Promise<{ from: VersionText; to: VersionText }> {
    return this.#run("read", (history) => history.texts(from, to));
  }

  lineage(path: string): Promise<FileLineage> {
    return this.#run("read", (history) => history.lineage(path));
  }

  revert(what: RevertTarget, force: boolean, checkPath: (path: string) => void): Promise<MemoryVersion[]> {
    return this.#run("change", (history) => history.revert(what, force, checkPath));
  }

  redact(ids: readonly string[], checkPath: (path: string) => void): Promise<number> {
    return this.#run("change", (history) => history.redact(ids, checkPath));
  }
}
