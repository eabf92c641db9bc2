import { readFrontMatter } from "../core/search/front-matter.js";
import { type Line, splitLines } from "../core/search/lines.js";

const fence = /^ {0,3}(?:```|~~~)/;

/** Returns the front matter of a note, without its fences. Null if there is none, or if it has no end. */
export function getFrontMatter(content: string): string | null {
  const start = readFrontMatter(content);
  return start === null || start.rest === null ? null : start.frontMatter;
}

/** Yields the lines of a note, without front matter and blocks of code. */
export function* proseLines(content: string): Generator<Line> {
  const frontMatter = getFrontMatter(content);
  const skipped = frontMatter === null ? 0 : frontMatter.split("\n").length + 1;
  let isCode = false;
  for (const line of splitLines(content)) {
    if (line.line <= skipped) continue;
    if (fence.test(line.text)) isCode = !isCode;
    else if (!isCode) yield line;
  }
}
