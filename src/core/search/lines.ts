import type { LiteralSearch } from "../values/literal-search.js";

export interface Line {
  /** From 1. */
  line: number;
  text: string;
}

/**
 * Yields the lines of a text without their ends, which may be those of Windows or of Unix. A newline at the end of the
 * text begins no line.
 */
export function* splitLines(content: string): Generator<Line> {
  let line = 1;
  for (let start = 0; start < content.length; line += 1) {
    const end = findLineEnd(content, start);
    yield { line, text: removeReturn(content.slice(start, end)) };
    start = end + 1;
  }
}

/**
 * Yields the lines, up to their newlines, that contain a literal text without a newline. Searches the whole text at
 * once. Reason: the search for a long text would begin again in each line.
 */
export function* linesHolding(search: LiteralSearch, content: string): Generator<Line> {
  let line = 1;
  let counted = 0;
  for (
    let found = search.firstIn(content);
    found !== -1;
    found = counted > content.length ? -1 : search.firstIn(content, counted)
  ) {
    const start = found === 0 ? 0 : content.lastIndexOf("\n", found - 1) + 1;
    const end = findLineEnd(content, found);
    line += countNewlines(content, counted, start);
    yield { line, text: content.slice(start, end) };
    line += 1;
    counted = end + 1;
  }
}

/** Counts newlines, unit by unit. Reason: with short lines, a search for each newline takes ten times as long. */
export function countNewlines(content: string, start = 0, end = content.length): number {
  let count = 0;
  for (let at = start; at < end; at += 1) if (content.charCodeAt(at) === 0x0a) count += 1;
  return count;
}

function findLineEnd(content: string, start: number): number {
  const newline = content.indexOf("\n", start);
  return newline === -1 ? content.length : newline;
}

/** Removes the `\r` of a line that ended with `\r\n`. */
function removeReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** A longer line is not folded, so that each step is short. */
const maxFoldedChars = 10_000;

/** Signs such as those of `C++`, `C#`, `50 %` and `~5` are no punctuation of a sentence. */
const sentenceMark = /[ .,;:!?…"'()[\]*_`«»“”„‘’¿¡。、，！？：；]/u.source;
/** The row at the end begins where marks begin: tried from each mark, a long row would take quadratic time. */
const sentenceMarks = new RegExp(`^${sentenceMark}+|(?<!${sentenceMark})${sentenceMark}+$`, "gu");
/** Without the strokes that make another sign or word: `≠` is `=` with a stroke. */
const accents = /[\u0300-\u0334\u0339-\u036f]/g;

/** Folds case, accents, blanks and the punctuation at the ends of a line. Two lines that are equal then say the same. */
export function foldLine(line: string): string {
  if (line.length > maxFoldedChars) return line;
  const plain = line.normalize("NFD").replaceAll(accents, "").toLowerCase();
  return plain.replaceAll(/\s+/g, " ").replaceAll(sentenceMarks, "");
}
