import { countShared } from "../../core/values/shared-ends.js";
import { getLineEndBefore, setLineEnds } from "../../core/values/line-ends.js";
import { shownText } from "../../core/display/shown-text.js";

/** Lines of a text, counted from 1, both ends included. The range is empty if `last` is before `first`. */
export interface LineRange {
  first: number;
  last: number;
}

/**
 * Yields these lines as the model reads them: `%6d`, a tab, and the text with hidden characters shown. A generator,
 * because there may be a million lines.
 */
export function* numberedLines(text: string, { first, last }: LineRange): Generator<string> {
  let start = findNumberedLine(text, first) ?? text.length;
  for (let number = first; number <= last; number += 1) {
    const end = findLineEnd(text, start);
    yield `${String(number).padStart(6)}\t${shownText(text.slice(start, end))}`;
    start = end + 1;
  }
}

/**
 * Counts lines. A final newline ends the last line and begins none: "a\nb\n" has two.
 */
export function countLines(text: string): number {
  const newlines = lineNumberAt(text, text.length) - 1;
  return text === "" || text.endsWith("\n") ? newlines : newlines + 1;
}

/**
 * Inserts `addition` as separate lines after line `after`, a whole number from 0, with the line ends of the text.
 * Returns null if the text has fewer lines. The result ends with a newline if the text did, or, for an empty text, if
 * `addition` does.
 */
export function insertLines(text: string, after: number, addition: string): string | null {
  if (after > countLines(text)) return null;
  // An empty last line counts only if a newline ends it.
  if (text === "") return addition === "" ? "\n" : addition;
  const at = Math.min(findNumberedLine(text, after + 1) ?? text.length, text.length);
  const lineEnd = getLineEndBefore(text, at);
  const added = setLineEnds(addition.replace(/\r?\n$/, ""), lineEnd);
  if (at < text.length || text.endsWith("\n")) return text.slice(0, at) + added + lineEnd + text.slice(at);
  const edited = text + lineEnd + added;
  return edited.endsWith("\n") ? edited + lineEnd : edited;
}

/** The number, counted from 1, of the line that contains the character at `position`. */
export function lineNumberAt(text: string, position: number): number {
  return lineNumbersAt(text, [position])[0] ?? 1;
}

/** The line numbers of several positions in rising order, found in one pass through the text. */
export function lineNumbersAt(text: string, positions: readonly number[]): number[] {
  let number = 1;
  let end = text.indexOf("\n");
  return positions.map((position) => {
    for (; end !== -1 && end < position; end = text.indexOf("\n", end + 1)) number += 1;
    return number;
  });
}

/** Number of lines shown before and after a change. */
const contextLines = 2;

/** The lines that a replacement changed, with the context lines around them. */
export function findSnippet(edited: string, from: number, to: number): LineRange {
  let start = findLineStart(edited, from);
  let end = findLineEnd(edited, to);
  for (let line = 0; line < contextLines; line += 1) {
    start = findLineStart(edited, Math.max(0, start - 1));
    end = findLineEnd(edited, end + 1);
  }
  const first = lineNumberAt(edited, start);
  // A slice that ends inside the text ends with a whole line, even an empty one.
  return { first, last: first + countLines(edited.slice(start, end + 1)) - 1 };
}

/** The lines of `after` that differ from `before`, with the context lines around them. */
export function changedLines(before: string, after: string): LineRange {
  const { start, end } = countShared(before, after);
  return findSnippet(after, start, after.length - end);
}

/**
 * The position at which line `number` begins, counted from 1. The line after the last begins after the end of the text;
 * null for any later line.
 */
function findNumberedLine(text: string, number: number): number | null {
  let start = 0;
  for (let line = 1; line < number; line += 1) {
    if (start > text.length) return null;
    start = findLineEnd(text, start) + 1;
  }
  return start;
}

/** The position at which the line of the character at `position` begins. */
function findLineStart(text: string, position: number): number {
  return position === 0 ? 0 : text.lastIndexOf("\n", position - 1) + 1;
}

/** The position of the newline that ends this line, or the end of the text. */
function findLineEnd(text: string, position: number): number {
  const newline = text.indexOf("\n", position);
  return newline === -1 ? text.length : newline;
}
