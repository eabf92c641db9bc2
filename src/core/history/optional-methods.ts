import type { MemoryHistory, RedactedText } from "./history.js";

/** A history that also checks a redaction before its first change, as all histories of this package do. */
interface CheckingHistory extends MemoryHistory {
  /**
   * Throws what `redact` would throw before its first change.
   * @returns whether there is anything to redact
   */
  checkRedaction(what: string | readonly string[] | RedactedText): Promise<boolean>;
}

/** Checks a redaction. A history that cannot check it is redacted without a check. */
export async function checkRedaction(
  history: MemoryHistory,
  what: string | readonly string[] | RedactedText,
): Promise<boolean> {
  return isChecking(history) ? history.checkRedaction(what) : true;
}

function isChecking(history: MemoryHistory): history is CheckingHistory {
  return "checkRedaction" in history;
}
