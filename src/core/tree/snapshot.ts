/** Facts about a file, without its text. */
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
  /** Paths of all directories but the root, in the same order. */
  directories: string[];
  /**
   * Grows with each change: by one, or in a large memory on MongoDB by the number of documents that the change writes.
   * The revision is 0 if nobody ever wrote to the memory, and null on a generic BaseStore and in a folder, because they
   * keep no count.
   */
  revision: number | null;
}

/** A file with a version of its text. The text is left out if the caller knows it. */
export interface VersionedFile {
  path: string;
  /**
   * Each change of the text gives a new version, which no other text of the memory ever has. If null, the version is
   * unknown, and the content is set.
   */
  version: string | null;
  /** Null if the caller has the text of this version. */
  content: string | null;
  /** Undefined if the caller has the text of this version, or if the storage keeps no times. */
  updatedAt?: Date | undefined;
}

/** A whole memory at one moment, without the texts that the caller knows. */
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

/** Facts about a directory. The root is a directory too. */
export interface DirectoryStat {
  kind: "dir";
  /** The bytes of UTF-8 of all files below it. */
  sizeBytes: number;
  /** Always null, because no storage keeps the times of directories. */
  createdAt: null;
  updatedAt: null;
}

/** A file or a directory, as `stat` returns it. */
export type MemoryStat = FileStat | DirectoryStat;

/** Numbers of files and directories that a delete removed. The directory itself counts. */
export interface DeletedCounts {
  files: number;
  dirs: number;
}

/** Options for the contents of an outline besides paths and sizes. */
export interface OutlineOptions {
  /** Includes the contents if together they have at most so many bytes of UTF-8. @default 0 */
  maxContentBytes?: number;
  /** Includes the start of each text, at most so many UTF-16 units, up to 10,000. @default 0 */
  leadChars?: number;
}

/** A file with its size, and its text or the start of its text if you ask for it. */
export interface OutlineFile {
  path: string;
  /** Bytes of UTF-8. */
  sizeBytes: number;
  /** Either every file has its content, or no file has it. */
  content?: string;
  /** The start of the text. Missing on a file that cannot be read. */
  lead?: string;
}

/** A snapshot without times. The contents may be left out. */
export interface MemoryOutline extends Omit<MemorySnapshot, "files"> {
  files: OutlineFile[];
}

/** The result of a change that a tool makes in a task of a graph. Such a task can run again, and repeats its calls. */
export interface MadeOnce {
  /** The time of the change, if the same call made it before. The repeated call changed nothing. */
  madeAt?: Date;
}
