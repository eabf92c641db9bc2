import type { MemorySnapshot } from "./snapshot.js";

/** Options for the contents of an outline besides paths and sizes. */
export interface OutlineOptions {
  /** Includes the contents if together they have at most so many bytes of UTF-8. @default 0 */
  maxContentBytes?: number;
  /** Includes the start of each text, at most so many UTF-16 units, up to 10,000. @default 0 */
  leadChars?: number;
  /**
   * Lets a large memory return only the entries that fit first into a listing of so many UTF-16 units, sorted by depth
   * and then by path. A memory of at most 10,000 files and directories returns all entries. Default: no limit
   */
  maxPathChars?: number;
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

/**
 * A snapshot without times. The contents may be left out. `maxPathChars` also leaves out the last entries of a large
 * memory.
 */
export interface MemoryOutline extends Omit<MemorySnapshot, "files"> {
  files: OutlineFile[];
  /** Set if entries are left out: a listing of `maxPathChars` leaves out more files and directories than so many. */
  moreThan?: number;
  /**
   * Directories whose name begins with a dot, and that have more files below them than the outline contains. Set only
   * with `maxPathChars`.
   */
  uncounted?: string[];
}
