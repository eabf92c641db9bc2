import { memoryBytesCeiling } from "../../core/memory-options.js";
import { fileTooLarge, memoryFull, type MemoryError } from "../../core/values/errors.js";
import { getCreationError, getParents } from "../../core/values/paths.js";
import { CommandError } from "../errors.js";
import type { OpenTarget } from "../targets/open-target.js";
import { findFolderConflict } from "./folder-name-check.js";
import type { Tree, TreeFile } from "./tree.js";

type Paths = Pick<Tree, "files" | "directories">;

/** Checks that a memory can take files and directories of a tree. Each check throws a CommandError. */
export class TransferCheck {
  readonly #open: OpenTarget;
  readonly #present: Paths;
  readonly #files: ReadonlySet<string>;
  readonly #directories: ReadonlySet<string>;

  constructor(open: OpenTarget, present: Paths) {
    this.#open = open;
    this.#present = present;
    this.#files = new Set(present.files.map(({ path }) => path));
    this.#directories = new Set(present.directories);
  }

  directories(paths: readonly string[]): void {
    for (const path of paths) {
      this.#checkName(path, this.#directories);
      if (this.#files.has(path)) throw this.#kindError(path, "a file");
    }
  }

  file({ path, sizeBytes }: TreeFile): void {
    if (sizeBytes > memoryBytesCeiling) throw this.#error(path, fileTooLarge(sizeBytes, memoryBytesCeiling));
    this.#checkName(path, this.#files);
    if (this.#directories.has(path)) throw this.#kindError(path, "a directory");
  }

  tree(tree: Paths): void {
    for (const path of getPaths(tree)) {
      const parent = getParents(path).find((directory) => this.#files.has(directory));
      if (parent !== undefined) throw this.#kindError(parent, "a file");
    }
    if (this.#open.stored !== null) return;
    const conflict = findFolderConflict(getPaths(this.#present), getPaths(tree));
    if (conflict !== null) throw this.#error(conflict.path, conflict.error, "rename it in the source, or use export");
  }

  /** A lower bound: keys and times come on top, which the storage counts. */
  total(added: readonly TreeFile[]): void {
    const { stored, name } = this.#open;
    if (stored === null) return;
    // The new size of a replaced file counts.
    const sizes = new Map([...this.#present.files, ...added].map(({ path, sizeBytes }) => [path, sizeBytes]));
    const totalBytes = [...sizes.values()].reduce((sum, sizeBytes) => sum + sizeBytes, 0);
    if (totalBytes <= memoryBytesCeiling) return;
    const { code, message } = memoryFull(totalBytes, memoryBytesCeiling);
    throw new CommandError(code, `${name}: ${message}`);
  }

  /** A present file may have any name. A new one follows the rule. */
  #checkName(path: string, present: ReadonlySet<string>): void {
    const error = present.has(path) ? null : getCreationError(path, this.#open.paths);
    if (error !== null) throw this.#error(path, error, "rename it in the source");
  }

  #kindError(path: string, present: "a file" | "a directory"): CommandError {
    const wanted = present === "a file" ? "a directory" : "a file";
    return new CommandError(
      present === "a file" ? "ENOTDIR" : "EISDIR",
      `${this.#open.name}: ${path} is ${present} there and ${wanted} in the source; move or remove one of them`,
    );
  }

  #error(path: string, error: MemoryError, advice?: string): CommandError {
    const message = `${this.#open.name}: ${path}: ${error.message}${advice === undefined ? "" : `; ${advice}`}`;
    return new CommandError(error.code, message, { cause: error });
  }
}

function getPaths({ files, directories }: Paths): string[] {
  return [...files.map(({ path }) => path), ...directories];
}
