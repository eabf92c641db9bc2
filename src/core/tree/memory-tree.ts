import { directoryNotFound, fileNotFound, pathIsDirectory, pathIsFile } from "../values/errors.js";
import type {
  MemoryEntry,
  MemoryOutline,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
  SnapshotFile,
} from "../memory.js";
import { parentsOf, prefixOf, ROOT } from "../values/paths.js";

/**
 * Answers every reading command from a snapshot, for storages that read a memory as a whole. It never changes: make a
 * new one for each command.
 */
export class MemoryTree {
  readonly files: ReadonlyMap<string, SnapshotFile>;
  /** Every directory but the root, those included that only a file below them shows. */
  readonly directories: ReadonlySet<string>;
  readonly #revision: number | null;

  /** The snapshot may leave out directories that a file or another directory lies in. */
  constructor({ files, directories, revision }: MemorySnapshot) {
    this.files = new Map(files.map((file) => [file.path, file]));
    const parents = [...files.map((file) => file.path), ...directories].flatMap(parentsOf);
    this.directories = new Set([...directories, ...parents]);
    this.#revision = revision;
  }

  /** True for the root too. */
  isDirectory(path: string): boolean {
    return path === ROOT || this.directories.has(path);
  }

  /** The file at `path`. @throws ENOENT, EISDIR */
  file(path: string): SnapshotFile {
    const file = this.files.get(path);
    if (file) return file;
    throw this.isDirectory(path) ? pathIsDirectory() : fileNotFound();
  }

  /** `path` itself and all below it; never the root. */
  within(path: string): { files: SnapshotFile[]; directories: string[] } {
    const isWithin = (other: string): boolean => other === path || other.startsWith(prefixOf(path));
    return {
      files: [...this.files.values()].filter((file) => isWithin(file.path)),
      directories: [...this.directories].filter(isWithin),
    };
  }

  /** The same by their paths, files first. */
  pathsWithin(path: string): string[] {
    const { files, directories } = this.within(path);
    return [...files.map((file) => file.path), ...directories];
  }

  /** Immediate children, in no order. @throws ENOENT, ENOTDIR */
  list(path: string): MemoryEntry[] {
    if (this.files.has(path)) throw pathIsFile();
    if (!this.isDirectory(path)) throw directoryNotFound();
    const start = prefixOf(path).length;
    const isChild = (other: string): boolean => other !== path && !other.slice(start).includes("/");
    const { files, directories } = this.within(path);
    return [
      ...directories.filter(isChild).map((child) => ({ name: child.slice(start), kind: "dir" as const })),
      ...files
        .filter((file) => isChild(file.path))
        .map((file) => ({ name: file.path.slice(start), kind: "file" as const })),
    ];
  }

  /** Null where nothing is; the root is always a directory. */
  stat(path: string): MemoryStat | null {
    const file = this.files.get(path);
    if (file) {
      const { kind, sizeBytes, createdAt, updatedAt } = file;
      return { kind, sizeBytes, createdAt, updatedAt };
    }
    if (!this.isDirectory(path)) return null;
    return { kind: "dir", sizeBytes: totalBytes(this.within(path).files), createdAt: null, updatedAt: null };
  }

  /** Every file and directory but the root. The file objects are those that the tree was made of. */
  snapshot(): MemorySnapshot {
    return { files: [...this.files.values()], directories: [...this.directories], revision: this.#revision };
  }

  /** As that of a backend. */
  outline({ maxContentBytes, leadChars }: Required<Omit<OutlineOptions, "maxPathChars">>): MemoryOutline {
    const { files, ...rest } = this.snapshot();
    const withContents = totalBytes(files) <= maxContentBytes;
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

function totalBytes(files: readonly SnapshotFile[]): number {
  return files.reduce((sum, file) => sum + file.sizeBytes, 0);
}
