import { shownText } from "../../core/display/shown-text.js";

/** Lines of a text, from 1, both included. There are none where `last` is before `first`. */
export interface LineRange {
  first: number;
  last: number;
}

/**
 * These lines as the model reads them: `%6d`, a tab and the text with nothing hidden in it. One at a time, as there may
 * be a million.
 */
export function* numberedLines(text: string, { first, last }: LineRange): Generator<string> {
  let start = startOfLine(text, first) ?? text.length;
  for (let number = first; number <= last; number += 1) {
    const end = lineEnd(text, start);
    yield `${String(number).padStart(6)}\t${shownText(text.slice(start, end))}`;
    start = end + 1;
  }
}

/** How many lines a text has. A final newline ends the last line and begins none: "a\nb\n" has two. */
export function countLines(text: string): number {
  const newlines = lineNumberAt(text, text.length) - 1;
  return text === "" || text.endsWith("\n") ? newlines : newlines + 1;
}

/**
 * The text with `addition` as lines of their own after line `after`, a whole number from 0; null where the text has
 * fewer lines. It ends with a newline if it did before, and an empty file's text if `addition` does.
 */
export function insertLines(text: string, after: number, addition: string): string | null {
  const added = addition.endsWith("\n") ? addition.slice(0, -1) : addition;
  const joined = joinedAfter(text, after, added);
  if (joined === null) return null;
  const isEnded = (text === "" ? addition : text).endsWith("\n");
  // An empty last line needs a newline of its own to count as a line.
  return isEnded || joined === "" || joined.endsWith("\n") ? `${joined}\n` : joined;
}

function joinedAfter(text: string, after: number, added: string): string | null {
  if (text === "") return after === 0 ? added : null;
  const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
  const start = startOfLine(lines, after + 1);
  if (start === null) return null;
  return start > lines.length ? `${lines}\n${added}` : `${lines.slice(0, start)}${added}\n${lines.slice(start)}`;
}

/** The number, from 1, of the line that the character at `position` is on. */
export function lineNumberAt(text: string, position: number): number {
  return lineNumbersAt(text, [position])[0] ?? 1;
}

/** The same of several positions in rising order, in one walk through the text. */
export function lineNumbersAt(text: string, positions: readonly number[]): number[] {
  let number = 1;
  let end = text.indexOf("\n");
  return positions.map((position) => {
    for (; end !== -1 && end < position; end = text.indexOf("\n", end + 1)) number += 1;
    return number;
  });
}

/** How many lines before and after a change are shown with it. */
const contextLines = 2;

/** The lines that a replacement has changed, with a few around them. */
export function findSnippet(edited: string, position: number, replacement: string): LineRange {
  let start = lineStart(edited, position);
  let end = lineEnd(edited, position + replacement.length);
  for (let line = 0; line < contextLines; line += 1) {
    start = lineStart(edited, Math.max(0, start - 1));
    end = lineEnd(edited, end + 1);
  }
  const first = lineNumberAt(edited, start);
  // What ends inside of the text ends with a whole line, be it empty.
  return { first, last: first + countLines(edited.slice(start, end + 1)) - 1 };
}

/** The lines in which the two texts differ, as they are in `after`, with a few around them. */
export function changedLines(before: string, after: string): LineRange {
  const shorterChars = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorterChars && before[start] === after[start]) start += 1;
  let kept = 0;
  while (kept < shorterChars - start && before.at(-1 - kept) === after.at(-1 - kept)) kept += 1;
  return findSnippet(after, start, after.slice(start, after.length - kept));
}

/**
 * Where line `number`, from 1, begins: behind the end of the text for the line after the last, null for those after
 * that.
 */
function startOfLine(text: string, number: number): number | null {
  let start = 0;
  for (let line = 1; line < number; line += 1) {
    if (start > text.length) return null;
    start = lineEnd(text, start) + 1;
  }
  return start;
}

/** Where the line begins that the character at `position` is on. */
function lineStart(text: string, position: number): number {
  return position === 0 ? 0 : text.lastIndexOf("\n", position - 1) + 1;
}

/** Where its newline is, or the end of the text. */
function lineEnd(text: string, position: number): number {
  const newline = text.indexOf("\n", position);
  return newline === -1 ? text.length : newline;
}
