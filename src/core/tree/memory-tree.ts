import { wrongArgument } from "../settings/wrong-argument.js";
import { directoryNotFound, fileNotFound, pathIsDirectory, pathIsFile } from "../values/errors.js";
import type {
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
  SnapshotFile,
} from "./snapshot.js";
import { collectDirectories, ROOT, isWithin } from "../values/paths.js";
import { compareCodeUnits } from "../values/text.js";
import { isRecord } from "../values/unknown-values.js";

/** The edits of a change, in this order: removals, then all moves at once, then new directories and texts. */
export interface TreeEdits {
  /** Files and directories, each by its own path. */
  readonly removed: readonly string[];
  /** Files and directories, each by its own path. A moved file stays the same file. */
  readonly moved: readonly { path: string; to: string }[];
  /** Directories that are created. */
  readonly directories: readonly string[];
  /** Files that are created, or whose text is replaced. */
  readonly files: readonly SnapshotFile[];
}

export const noEdits: TreeEdits = { removed: [], moved: [], directories: [], files: [] };

export function hasNoEdits({ removed, moved, directories, files }: TreeEdits): boolean {
  return removed.length + moved.length + directories.length + files.length === 0;
}

/**
 * Files and directories by path. The tree answers every read like a memory, for storages that read a whole memory. Only
 * `commit` changes the tree. A storage may load only a part; other paths are then missing.
 */
export class MemoryTree {
  readonly #files: Map<string, SnapshotFile>;
  readonly #directories: Set<string>;
  readonly #revision: number | null;
  /** The children of each directory. Null until they are listed, and after a change. */
  #children: ReadonlyMap<string, readonly MemoryEntry[]> | null = null;

  /**
   * @param snapshot may leave out directories that contain a file or another directory
   * @throws TypeError for anything but a snapshot
   */
  constructor(snapshot: Partial<MemorySnapshot> = {}) {
    const { files = [], directories = [], revision = null } = { ...snapshot };
    if (!isRecord(snapshot) || !Array.isArray(files) || !Array.isArray(directories))
      throw wrongArgument("MemoryTree: snapshot", "an object { files?, directories?, revision? }", snapshot);
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.#directories = collectDirectories([...this.#files.keys(), ...directories]);
    for (const path of directories) this.#directories.add(path);
    this.#revision = revision;
  }

  /** Returns every file by its path. */
  get files(): ReadonlyMap<string, SnapshotFile> {
    return this.#files;
  }

  /** Returns every directory but the root, including directories that are known only from the path of a file. */
  get directories(): ReadonlySet<string> {
    return this.#directories;
  }

  /** Returns null for a missing path. The root is a directory. */
  kind(path: string): "file" | "dir" | null {
    if (this.files.has(path)) return "file";
    return this.isDirectory(path) ? "dir" : null;
  }

  /** Returns true for the root too. */
  isDirectory(path: string): boolean {
    return path === ROOT || this.directories.has(path);
  }

  /** @throws ENOENT, EISDIR */
  file(path: string): SnapshotFile {
    const file = this.files.get(path);
    if (file) return file;
    throw this.isDirectory(path) ? pathIsDirectory() : fileNotFound();
  }

  /** Returns `path` itself and everything below it, but never the root. */
  within(path: string): { files: SnapshotFile[]; directories: string[] } {
    return {
      files: [...this.files.values()].filter((file) => isWithin(file.path, path)),
      directories: [...this.directories].filter((directory) => isWithin(directory, path)),
    };
  }

  /** Returns the sorted paths of `within`. */
  pathsWithin(path: string): string[] {
    if (this.files.has(path)) return [path];
    const { files, directories } = this.within(path);
    return [...files.map((file) => file.path), ...directories].toSorted(compareCodeUnits);
  }

  /** Returns the tree after the edits of a change. This one stays as it is. */
  after(edits: TreeEdits): MemoryTree {
    const after = new MemoryTree(this.snapshot());
    after.commit(edits);
    return after;
  }

  /** Makes the edits of a change. @throws TypeError for anything else */
  commit(edits: TreeEdits): void {
    const { removed, moved, directories, files } = { ...edits };
    if (![removed, moved, directories, files].every(Array.isArray))
      throw wrongArgument("MemoryTree: edits", "edits as applyChange returns them", edits);
    this.#children = null;
    for (const path of removed) this.#remove(path);
    const movedFiles = moved.map(({ path, to }) => ({ to, file: this.files.get(path) }));
    for (const { path } of moved) this.#remove(path);
    for (const { to, file } of movedFiles) {
      if (file === undefined) this.#directories.add(to);
      else this.#files.set(to, { ...file, path: to });
    }
    for (const path of directories) this.#directories.add(path);
    for (const file of files) this.#files.set(file.path, file);
  }

  #remove(path: string): void {
    this.#files.delete(path);
    this.#directories.delete(path);
  }

  /** Returns the immediate children in any order. @throws ENOENT, ENOTDIR */
  list(path: string): MemoryEntry[] {
    if (this.files.has(path)) throw pathIsFile();
    if (!this.isDirectory(path)) throw directoryNotFound();
    this.#children ??= listChildren(this);
    return (this.#children.get(path) ?? []).map((entry) => ({ ...entry }));
  }

  /** Returns null for a missing path. The root is a directory. */
  stat(path: string): MemoryStat | null {
    const file = this.files.get(path);
    if (file) {
      const { kind, sizeBytes, createdAt, updatedAt } = file;
      return { kind, sizeBytes, createdAt, updatedAt };
    }
    if (!this.isDirectory(path)) return null;
    return { kind: "dir", sizeBytes: sumBytes(this.within(path).files), createdAt: null, updatedAt: null };
  }

  /** Returns every file and directory but the root. The file objects are the ones that the tree was made from. */
  snapshot(): MemorySnapshot {
    return { files: [...this.files.values()], directories: [...this.directories], revision: this.#revision };
  }

  /** Returns the whole outline. Implements the method of a backend. */
  outline(options: OutlineOptions = {}): MemoryOutline {
    const { maxContentBytes = 0, leadChars = 0 } = { ...options };
    const { files, ...rest } = this.snapshot();
    const withContents = sumBytes(files) <= maxContentBytes;
    return {
      files: files.map(({ path, sizeBytes, content }) => ({
        path,
        sizeBytes,
        ...(withContents && { content }),
        ...(leadChars > 0 && { lead: content.slice(0, leadChars) }),
      })),
      ...rest,
    };
  }
}

function listChildren({ files, directories }: MemoryTree): Map<string, MemoryEntry[]> {
  const children = new Map<string, MemoryEntry[]>();
  const add = (path: string, kind: MemoryEntry["kind"]): void => {
    const end = path.lastIndexOf("/");
    const directory = path.slice(0, end) || ROOT;
    const entry = { name: path.slice(end + 1), kind };
    const others = children.get(directory);
    if (others === undefined) children.set(directory, [entry]);
    else others.push(entry);
  };
  for (const path of directories) add(path, "dir");
  for (const path of files.keys()) add(path, "file");
  return children;
}

export function sumBytes(files: readonly { sizeBytes: number }[]): number {
  return files.reduce((sum, file) => sum + file.sizeBytes, 0);
}
