import type { MemoryHistory } from "./history.js";

/** A history that also compares for people, as all histories of this package do. */
interface ReadableHistory extends MemoryHistory {
  /** As `diff`, but without lines that did not change. A missing newline at the end is no change of a line. */
  readableDiff(from: string, to?: string): Promise<string>;
}

/** Returns the difference for people. A history that does not compare for people returns the exact one. */
export function getReadableDiff(history: MemoryHistory, from: string, to?: string): Promise<string> {
  return isReadable(history) ? history.readableDiff(from, to) : history.diff(from, to);
}

function isReadable(history: MemoryHistory): history is ReadableHistory {
  return "readableDiff" in history;
}
