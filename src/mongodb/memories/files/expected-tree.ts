import { fileTooLarge, parentIsFile, pathIsDirectory } from "../../../core/values/errors.js";
import type { MemoryOptions } from "../../../core/memory-options.js";
import { creationFault, parentsOf, prefixOf } from "../../../core/values/paths.js";
import { utf8Bytes } from "../../../core/values/text.js";
import { directoryNotEmpty, type PlannedChange } from "../layout.js";

/**
 * What is at the paths that changes concern, as it will be after the changes so far; refuses what the next one would be
 * refused for.
 */
export class ExpectedTree {
  readonly #kinds: Map<string, "file" | "dir">;
  readonly #options: Required<MemoryOptions>;

  /**
   * @param kinds of all paths that the changes name, of their parents, and of what lies in directories that are deleted
   */
  constructor(kinds: ReadonlyMap<string, "file" | "dir">, options: Required<MemoryOptions>) {
    this.#kinds = new Map(kinds);
    this.#options = options;
  }

  apply(change: PlannedChange): void {
    if (change.kind === "put") this.#put(change.path, change.content);
    else if (change.kind === "deleteFile") this.#delete(change.path, "file");
    else this.#deleteDirectory(change.path);
  }

  #put(path: string, content: string): void {
    const { maxFileBytes, paths } = this.#options;
    const sizeBytes = utf8Bytes(content);
    if (sizeBytes > maxFileBytes) throw fileTooLarge(sizeBytes, maxFileBytes);
    const present = this.#kinds.get(path);
    if (present === "dir") throw pathIsDirectory();
    if (present === "file") return;
    const fault = creationFault(path, paths);
    if (fault) throw fault;
    for (const parent of parentsOf(path)) {
      if (this.#kinds.get(parent) === "file") throw parentIsFile();
      this.#kinds.set(parent, "dir");
    }
    this.#kinds.set(path, "file");
  }

  #deleteDirectory(path: string): void {
    if (this.#kinds.get(path) !== "dir") return;
    for (const other of this.#kinds.keys()) if (other.startsWith(prefixOf(path))) throw directoryNotEmpty();
    this.#delete(path, "dir");
  }

  #delete(path: string, kind: "file" | "dir"): void {
    if (this.#kinds.get(path) === kind) this.#kinds.delete(path);
  }
}
