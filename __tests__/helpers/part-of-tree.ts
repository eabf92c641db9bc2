import {
  bind,
  type BindableMemory,
  bindMemory,
  getInternals,
  internals,
  type MemoryBinding,
} from "../../src/core/bind-memory.js";
import { MemoryError, type Memory, type MemoryOutline, type MemorySnapshot } from "../../src/index.js";

/**
 * Returns the part of a tree at and below a directory as a memory, so that the suites of memories run inside a mount.
 * Reason: the suites request everything at "/".
 */
export function partOfTree(tree: Memory, point: string, mounts: readonly string[]): Memory {
  return new PartOfTree(tree, point === "/" ? "" : point, new Set(mounts));
}

class PartOfTree implements BindableMemory {
  readonly history = null;
  readonly proposals = null;
  readonly #tree: Memory;
  readonly #prefix: string;
  /** Mount points, which the suites do not expect. */
  readonly #mounts: ReadonlySet<string>;

  constructor(tree: Memory, prefix: string, mounts: ReadonlySet<string>) {
    this.#tree = tree;
    this.#prefix = prefix;
    this.#mounts = mounts;
  }

  [internals](path: string) {
    return getInternals(this.#tree, this.#at(path));
  }

  get address() {
    return this.#tree.address;
  }

  get paths() {
    return this.#tree.paths;
  }

  read(path: string) {
    return this.#tree.read(this.#at(path));
  }

  async list(path?: string) {
    const isRoot = path === undefined || path === "" || path === "/";
    const entries = await this.#tree.list(isRoot ? this.#prefix || path : this.#at(path));
    return entries.filter(({ name }) => !isRoot || !this.#mounts.has(`${this.#prefix}/${name}`));
  }

  append(path: string, content: string) {
    return this.#tree.append(this.#at(path), content);
  }

  update(path: string, oldContent: string, content: string) {
    return this.#tree.update(this.#at(path), oldContent, content);
  }

  async delete(path: string, options?: { ifDirectory?: "delete" | "fail" }) {
    // A mount point cannot be deleted, so its memory is emptied entry by entry.
    if (this.#prefix === "" || path !== "/" || options?.ifDirectory === "fail")
      return this.#told(this.#tree.delete(this.#at(path), options));
    const counts = { files: 0, dirs: 0 };
    for (const { name } of await this.list("/")) {
      const { files, dirs } = await this.#told(this.#tree.delete(`${this.#prefix}/${name}`));
      counts.files += files;
      counts.dirs += dirs;
    }
    return counts;
  }

  write(path: string, content: string, options?: object) {
    return this.#tree.write(this.#at(path), content, options);
  }

  edit(path: string, change: (text: string) => string) {
    return this.#tree.edit(this.#at(path), change);
  }

  rename(from: string, to: string) {
    return from === "/" || to === "/"
      ? this.#tree.rename(from, to)
      : this.#told(this.#tree.rename(this.#at(from), this.#at(to)));
  }

  stat(path: string) {
    return this.#tree.stat(this.#at(path));
  }

  async snapshot() {
    return this.#part(await this.#tree.snapshot());
  }

  async outline(options?: { maxContentBytes?: number }) {
    return this.#part(await this.#tree.outline(options));
  }

  async search(query: string, options: Parameters<Memory["search"]>[1] = {}) {
    return this.#within(await this.#tree.search(query, { ...options, path: this.#at(options.path ?? "/") }));
  }

  async grep(pattern: string, options: Parameters<Memory["grep"]>[1] = {}) {
    return this.#within(await this.#tree.grep(pattern, { ...options, path: this.#at(options.path ?? "/") }));
  }

  with(use: Parameters<Memory["with"]>[0]): Memory {
    return new PartOfTree(this.#tree.with(use), this.#prefix, this.#mounts);
  }

  /** The paths of rules are paths of the part. */
  [bind](binding: MemoryBinding): Memory {
    const policies = binding.policies?.map((policy) => ({
      ...policy,
      rules: policy.rules.map((rule) => ({
        ...rule,
        fits: (path: string) => rule.fits(path.slice(this.#prefix.length)),
      })),
    }));
    return new PartOfTree(bindMemory(this.#tree, { ...binding, policies }), this.#prefix, this.#mounts);
  }

  /** Rewrites the path of a refusal, which is a path of the tree. */
  async #told<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!MemoryError.isInstance(error) || this.#prefix === "") throw error;
      throw new MemoryError(error.code, error.message.replaceAll(`${this.#prefix}/`, "/"), { cause: error });
    }
  }

  #at(path: string): string {
    return typeof path === "string" && path !== "" && this.#prefix !== "" ? `${this.#prefix}/${path}` : path;
  }

  #within<T extends { path: string }>(files: readonly T[]): T[] {
    const inside = files.filter(({ path }) => path.startsWith(`${this.#prefix}/`));
    return inside.map((file) => ({ ...file, path: file.path.slice(this.#prefix.length) }));
  }

  #part<T extends MemorySnapshot | MemoryOutline>(tree: T): T {
    const directories = tree.directories.filter(
      (path) => !this.#mounts.has(path) && path.startsWith(`${this.#prefix}/`),
    );
    const files: readonly { path: string }[] = tree.files;
    return {
      ...tree,
      files: this.#within(files),
      directories: directories.map((path) => path.slice(this.#prefix.length)),
    };
  }
}
