import type { MemoryHistory, RedactedText } from "./history.js";

/** What the histories of this package can do beyond the interface. A history of another package may lack it. */
interface OptionalMethods {
  /**
   * Throws what `redact` would throw before its first change.
   * @returns whether there is anything to redact
   */
  checkRedaction(what: string | readonly string[] | RedactedText): Promise<boolean>;
  /** As `diff`, but without lines that did not change. A missing newline at the end is no change of a line. */
  readableDiff(from: string, to?: string): Promise<string>;
}

/** Checks a redaction. A history that cannot check it is redacted without a check. */
export async function checkRedaction(
  history: MemoryHistory & Partial<OptionalMethods>,
  what: string | readonly string[] | RedactedText,
): Promise<boolean> {
  return history.checkRedaction?.(what) ?? true;
}

/** Returns the difference for people. A history that does not compare for people returns the exact one. */
export function getReadableDiff(
  history: MemoryHistory & Partial<OptionalMethods>,
  from: string,
  to?: string,
): Promise<string> {
  return history.readableDiff?.(from, to) ?? history.diff(from, to);
}
