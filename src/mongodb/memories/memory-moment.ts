import type { ArchivedHistory } from "../../core/history/archived-version.js";
import type { MemorySnapshot, OutlineFile, SnapshotFile } from "../../core/memory.js";

/**
 * A memory as it is at one moment. Its texts are read when they are asked for, as they may be more than a process
 * holds.
 */
export interface MemoryMoment {
  /** In any order, as are the directories. */
  readonly files: readonly Pick<OutlineFile, "path" | "sizeBytes">[];
  /** All but the root. */
  readonly directories: readonly string[];
  /**
   * Some of the files, in any order. @throws MemoryError ECONFLICT if one is no longer as it was and the server does
   * not have the moment any more, EIO
   */
  read(paths: readonly string[]): Promise<SnapshotFile[]>;
  /** Nothing is read after it. */
  close(): Promise<void>;
}

/** The same with its history. */
export interface ArchivedMemory extends MemoryMoment {
  /** Null if there is none. */
  readonly history: ArchivedHistory | null;
}

/** Of a memory that is held. */
export function heldMoment({ files, directories }: Pick<MemorySnapshot, "files" | "directories">): MemoryMoment {
  const found = new Map(files.map((file) => [file.path, file]));
  return {
    files,
    directories,
    read: async (paths) => paths.flatMap((path) => found.get(path) ?? []),
    close: async () => undefined,
  };
}
