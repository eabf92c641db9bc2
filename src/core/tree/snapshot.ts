/** What a memory knows about a file, besides its text. */
export interface FileStat {
  kind: "file";
  /** Bytes of UTF-8. */
  sizeBytes: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A file with its text. */
export interface SnapshotFile extends FileStat {
  path: string;
  content: string;
}

/** A whole memory at one moment. */
export interface MemorySnapshot {
  /** Sorted by path, in code-unit order. */
  files: SnapshotFile[];
  /** Paths of all directories but the root, sorted likewise. */
  directories: string[];
  /**
   * Each change adds one. It is 0 if nobody ever wrote to the memory, and null on a generic BaseStore and in a folder,
   * because they keep no count.
   */
  revision: number | null;
}

/** A file, without its text where the caller knows it. */
export interface VersionedFile {
  path: string;
  /**
   * Each change of the text gives another one, which no other text of the memory ever has. Null: unknown, and then the
   * content is there.
   */
  version: string | null;
  /** Null for the text that the caller knows by its version. */
  content: string | null;
}

/** A whole memory at one moment, as far as the caller does not know it. */
export interface VersionedSnapshot {
  files: VersionedFile[];
  /** Paths of all directories but the root. */
  directories: string[];
}

/** A text with its path. */
export interface FileText {
  path: string;
  content: string;
}

/** A file or directory as `list` shows it. */
export interface MemoryEntry {
  name: string;
  kind: "file" | "dir";
}

/** What a memory knows about a directory. The root is a directory too. */
export interface DirectoryStat {
  kind: "dir";
  /** The bytes of UTF-8 of all files below it. */
  sizeBytes: number;
  /** Always null, because no storage keeps the times of directories. */
  createdAt: null;
  updatedAt: null;
}

/** `kind` says which of the two it is. */
export type MemoryStat = FileStat | DirectoryStat;

/** How many files and directories a delete removed. The directory itself counts. */
export interface DeletedCounts {
  files: number;
  dirs: number;
}
