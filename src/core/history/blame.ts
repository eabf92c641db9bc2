import type { diffArrays } from "diff";
import type { CallContext } from "../runtime/call.js";
import { Turns } from "../runtime/turns.js";
import type { BlamedLine } from "./history.js";
import type { FileLineage, LineageStep } from "./history-backend.js";
import { type OlderText, readOlderText } from "./older-text.js";

/** A line of the text that is traced back, version by version. */
interface TracedLine {
  text: string;
  /** Its index in the present text; -1 if it is not there. */
  present: number;
}

interface TracedText {
  text: string;
  lines: readonly TracedLine[];
}

/** If two texts differ in more lines, or take more comparisons, they are compared line by line at the same position. */
const maxEditLength = 1000;
const maxComparisons = 2_000_000;

/** Goes back from the present text until the version of each line is known. */
export async function blameLines({ text, steps }: FileLineage, call: CallContext): Promise<BlamedLine[]> {
  const lines = text.split("\n");
  const blamed = lines.map((line, index): BlamedLine => ({ line: index + 1, text: line, version: null }));
  // A newline ends a line; no empty line follows it.
  if (text === "" || text.endsWith("\n")) blamed.pop();
  let unknown = blamed.length;
  let newer: TracedText = { text, lines: lines.map((line, present) => ({ text: line, present })) };
  const { diffArrays: diff } = await import("diff");
  const turns = new Turns(call);
  for await (const { version, before } of eachStep(steps)) {
    if (before === null) break;
    if (before === "same") continue;
    if (turns.isOver()) await turns.next();
    const { older, changed } = before === "none" ? { older: newer, changed: newer.lines } : goBack(newer, before, diff);
    for (const { present } of changed) {
      const line = blamed[present];
      if (line === undefined) continue;
      line.version = version;
      unknown -= 1;
    }
    if (unknown === 0) break;
    newer = older;
  }
  return blamed;
}

async function* eachStep(steps: FileLineage["steps"]): AsyncGenerator<LineageStep> {
  for await (const batch of steps) yield* batch;
}

/** @returns the older text, and the newer lines that it does not have */
function goBack(
  newer: TracedText,
  before: OlderText,
  diff: typeof diffArrays,
): { older: TracedText; changed: TracedLine[] } {
  const text = readOlderText(before, newer.text);
  const olderLines = text.split("\n");
  const { lines } = newer;
  const shorter = Math.min(olderLines.length, lines.length);
  let start = 0;
  while (start < shorter && olderLines[start] === lines[start]?.text) start += 1;
  let end = 0;
  while (end < shorter - start && olderLines.at(-1 - end) === lines.at(-1 - end)?.text) end += 1;
  const middle = olderLines.slice(start, olderLines.length - end).map((line) => ({ text: line, present: -1 }));
  const { kept, changed } = compareLines(middle, lines.slice(start, lines.length - end), diff);
  return { older: { text, lines: lines.slice(0, start).concat(kept, lines.slice(lines.length - end)) }, changed };
}

interface ComparedLines {
  /** The older lines. Those that are equal are the newer ones. */
  kept: TracedLine[];
  /** The newer lines that are not among them. */
  changed: TracedLine[];
}

function compareLines(older: TracedLine[], newer: TracedLine[], diff: typeof diffArrays): ComparedLines {
  let left = maxComparisons;
  const comparator = (one: TracedLine, other: TracedLine): boolean => {
    left -= 1 + one.text.length / 1000;
    return left > 0 && one.text === other.text;
  };
  const parts = diff(older, newer, { comparator, maxEditLength });
  if (parts === undefined || left <= 0) return compareAtPositions(older, newer);
  return {
    kept: parts.flatMap(({ added, value }) => (added ? [] : value)),
    changed: parts.flatMap(({ added, value }) => (added ? value : [])),
  };
}

/** Texts of different numbers of lines have none in common. */
function compareAtPositions(older: TracedLine[], newer: TracedLine[]): ComparedLines {
  if (older.length !== newer.length) return { kept: older, changed: newer };
  const kept = older.map((line, index) => {
    const newerLine = newer[index];
    return newerLine?.text === line.text ? newerLine : line;
  });
  return { kept, changed: newer.filter((line, index) => line !== kept[index]) };
}
