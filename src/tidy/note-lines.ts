import { type Line, splitLines } from "../core/search/lines.js";
import { splitFrontMatter } from "./front-matter.js";

const fence = /^ {0,3}(?:```|~~~)/;

/** Yields the lines of a note that are prose: without front matter and blocks of code. */
export function* proseLines(content: string): Generator<Line> {
  const { lines } = splitFrontMatter(content);
  let isCode = false;
  for (const line of splitLines(content)) {
    if (line.line <= lines) continue;
    if (fence.test(line.text)) isCode = !isCode;
    else if (!isCode) yield line;
  }
}
