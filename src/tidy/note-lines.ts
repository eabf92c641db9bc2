import { readFrontMatter } from "../core/search/front-matter.js";
import { countNewlines, type Line, splitLines } from "../core/search/lines.js";
import type { FileText } from "../core/tree/snapshot.js";
import { getName } from "../core/values/paths.js";

/** The marks of a block of code. The words after backquotes contain none, else the line is prose. */
const fence = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
const noteName = /^[^.]*$|\.(?:md|mdx|markdown|txt)$/i;

/** Whether a file is a note by its name. A file of code or data is not. */
export function isNote(path: string): boolean {
  return noteName.test(getName(path));
}

/** Returns the front matter of a note, without its fences. Null if there is none, or if it has no end. */
export function getFrontMatter(content: string): string | null {
  const start = readFrontMatter(content);
  return start === null || start.rest === null ? null : start.frontMatter;
}

/** Returns a function that gets one line after another, and returns whether a block of code is open after it. */
export function followCode(): (line: string) => boolean {
  let opening: string | null = null;
  return (line) => {
    const [, marks, words = ""] = fence.exec(line.trimEnd()) ?? [];
    if (marks === undefined) return opening !== null;
    if (opening === null) opening = marks;
    else if (marks.startsWith(opening) && words === "") opening = null;
    return opening !== null;
  };
}

/**
 * Yields the lines of a note. Yields null for each line of front matter and of a block of code, but for the line that
 * opens the block.
 */
export function* proseLines({ path, content }: FileText): Generator<Line | null> {
  if (!isNote(path)) return;
  const frontMatter = getFrontMatter(content);
  const skipped = frontMatter === null ? 0 : countNewlines(frontMatter) + 2;
  const isCodeAfter = followCode();
  let isCode = false;
  for (const line of splitLines(content)) {
    const isSkipped = isCode || line.line <= skipped;
    if (line.line > skipped) isCode = isCodeAfter(line.text);
    yield isSkipped ? null : line;
  }
}
