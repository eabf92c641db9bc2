import type { diffArrays } from "diff";
import { Turns } from "../runtime/turns.js";
import type { BlamedLine } from "./history.js";
import type { FileLineage, LineageStep } from "./history-backend.js";
import { type OlderText, type ReplacedPart, replacedParts } from "./older-text.js";

/** A line of the text that is traced back, version by version. */
interface TracedLine {
  text: string;
  /** Its index in the present text; -1 if it is not there. */
  present: number;
}

interface TracedText {
  lines: TracedLine[];
  /** In UTF-16 units. */
  length: number;
}

/** Lines of a newer text, and the text of the lines that they replaced. */
interface ChangedLines {
  first: number;
  last: number;
  olderText: string;
}

/** If two texts differ in more lines, or take more comparisons, the lines that are left all count as changed. */
const maxEditLength = 1000;
const maxComparisons = 2_000_000;

/** Goes back from the present text until the version of each line is known. */
export async function blameLines({ text, steps }: FileLineage): Promise<BlamedLine[]> {
  const lines = text.split("\n");
  const blamed = lines.map((line, index): BlamedLine => ({ line: index + 1, text: line, version: null }));
  // A newline ends a line; no empty line follows it.
  if (text === "" || text.endsWith("\n")) blamed.pop();
  let unknown = blamed.length;
  let traced: TracedText = { lines: lines.map((line, present) => ({ text: line, present })), length: text.length };
  const tools = { diffArrays: (await import("diff")).diffArrays, turns: new Turns() };
  for await (const { version, before } of eachStep(steps)) {
    if (before === null) break;
    if (before === "same") continue;
    const { older, changed } =
      before === "none" ? { older: traced, changed: traced.lines } : await goBack(traced, before, tools);
    for (const { present } of changed) {
      const line = blamed[present];
      if (line === undefined) continue;
      line.version = version;
      unknown -= 1;
    }
    if (unknown === 0) break;
    traced = older;
  }
  return blamed;
}

async function* eachStep(steps: FileLineage["steps"]): AsyncGenerator<LineageStep> {
  for await (const batch of steps) yield* batch;
}

/** @returns the older text, and the newer lines that it does not have */
async function goBack(
  { lines, length }: TracedText,
  before: OlderText,
  tools: { diffArrays: typeof diffArrays; turns: Turns },
): Promise<{ older: TracedText; changed: TracedLine[] }> {
  const diff = boundedDiff(tools.diffArrays);
  const parts = replacedParts(before, length);
  const changes = findChangedLines(lines, parts);
  const start = changes[0]?.first ?? 0;
  const rewritten: TracedLine[] = [];
  const changed: TracedLine[] = [];
  let next = start;
  for (const { first, last, olderText } of changes) {
    if (tools.turns.isOver()) await tools.turns.next();
    for (const line of lines.slice(next, first)) rewritten.push(line);
    const newerLines = lines.slice(first, last + 1);
    const olderLines = olderText.split("\n").map((text): TracedLine => ({ text, present: -1 }));
    for (const { added, value } of compareLines(olderLines, newerLines, diff)) {
      const target = added ? changed : rewritten;
      for (const line of value) target.push(line);
    }
    next = last + 1;
  }
  const olderLength = parts.reduce((sum, part) => sum + part.text.length - (part.end - part.start), length);
  return { older: { lines: replaceLines(lines, start, next, rewritten), length: olderLength }, changed };
}

interface ComparedLines {
  added: boolean;
  /** Equal lines are those of the newer text. */
  value: readonly TracedLine[];
}

type DiffLines = (older: TracedLine[], newer: TracedLine[]) => ComparedLines[] | undefined;

/** Answers undefined where the lines are too different, or the comparisons before took too long. */
function boundedDiff(diff: typeof diffArrays): DiffLines {
  let left = maxComparisons;
  const comparator = (one: TracedLine, other: TracedLine): boolean => {
    left -= 1 + one.text.length / 1000;
    return left > 0 && one.text === other.text;
  };
  return (older, newer) => (left > 0 ? diff(older, newer, { comparator, maxEditLength }) : undefined);
}

function compareLines(older: readonly TracedLine[], newer: readonly TracedLine[], diff: DiffLines): ComparedLines[] {
  const shorter = Math.min(older.length, newer.length);
  let start = 0;
  while (start < shorter && older[start]?.text === newer[start]?.text) start += 1;
  let end = 0;
  while (end < shorter - start && older.at(-1 - end)?.text === newer.at(-1 - end)?.text) end += 1;
  const olderMiddle = older.slice(start, older.length - end);
  const newerMiddle = newer.slice(start, newer.length - end);
  const allChanged = [
    { added: false, value: olderMiddle },
    { added: true, value: newerMiddle },
  ];
  const needsDiff = olderMiddle.length > 1 || newerMiddle.length > 1;
  return [
    { added: false, value: newer.slice(0, start) },
    ...((needsDiff ? diff(olderMiddle, newerMiddle) : undefined) ?? allChanged),
    { added: false, value: newer.slice(newer.length - end) },
  ];
}

/** Changes the list itself where it can: a call takes a limited number of arguments. */
function replaceLines(lines: TracedLine[], start: number, end: number, replacement: TracedLine[]): TracedLine[] {
  if (replacement.length > 10_000) return lines.slice(0, start).concat(replacement, lines.slice(end));
  lines.splice(start, end - start, ...replacement);
  return lines;
}

function findChangedLines(lines: readonly TracedLine[], parts: readonly ReplacedPart[]): ChangedLines[] {
  const found: ChangedLines[] = [];
  let index = 0;
  let line = lines[0]?.text ?? "";
  let lineStart = 0;
  const moveTo = (position: number): void => {
    while (lineStart + line.length < position && index < lines.length - 1) {
      lineStart += line.length + 1;
      index += 1;
      line = lines[index]?.text ?? "";
    }
  };
  for (const { start, end, text } of parts) {
    moveTo(start);
    // Two parts can change the same line.
    let change = found.at(-1);
    if (change?.last !== index) {
      change = { first: index, last: index, olderText: line };
      found.push(change);
    }
    const unchangedLength = change.olderText.length - line.length + start - lineStart;
    moveTo(end);
    change.last = index;
    change.olderText = change.olderText.slice(0, unchangedLength) + text + line.slice(end - lineStart);
  }
  return found;
}
