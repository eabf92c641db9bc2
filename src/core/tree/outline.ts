import type { MemorySnapshot } from "./snapshot.js";

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
