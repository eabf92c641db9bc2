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
export interface FoundText {
  path: string;
  content: string;
}
