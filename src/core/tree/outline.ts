import type { MemorySnapshot } from "./snapshot.js";

/** What an outline contains besides paths and sizes. */
export interface OutlineOptions {
  /** Includes the contents if all of them together are at most so many bytes of UTF-8. @default 0 */
  maxContentBytes?: number;
  /** Includes the start of each text, at most so many UTF-16 units, up to 10,000. @default 0 */
  leadChars?: number;
  /**
   * Lets a large memory answer only what comes first in a listing of paths, by depth and then by path, of so many
   * UTF-16 units. A memory of at most 10,000 files and directories answers all. Default: no limit
   */
  maxPathChars?: number;
}

/** A file with its size, and the text or the start of it if you ask for it. */
export interface OutlineFile {
  path: string;
  /** Bytes of UTF-8. */
  sizeBytes: number;
  /** On every file or on none. */
  content?: string;
  /** The start of the text. Missing on a file that cannot be read. */
  lead?: string;
}

/**
 * A snapshot without times. Its contents may be left out, and with `maxPathChars` what comes last in a large memory.
 */
export interface MemoryOutline extends Omit<MemorySnapshot, "files"> {
  files: OutlineFile[];
  /** Only if some are left out: a listing of `maxPathChars` leaves out more files and directories than so many. */
  moreThan?: number;
  /**
   * Only with `maxPathChars`: directories whose name begins with a dot, and that have more files below them than the
   * outline has.
   */
  uncounted?: string[];
}
