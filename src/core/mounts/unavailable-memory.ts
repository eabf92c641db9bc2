import { type CheckedPolicy, restrict, type RestrictableMemory } from "../access/access.js";
import type { CheckedAddress } from "../values/address.js";
import { MemoryError } from "../values/errors.js";
import type { DirectoryStat, Memory, MemoryChanges, MemoryOutline, MemorySnapshot, WatchOptions } from "../memory.js";
import type { MemoryUse } from "../settings/options.js";
import { type PathRule, ROOT } from "../values/paths.js";
import { watchNothing } from "../watch/watch-nothing.js";

/**
 * Stands in a tree for a memory that a run cannot have. What is asked of a path rejects with the reason, and its root
 * is a directory. What is asked of the whole tree goes on without it.
 */
class UnavailableMemory implements RestrictableMemory {
  readonly address: CheckedAddress;
  readonly paths: PathRule;
  readonly history = null;
  readonly #reason: MemoryError;

  constructor(reason: MemoryError, { address, paths }: Pick<Memory, "address" | "paths">) {
    this.address = address;
    this.paths = paths;
    this.#reason = reason;
  }

  read(path: string): Promise<never> {
    return this.#refuse(path);
  }

  readFiles(): Promise<never> {
    return this.#refuse(ROOT);
  }

  async findFiles(): Promise<[]> {
    return [];
  }

  list(path: string = ROOT): Promise<never> {
    return this.#refuse(path);
  }

  append(path: string): Promise<never> {
    return this.#refuse(path);
  }

  snapshotAndAppend(path: string): Promise<never> {
    return this.#refuse(path);
  }

  update(path: string): Promise<never> {
    return this.#refuse(path);
  }

  delete(path: string): Promise<never> {
    return this.#refuse(path);
  }

  write(path: string): Promise<never> {
    return this.#refuse(path);
  }

  edit(path: string): Promise<never> {
    return this.#refuse(path);
  }

  rename(from: string): Promise<never> {
    return this.#refuse(from);
  }

  async stat(path: string): Promise<DirectoryStat> {
    return path === ROOT ? { kind: "dir", sizeBytes: 0, createdAt: null, updatedAt: null } : this.#refuse(path);
  }

  async snapshot(): Promise<MemorySnapshot> {
    return { files: [], directories: [], revision: null };
  }

  async outline(): Promise<MemoryOutline> {
    return { files: [], directories: [], revision: null };
  }

  async search(): Promise<[]> {
    return [];
  }

  async grep(): Promise<[]> {
    return [];
  }

  watch(options?: WatchOptions): MemoryChanges {
    return watchNothing(options);
  }

  with({ paths = this.paths }: MemoryUse): UnavailableMemory {
    return new UnavailableMemory(this.#reason, { address: this.address, paths });
  }

  withPaths(paths: PathRule): UnavailableMemory {
    return this.with({ paths });
  }

  [restrict](_policy: CheckedPolicy): UnavailableMemory {
    return this;
  }

  async #refuse(path: string): Promise<never> {
    const { code, message } = this.#reason;
    // Of its own for each call: a tree tells its path by it.
    const error = new MemoryError(code, message, { cause: this.#reason });
    error.path = path;
    throw error;
  }
}

/** @param like a memory of the same tree, whose address and rule of names it shows, because it has none */
export function unavailableMemory(reason: MemoryError, like: Memory): Memory {
  return new UnavailableMemory(reason, like);
}
