import type { LiteralSearch } from "../values/literal-search.js";

export interface Line {
  /** From 1. */
  line: number;
  text: string;
}

/**
 * The lines of a text, without their ends, be they of Windows or of Unix. A final newline ends the last line and begins
 * none.
 */
export function* linesOf(content: string, firstLine = 1): Generator<Line> {
  let line = firstLine;
  for (let start = 0; start < content.length; line += 1) {
    const end = lineEnd(content, start);
    yield { line, text: withoutReturn(content.slice(start, end)) };
    start = end + 1;
  }
}

/**
 * The lines, up to their newlines, that hold a literal text without a newline. The whole text is searched, so that a
 * long one does not begin anew in each line.
 */
export function* linesHolding(search: LiteralSearch, content: string, firstLine = 1): Generator<Line> {
  let line = firstLine;
  let counted = 0;
  for (
    let found = search.firstIn(content);
    found !== -1;
    found = counted > content.length ? -1 : search.firstIn(content, counted)
  ) {
    const start = found === 0 ? 0 : content.lastIndexOf("\n", found - 1) + 1;
    const end = lineEnd(content, found);
    line += countNewlines(content, counted, start);
    yield { line, text: content.slice(start, end) };
    line += 1;
    counted = end + 1;
  }
}

/** Whole lines of a text that lie side by side, so that one look can pass over all of them. */
export interface Block {
  /** The number of its first line. Counted only where it is asked for. */
  readonly firstLine: () => number;
  /** With the newline of the last line, unless the text ends without one. */
  readonly text: string;
}

/** A text in blocks of at least so many characters. Only the line that ends a block makes it longer. */
export function* blocksOf(content: string, minChars: number): Generator<Block> {
  let line = 1;
  let counted = 0;
  for (let start = 0; start < content.length;) {
    const end = Math.min(content.length, lineEnd(content, start + minChars) + 1);
    const blockStart = start;
    const firstLine = (): number => {
      line += countNewlines(content, counted, blockStart);
      counted = blockStart;
      return line;
    };
    yield { firstLine, text: content.slice(start, end) };
    start = end;
  }
}

/** Unit by unit: to look for the next newline each time takes ten times as long where lines are short. */
function countNewlines(content: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) if (content.charCodeAt(at) === 0x0a) count += 1;
  return count;
}

function lineEnd(content: string, start: number): number {
  const newline = content.indexOf("\n", start);
  return newline === -1 ? content.length : newline;
}

/** Of `\r\n` the newline alone is cut off where a text is split at newlines. */
export function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** The same of each line of a text, and without the newline that ends the last. */
export function withoutReturns(lines: string): string {
  const text = lines.endsWith("\n") ? lines.slice(0, -1) : lines;
  return withoutReturn(text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text);
}
