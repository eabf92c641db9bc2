import type { ArchivedHistory } from "../../core/history/archived-version.js";
import type { MemorySnapshot, OutlineFile, SnapshotFile } from "../../core/memory.js";

/** A memory at one point in time. Its texts are read on demand, because they may be more than the process can hold. */
export interface MemoryMoment {
  /** In any order, like the directories. */
  readonly files: readonly Pick<OutlineFile, "path" | "sizeBytes">[];
  /** All except the root. */
  readonly directories: readonly string[];
  /**
   * Reads some of the files, in any order.
   * @throws MemoryError ECONFLICT if a file has changed and the server no longer has this point in time, EIO
   */
  read(paths: readonly string[]): Promise<SnapshotFile[]>;
  /** No reads are possible afterwards. */
  close(): Promise<void>;
}

/** A memory at one point in time, with its history. */
export interface ArchivedMemory extends MemoryMoment {
  /** Null if the memory has no history. */
  readonly history: ArchivedHistory | null;
}

/** Creates the moment of a memory that is loaded already. */
export function heldMoment({ files, directories }: Pick<MemorySnapshot, "files" | "directories">): MemoryMoment {
  const found = new Map(files.map((file) => [file.path, file]));
  return {
    files,
    directories,
    read: async (paths) => paths.flatMap((path) => found.get(path) ?? []),
    close: async () => undefined,
  };
}
