import type { CallContext } from "../runtime/call.js";
import { runInTurns, type Steps, Turns } from "../runtime/turns.js";
import type { BlamedLine } from "./history.js";
import type { FileLineage, LineageStep } from "./history-backend.js";
import { isWhole, type OlderText, readOlderText } from "./older-text.js";
import { findSharedLines, type SharedLines } from "./shared-lines.js";

/** A line of the text that is traced back, version by version. */
interface TracedLine {
  text: string;
  /** Index of the line in the present text; -1 if the line is not there. */
  present: number;
}

interface TracedText {
  text: string;
  lines: readonly TracedLine[];
}

const linesPerYield = 10_000;

/**
 * Goes back from the present text until the version of each line is known. Texts that are too different are compared
 * at the same positions, so that a line may have the version in which it only moved.
 */
export async function blameLines({ text, steps }: FileLineage, call: CallContext): Promise<BlamedLine[]> {
  const lines = splitLines(text);
  const createBlamed = (line: string, index: number): BlamedLine => ({ line: index + 1, text: line, version: null });
  const blamed = await runInTurns(mapInSteps(lines, createBlamed), call);
  let unknown = blamed.length;
  const createTraced = (line: string, present: number): TracedLine => ({ text: line, present });
  let newer: TracedText = { text, lines: await runInTurns(mapInSteps(lines, createTraced), call) };
  let isRedacted = false;
  const turns = new Turns(call);
  for await (const { version, before } of eachStep(steps)) {
    if (turns.isOver()) await turns.next();
    // The text before a redacted version is stored whole, so what that version kept can be traced back further.
    if (isRedacted && (version.redactedAt === undefined || (isDifference(before) && !isWhole(before)))) break;
    if (before === "same") continue;
    if (before === null) {
      isRedacted = true;
      continue;
    }
    const { older, changed } =
      before === "none" ? { older: newer, changed: newer.lines } : await goBack(newer, before, call);
    for (const { present } of changed) {
      const line = blamed[present];
      if (line === undefined) continue;
      if (isRedacted) line.redacted = true;
      else line.version = version;
      unknown -= 1;
    }
    if (unknown === 0) break;
    newer = older;
    isRedacted = false;
  }
  return blamed;
}

function isDifference(before: LineageStep["before"]): before is OlderText {
  return typeof before === "object" && before !== null;
}

/** A newline ends a line; no empty line follows the last one. */
function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Maps a list, and pauses after each few thousand elements. */
function* mapInSteps<T, R>(list: readonly T[], map: (element: T, index: number) => R): Steps<R[]> {
  const mapped: R[] = [];
  for (const [index, element] of list.entries()) {
    if (index % linesPerYield === 0) yield;
    mapped.push(map(element, index));
  }
  return mapped;
}

async function* eachStep(steps: FileLineage["steps"]): AsyncGenerator<LineageStep> {
  for await (const batch of steps) yield* batch;
}

/** @returns the older text, and the newer lines that it does not have */
async function goBack(
  newer: TracedText,
  before: OlderText,
  call: CallContext,
): Promise<{ older: TracedText; changed: TracedLine[] }> {
  const text = readOlderText(before, newer.text);
  const olderLines = splitLines(text);
  const { lines } = newer;
  const { start, end } = await runInTurns(countEqualLines(olderLines, lines), call);
  const middle = olderLines.slice(start, olderLines.length - end);
  const { kept, changed } = await compareLines(middle, lines.slice(start, lines.length - end), call);
  return { older: { text, lines: lines.slice(0, start).concat(kept, lines.slice(lines.length - end)) }, changed };
}

/** Counts the equal lines at the start and at the end. */
function* countEqualLines(
  older: readonly string[],
  newer: readonly TracedLine[],
): Steps<{ start: number; end: number }> {
  const shorter = Math.min(older.length, newer.length);
  let start = 0;
  while (start < shorter && older[start] === newer[start]?.text) {
    start += 1;
    if (start % linesPerYield === 0) yield;
  }
  let end = 0;
  while (end < shorter - start && older.at(-1 - end) === newer.at(-1 - end)?.text) {
    end += 1;
    if (end % linesPerYield === 0) yield;
  }
  return { start, end };
}

interface ComparedLines {
  /** The older lines. An equal line is the object of the newer line. */
  kept: TracedLine[];
  /** The newer lines that the older text does not have. */
  changed: TracedLine[];
}

async function compareLines(
  older: readonly string[],
  newer: readonly TracedLine[],
  call: CallContext,
): Promise<ComparedLines> {
  const newerTexts = await runInTurns(
    mapInSteps(newer, ({ text }) => text),
    call,
  );
  const shared = await findSharedLines(older, newerTexts, call);
  return runInTurns(shared === null ? compareAtPositions(older, newer) : pickLines(older, newer, shared), call);
}

function* pickLines(
  older: readonly string[],
  newer: readonly TracedLine[],
  shared: readonly SharedLines[],
): Steps<ComparedLines> {
  const kept: TracedLine[] = [];
  const changed: TracedLine[] = [];
  let [olderEnd, newerEnd] = [0, 0];
  for (const run of [...shared, { older: older.length, newer: newer.length, count: 0 }]) {
    for (const text of older.slice(olderEnd, run.older)) kept.push({ text, present: -1 });
    for (const line of newer.slice(newerEnd, run.newer)) changed.push(line);
    [olderEnd, newerEnd] = [run.older + run.count, run.newer + run.count];
    for (const line of newer.slice(run.newer, newerEnd)) kept.push(line);
    yield;
  }
  return { kept, changed };
}

/** Compares the lines at equal positions. Texts with different numbers of lines have no line in common. */
function* compareAtPositions(older: readonly string[], newer: readonly TracedLine[]): Steps<ComparedLines> {
  const kept: TracedLine[] = [];
  const changed: TracedLine[] = [];
  const arePositionsEqual = older.length === newer.length;
  for (const [index, text] of older.entries()) {
    if (index % linesPerYield === 0) yield;
    const line = newer[index];
    if (arePositionsEqual && line?.text === text) {
      kept.push(line);
      continue;
    }
    kept.push({ text, present: -1 });
    if (arePositionsEqual && line !== undefined) changed.push(line);
  }
  return { kept, changed: arePositionsEqual ? changed : [...newer] };
}
