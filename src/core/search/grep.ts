import { LiteralSearch } from "../values/literal-search.js";
import type { FileText } from "../tree/snapshot.js";
import type { CallContext } from "../runtime/call.js";
import { mergeSort } from "../runtime/sort-in-steps.js";
import { runInTimeSlices, type Steps } from "../runtime/time-slices.js";
import { comparePaths } from "../values/text.js";
import { splitLines } from "./lines.js";
import { isWithin } from "./word-index.js";
import type { CheckedGrep, GrepMatch } from "./search-options.js";

/** Number of steps after which work yields. They take less than a millisecond. */
const stepsPerYield = 50_000;
/** Steps of a line, in addition to those of its characters. */
const stepsPerLine = 20;

/** Finds the lines that contain a text, by path and line. Yields to the event loop meanwhile. */
export async function grepTexts(
  texts: readonly FileText[],
  grep: CheckedGrep,
  call: CallContext,
): Promise<GrepMatch[]> {
  return runInTimeSlices(findMatches(texts, grep), call);
}

function* findMatches(
  texts: readonly FileText[],
  { pattern, path, ignoreCase, limit }: CheckedGrep,
): Steps<GrepMatch[]> {
  const matches: GrepMatch[] = [];
  // No line contains a line end.
  if (/[\r\n]/.test(pattern)) return matches;
  const search = new LiteralSearch(ignoreCase ? pattern.toLowerCase() : pattern);
  let steps = 0;
  const files = texts.filter(isWithin(path));
  for (const file of yield* mergeSort(files, comparePaths)) {
    for (const line of splitLines(file.content)) {
      const isMatch = search.firstIn(ignoreCase ? line.text.toLowerCase() : line.text) !== -1;
      if (isMatch && matches.push({ path: file.path, ...line }) >= limit) return matches;
      steps += line.text.length + stepsPerLine;
      if (steps < stepsPerYield) continue;
      yield;
      steps = 0;
    }
  }
  return matches;
}
