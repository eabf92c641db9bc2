import type { CallContext } from "../runtime/call.js";
import { runInTurns, type Steps } from "../runtime/turns.js";
import type { BlamedLine } from "./history.js";
import type { FileLineage, LineageStep } from "./history-backend.js";
import { isWhole, type OlderText, readOlderText } from "./older-text.js";
import { findSharedLines } from "./shared-lines.js";

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
  for await (const { version, before } of eachStep(steps)) {
    // The text before a redacted version is stored whole, so what that version kept can be traced back further.
    if (isRedacted && (version.redactedAt === undefined || (isDifference(before) && !isWhole(before)))) break;
    if (before === "same") continue;
    if (before === null) {
      isRedacted = true;
      continue;
    }
    const { older, changed } =
      before === "none" ? { older: newer, changed: newer.lines } : await runInTurns(goBack(newer, before), call);
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
function* goBack(newer: TracedText, before: OlderText): Steps<{ older: TracedText; changed: TracedLine[] }> {
  const text = readOlderText(before, newer.text);
  yield;
  const olderLines = splitLines(text);
  yield;
  const { lines } = newer;
  const shorter = Math.min(olderLines.length, lines.length);
  let start = 0;
  while (start < shorter && olderLines[start] === lines[start]?.text) {
    start += 1;
    if (start % linesPerYield === 0) yield;
  }
  let end = 0;
  while (end < shorter - start && olderLines.at(-1 - end) === lines.at(-1 - end)?.text) {
    end += 1;
    if (end % linesPerYield === 0) yield;
  }
  yield;
  const middle = olderLines.slice(start, olderLines.length - end);
  const { kept, changed } = yield* compareLines(middle, lines.slice(start, lines.length - end));
  return { older: { text, lines: lines.slice(0, start).concat(kept, lines.slice(lines.length - end)) }, changed };
}

interface ComparedLines {
  /** The older lines. Those that are equal are the newer ones. */
  kept: TracedLine[];
  /** The newer lines that are not among them. */
  changed: TracedLine[];
}

function* compareLines(older: readonly string[], newer: readonly TracedLine[]): Steps<ComparedLines> {
  const newerTexts = yield* mapInSteps(newer, ({ text }) => text);
  const shared = yield* findSharedLines(older, newerTexts);
  if (shared === null) return yield* compareAtPositions(older, newer);
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

/** Texts of different numbers of lines have none in common. */
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
