import type { OutlineFile, SnapshotFile } from "../../core/memory.js";

/** A memory as it is at one moment. Its texts are read when they are asked for, as they may be more than a process holds. */
export interface MemoryMoment {
  /** In any order, as are the directories. */
  readonly files: readonly Pick<OutlineFile, "path" | "sizeBytes">[];
  /** All but the root. */
  readonly directories: readonly string[];
  /** Some of the files, in any order. @throws MemoryError ECONFLICT if one is no longer as it was and the server does not have the moment any more, EIO */
  read(paths: readonly string[]): Promise<SnapshotFile[]>;
  /** Nothing is read after it. */
  close(): Promise<void>;
}
