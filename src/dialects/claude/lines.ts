import { Turns } from "../../core/turns.js";

/** The lines of a text. A final newline ends the last line and begins none: "a\nb\n" has two. */
export function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Lines as the model reads them, `%6d`, a tab and the text. @param first the number of the first one, from 1 */
export async function numberedLines(lines: readonly string[], first = 1): Promise<string[]> {
  const numbered: string[] = [];
  const turns = new Turns();
  for (const [index, line] of lines.entries()) {
    numbered.push(`${String(first + index).padStart(6)}\t${line}`);
    if (turns.isOver()) await turns.next();
  }
  return numbered;
}

/** How many lines `splitLines` makes, without making them. */
export function countLines(text: string): number {
  const newlines = lineNumberAt(text, text.length) - 1;
  return text === "" || text.endsWith("\n") ? newlines : newlines + 1;
}

/**
 * The text with `addition` as lines of their own after line `after`. It ends with a newline if it did before, and an
 * empty file's text if `addition` does.
 */
export function insertLines(text: string, after: number, addition: string): string {
  const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
  const added = addition.endsWith("\n") ? addition.slice(0, -1) : addition;
  const joined = text === "" ? added : joinedAfter(lines, after, added);
  const isEnded = (text === "" ? addition : text).endsWith("\n");
  // An empty last line needs a newline of its own to count as a line.
  return isEnded || joined === "" || joined.endsWith("\n") ? `${joined}\n` : joined;
}

function joinedAfter(lines: string, after: number, added: string): string {
  let start = 0;
  for (let line = 0; line < after; line += 1) start = lineEnd(lines, start) + 1;
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

/** The lines that a replacement has changed, with a few around them, and the number of the first one. */
export function snippetOf(edited: string, position: number, replacement: string): { lines: string[]; first: number } {
  let start = lineStart(edited, position);
  let end = lineEnd(edited, position + replacement.length);
  for (let line = 0; line < contextLines; line += 1) {
    start = lineStart(edited, Math.max(0, start - 1));
    end = lineEnd(edited, end + 1);
  }
  // What ends inside of the text ends with a whole line, be it empty.
  const shown = end < edited.length ? edited.slice(start, end + 1) : edited.slice(start);
  return { lines: splitLines(shown), first: lineNumberAt(edited, start) };
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
