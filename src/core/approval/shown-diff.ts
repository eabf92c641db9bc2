import { shownText } from "../display/shown-text.js";
import { readableDiff } from "../history/unified-diff.js";
import type { CallContext } from "../runtime/call.js";

const maxShownChars = 50_000;

/**
 * The diff of a text as people are shown it. `before` is null if there is no file, `after` if there will be none.
 */
export async function shownChange(
  path: string,
  { before, after }: { before: string | null; after: string | null },
  call: CallContext,
): Promise<string> {
  const older = { name: before === null ? "/dev/null" : `a${path}`, text: before ?? "" };
  const newer = { name: after === null ? "/dev/null" : `b${path}`, text: after ?? "" };
  const diff = await readableDiff(older, newer, call);
  // Without a diff an empty file comes or goes.
  return shownDiff(diff === "" ? `--- ${older.name}\n+++ ${newer.name}\n` : diff);
}

/**
 * A diff as people are shown it. Hidden characters are escaped. A long diff is cut, and says how much is left out,
 * because the person who decides must know.
 */
export function shownDiff(diff: string): string {
  // On a terminal a carriage return hides the text before it.
  const shown = shownText(diff.slice(0, maxShownChars).toWellFormed()).replaceAll("\r", "\\r");
  const hiddenChars = diff.length - maxShownChars;
  if (hiddenChars <= 0) return shown;
  return `${shown.endsWith("\n") ? shown : `${shown}\n`}[${hiddenChars} more characters are not shown]\n`;
}
