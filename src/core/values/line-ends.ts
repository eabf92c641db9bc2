import { fileTooLarge, invalid } from "./errors.js";
import { LiteralSearch } from "./literal-search.js";
import { appendText, largestFileBytes, replaceText, utf8Bytes } from "./text.js";

/*
 * Edits of models, who do not see whether a line ends with "\n" or "\r\n". Both match, and new lines get the line end
 * that the file has there (specification section 3).
 */

export type LineEnd = "\n" | "\r\n";

/** Returns the text with the same line end everywhere. */
export function setLineEnds(text: string, lineEnd: LineEnd): string {
  // Reason: `replaceAll` takes four times as long in a text of half a million lines.
  const plain = text.split("\r\n").join("\n");
  return lineEnd === "\n" ? plain : plain.split("\n").join("\r\n");
}

/** The line end at a newline. @param newline its position, or -1 */
function getLineEndAt(text: string, newline: number): LineEnd {
  return newline > 0 && text.charCodeAt(newline - 1) === 0x0d ? "\r\n" : "\n";
}

/** Returns the line end of the first line. */
export function getFirstLineEnd(text: string): LineEnd {
  return getLineEndAt(text, text.indexOf("\n"));
}

/** Returns the line end for new lines at a position: that of the line before, or else that of the first line. */
export function getLineEndBefore(text: string, position: number): LineEnd {
  const newline = position === 0 ? -1 : text.lastIndexOf("\n", position - 1);
  return newline === -1 ? getFirstLineEnd(text) : getLineEndAt(text, newline);
}

/** Appends with the line end of the last line, or, if it has none, of the first. An empty text takes any. */
export function appendLines(text: string, addition: string): string {
  if (text === "") return addition;
  const lineEnd = text.endsWith("\n") ? getLineEndBefore(text, text.length) : getFirstLineEnd(text);
  const joined = appendText(text, setLineEnds(addition, "\n"));
  return text + setLineEnds(joined.slice(text.length), lineEnd);
}

/** A part of a text. */
export interface TextRange {
  start: number;
  end: number;
}

/** Yields the matches of a literal text, left to right and not overlapping. Line ends of either kind are equal. */
function* matchLines(text: string, search: string): Generator<TextRange, undefined> {
  const pattern = setLineEnds(search, "\n");
  const literal = new LiteralSearch(pattern);
  const plain = setLineEnds(text, "\n");
  const skip = skipPlainUnits(text);
  let at = 0;
  for (let match = literal.firstIn(plain); match !== -1; match = literal.firstIn(plain, at)) {
    const start = skip(match - at);
    at = match + pattern.length;
    yield { start, end: skip(pattern.length) };
  }
  return undefined;
}

/** Returns a function that skips units of the text with plain line ends, and returns the reached position. */
function skipPlainUnits(text: string): (units: number) => number {
  let position = 0;
  const findNext = (): number => text.indexOf("\r\n", position);
  // Kept from call to call, so that each part of the text is read once.
  let next = findNext();
  return (units) => {
    let left = units;
    for (; next !== -1 && left > next - position; next = findNext()) {
      left -= next - position + 1;
      position = next + 2;
    }
    position += left;
    return position;
  };
}

/** Returns the first match of a literal text. Line ends of either kind are equal. */
export function findLines(text: string, search: string): TextRange | null {
  const { value } = matchLines(text, search).next();
  return value ?? null;
}

/** Puts `replacement` in the place of a part, with the line ends of the text. */
export function replaceRange(
  text: string,
  { start, end }: TextRange,
  replacement: string,
): TextRange & { text: string } {
  const lines = setLineEnds(replacement, getLineEndBefore(text, start));
  return { text: text.slice(0, start) + lines + text.slice(end), start, end: start + lines.length };
}

/** The most places with "\r\n" that one edit of a model replaces. More would keep the event loop for 100 ms. */
const maxReplaced = 50_000;

/**
 * Replaces every occurrence, as `replaceText` does. Line ends of either kind are equal, and new lines get the line end
 * of the line before.
 * @throws MemoryError EFBIG, or EINVAL for too many occurrences
 */
export function replaceLines(
  text: string,
  search: string,
  replacement: string,
  maxFileBytes = largestFileBytes,
): { text: string; replaced: number } {
  if (!text.includes("\r\n") || !/[\r\n]/.test(search + replacement))
    return replaceText(text, setLineEnds(search, "\n"), setLineEnds(replacement, "\n"), maxFileBytes);
  const lines = { "\n": setLineEnds(replacement, "\n"), "\r\n": setLineEnds(replacement, "\r\n") };
  const bytes = { "\n": utf8Bytes(lines["\n"]), "\r\n": utf8Bytes(lines["\r\n"]) };
  const pattern = setLineEnds(search, "\n");
  const patternBytes = utf8Bytes(pattern);
  const parts: string[] = [];
  let lineEnd = getFirstLineEnd(text);
  let sizeBytes = utf8Bytes(text);
  let position = 0;
  for (const { start, end } of matchLines(text, search)) {
    const kept = text.slice(position, start);
    if (kept.includes("\n")) lineEnd = getLineEndBefore(kept, kept.length);
    parts.push(kept, lines[lineEnd]);
    if (parts.length > 2 * maxReplaced)
      throw invalid(`the text is in more than ${maxReplaced} places of the file; use a longer one, or write the file`);
    sizeBytes += bytes[lineEnd] - patternBytes - (end - start - pattern.length);
    if (pattern.includes("\n")) lineEnd = getLineEndBefore(text, end);
    position = end;
  }
  if (parts.length > 0 && sizeBytes > maxFileBytes) throw fileTooLarge(sizeBytes, maxFileBytes);
  return { text: [...parts, text.slice(position)].join(""), replaced: parts.length / 2 };
}
