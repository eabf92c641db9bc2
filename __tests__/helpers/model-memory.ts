import { applyChange, type Change, type ChangeResult, MemoryTree } from "../../src/custom-backend/index.js";
import { MemoryError, type MemorySnapshot } from "../../src/index.js";

/** The memory with which every backend is compared: a tree in this process, changed by `applyChange`. */
export class ModelMemory {
  #tree = new MemoryTree({ files: [], directories: [], revision: null });

  constructor(files: ReadonlyMap<string, string> = new Map(), directories: Iterable<string> = []) {
    this.reset(files, directories);
  }

  /** Replaces the whole tree. */
  reset(files: ReadonlyMap<string, string>, directories: Iterable<string>): void {
    const times = { createdAt: new Date(0), updatedAt: new Date(0) };
    const createFile = ([path, content]: [string, string]): MemorySnapshot["files"][number] => {
      return { kind: "file", path, content, sizeBytes: Buffer.byteLength(content), ...times };
    };
    this.#tree = new MemoryTree({
      files: Array.from(files, createFile),
      directories: [...directories],
      revision: null,
    });
  }

  /** The texts by path. */
  get files(): Map<string, string> {
    return new Map([...this.#tree.files].map(([path, { content }]) => [path, content]));
  }

  get directories(): ReadonlySet<string> {
    return this.#tree.directories;
  }

  change(change: Change): ChangeResult {
    const { edits, result } = applyChange(this.#tree, change, { now: new Date(0), maxFileBytes: Infinity });
    this.#tree.commit(edits);
    return result;
  }

  read(path: string): string {
    return this.#tree.file(path).content;
  }

  list(path: string): { name: string; kind: string }[] {
    return this.#tree.list(path).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  stat(path: string): { kind: string; sizeBytes: number } | null {
    const stat = this.#tree.stat(path);
    return stat && { kind: stat.kind, sizeBytes: stat.sizeBytes };
  }

  append(path: string, content: string): void {
    this.change({ type: "append", path, content, create: true });
  }

  update(path: string, oldContent: string, content: string): number {
    if (oldContent === "") throw new MemoryError("EINVAL", "oldContent must not be empty");
    return this.change({ type: "update", path, oldContent, content }).replaced;
  }

  delete(path: string, ifDirectory: "delete" | "fail" = "delete"): { files: number; dirs: number } {
    return this.change({ type: "delete", path, ifDirectory }).deleted;
  }

  write(path: string, content: string, ifExists: "replace" | "fail", ifMissing: "create" | "fail"): number {
    return this.change({ type: "write", path, content, ifExists, ifMissing }).file?.sizeBytes ?? 0;
  }

  rename(path: string, to: string): void {
    if (path === "/" || to === "/") throw new MemoryError("EINVAL", "the root cannot be renamed");
    if (to.startsWith(`${path}/`)) throw new MemoryError("EINVAL", "a directory cannot be moved into itself");
    this.change({ type: "rename", path, to });
  }
}
