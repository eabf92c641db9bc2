import type { MemoryHistory, RedactedPath, RedactedText } from "./history.js";

/** Methods that the histories of this package add to the interface. A history of another package may not have them. */
interface OptionalMethods {
  /**
   * Makes the checks of `redact`, and throws their errors.
   * @returns whether there is anything to redact
   */
  checkRedaction(what: RedactedText | RedactedPath): Promise<boolean>;
  /** As `diff`, but shows only lines that changed. A missing newline at the end does not change a line. */
  readableDiff(from: string, to?: string): Promise<string>;
}

/** Checks a redaction, if the history can check it. */
export async function checkRedaction(
  history: MemoryHistory & Partial<OptionalMethods>,
  what: RedactedText | RedactedPath,
): Promise<boolean> {
  return history.checkRedaction?.(what) ?? true;
}

/** Returns the difference for people, or the exact one if the history has no other. */
export function getReadableDiff(
  history: MemoryHistory & Partial<OptionalMethods>,
  from: string,
  to?: string,
): Promise<string> {
  return history.readableDiff?.(from, to) ?? history.diff(from, to);
}
