/** The lines of a text. A final newline ends the last line and begins none: "a\nb\n" has two. */
export function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Lines as the model reads them, `%6d`, a tab and the text. @param first the number of the first one, from 1 */
export function numberedLines(lines: readonly string[], first = 1): string[] {
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`);
}

/**
 * The text with `addition` as lines of their own after line `after`. It ends with a newline if it did before, and an
 * empty file's text if `addition` does.
 */
export function insertLines(text: string, after: number, addition: string): string {
  const lines = splitLines(text);
  lines.splice(after, 0, addition.endsWith("\n") ? addition.slice(0, -1) : addition);
  const joined = lines.join("\n");
  const isEnded = (text === "" ? addition : text).endsWith("\n");
  // An empty last line needs a newline of its own to count as a line.
  return isEnded || joined === "" || joined.endsWith("\n") ? `${joined}\n` : joined;
}

/** Where `search` is found, at most `max` times. Overlapping places all count, because no one can tell which was meant. */
export function findPositions(text: string, search: string, max: number): number[] {
  const positions: number[] = [];
  for (let at = text.indexOf(search); at !== -1 && positions.length < max; at = text.indexOf(search, at + 1)) {
    positions.push(at);
  }
  return positions;
}

/** The number, from 1, of the line that the character at `position` is on. */
export function lineNumberAt(text: string, position: number): number {
  let number = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < position; at = text.indexOf("\n", at + 1)) number += 1;
  return number;
}

/** How many lines before and after a change are shown with it. */
const contextLines = 2;

/** The numbered lines that a replacement has changed, with a few around them. */
export function numberedSnippet(edited: string, position: number, replacement: string): string[] {
  const lines = splitLines(edited);
  const first = Math.max(1, lineNumberAt(edited, position) - contextLines);
  const last = lineNumberAt(edited, position + replacement.length) + contextLines;
  return numberedLines(lines.slice(first - 1, last), first);
}
