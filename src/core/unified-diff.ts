import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { shownText } from "./shown-text.js";

/** The search for the shortest diff takes time by the square of it. Beyond so many changed lines, all lines are replaced. */
const maxEditLength = 1000;

const maxShownChars = 50_000;

/**
 * The diff of two texts in the unified format. Takes time that grows with the texts alone.
 *
 * @param before null where there is no file
 * @param after null where there will be none
 */
export function unifiedDiff(path: string, before: string | null, after: string | null): string {
  const oldName = before === null ? "/dev/null" : `a${path}`;
  const newName = after === null ? "/dev/null" : `b${path}`;
  const options = { context: 3, maxEditLength, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch(oldName, newName, before ?? "", after ?? "", undefined, undefined, options);
  return patch ?? `--- ${oldName}\n+++ ${newName}\n${replacement(linesOf(before ?? ""), linesOf(after ?? ""))}`;
}

/**
 * A diff as people are shown it: what cannot be seen is escaped, and of a long one the start is shown. It says how much is left
 * out, because whoever decides about it must know.
 */
export function shownDiff(diff: string): string {
  // On a terminal a carriage return hides what stands before it.
  const shown = shownText(diff.slice(0, maxShownChars).toWellFormed()).replaceAll("\r", "\\r");
  if (diff.length <= maxShownChars) return shown;
  return `${shown.endsWith("\n") ? shown : `${shown}\n`}[${diff.length - maxShownChars} more characters are not shown]\n`;
}

/** All lines of the one by all lines of the other. */
function replacement(removed: string[], added: string[]): string {
  const range = ({ length }: string[]): string => (length === 0 ? "0,0" : `1,${length}`);
  const body = (sign: string, lines: string[]): string =>
    lines.map((line) => (line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`)).join("");
  return `@@ -${range(removed)} +${range(added)} @@\n${body("-", removed)}${body("+", added)}`;
}

/** With their line ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
