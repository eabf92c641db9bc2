import type { ArrayChange } from "diff";
import type { CallContext } from "../runtime/call.js";
import { mapInSteps } from "../runtime/lists-in-steps.js";
import { runInTimeSlices, type Steps, TimeSlices } from "../runtime/time-slices.js";
import type { BlamedLine } from "./history.js";
import type { FileLineage, LineageStep } from "./history-backend.js";
import type { OlderText } from "./older-text.js";
import { comparisonBounds } from "./unified-diff.js";

/** A line of the text that is traced back, version by version. */
interface TracedLine {
  text: string;
  /** Index of the line in the present text; -1 if the line is not there. */
  present: number;
}

const linesPerYield = 10_000;

/**
 * Goes back from the present text until the version of each line is known. Texts that are too different are compared
 * at the same positions, so that a line may have the version in which it only moved.
 */
export async function blameLines({ text, steps }: FileLineage, call: CallContext): Promise<BlamedLine[]> {
  const lines = text.split("\n");
  const createBlamed = (line: string, index: number): BlamedLine => ({ line: index + 1, text: line, version: null });
  // A newline ends a line, so an empty text after the last newline is no line.
  const blamed = await runInTimeSlices(
    mapInSteps(lines.at(-1) === "" ? lines.slice(0, -1) : lines, createBlamed),
    call,
  );
  let unknown = blamed.length;
  const createTraced = (line: string, present: number): TracedLine => ({ text: line, present });
  let newer: readonly TracedLine[] = await runInTimeSlices(mapInSteps(lines, createTraced), call);
  let isRedacted = false;
  const slices = new TimeSlices(call);
  for await (const { version, before } of eachStep(steps)) {
    if (slices.isOver()) await slices.next();
    if (isRedacted && version.redactedAt === undefined) break;
    if (before === "same") continue;
    if (before === null) {
      isRedacted = true;
      continue;
    }
    const { older, changed } = before === "none" ? { older: newer, changed: newer } : await goBack(newer, before, call);
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

async function* eachStep(steps: FileLineage["steps"]): AsyncGenerator<LineageStep> {
  for await (const batch of steps) yield* batch;
}

/**
 * Compares only the lines that the difference touches: a file of a thousand versions would otherwise be split a
 * thousand times.
 * @param newer all lines; the last is what follows the last newline
 * @returns the older lines, and the newer lines that the older text does not have
 */
async function goBack(
  newer: readonly TracedLine[],
  before: OlderText,
  call: CallContext,
): Promise<{ older: readonly TracedLine[]; changed: TracedLine[] }> {
  const { first, last, start, end } = await runInTimeSlices(findTouched(newer, before), call);
  const [firstText = "", lastText = ""] = [newer[first]?.text, newer[last]?.text];
  const olderText = firstText.slice(0, start) + before.text + lastText.slice(lastText.length - end);
  const [older, touched] = [olderText.split("\n"), newer.slice(first, last + 1)];
  const isEnd = last === newer.length - 1;
  const olderCount = older.length - (isEnd && older.at(-1) === "" ? 1 : 0);
  const newerCount = touched.length - (isEnd && touched.at(-1)?.text === "" ? 1 : 0);
  const { kept, changed } = await compareLines(older.slice(0, olderCount), touched.slice(0, newerCount), call);
  const rest = older.slice(olderCount).map((text) => ({ text, present: -1 }));
  return { older: newer.slice(0, first).concat(kept, rest, newer.slice(last + 1)), changed };
}

/**
 * Finds the first and the last line that a difference touches.
 * @returns also how many units the older text has of the start of the first, and of the end of the last
 */
function* findTouched(
  lines: readonly TracedLine[],
  before: OlderText,
): Steps<{ first: number; last: number; start: number; end: number }> {
  let [first, start] = [0, before.start];
  for (let length = lines[first]?.text.length ?? 0; start > length; length = lines[first]?.text.length ?? 0) {
    start -= length + 1;
    first += 1;
    if (first % linesPerYield === 0) yield;
  }
  let [last, end] = [lines.length - 1, before.end];
  for (let length = lines[last]?.text.length ?? 0; end > length; length = lines[last]?.text.length ?? 0) {
    end -= length + 1;
    last -= 1;
    if (last % linesPerYield === 0) yield;
  }
  return { first, last, start, end };
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
  const { start, end } = await runInTimeSlices(countEqualLines(older, newer), call);
  const [olderMiddle, newerMiddle] = [older.slice(start, older.length - end), newer.slice(start, newer.length - end)];
  const parts = await compareLineByLine(olderMiddle, newerMiddle);
  const { kept, changed } =
    parts === undefined
      ? await runInTimeSlices(compareAtPositions(olderMiddle, newerMiddle), call)
      : pickLines(newerMiddle, parts);
  return { kept: newer.slice(0, start).concat(kept, newer.slice(newer.length - end)), changed };
}

async function compareLineByLine(
  older: string[],
  newer: readonly TracedLine[],
): Promise<ArrayChange<string>[] | undefined> {
  const { maxLines, maxEditLength } = comparisonBounds;
  if (older.length + newer.length > maxLines) return undefined;
  const { diffArrays } = await import("diff");
  const newerTexts = newer.map(({ text }) => text);
  return diffArrays(older, newerTexts, { maxEditLength });
}

function pickLines(newer: readonly TracedLine[], parts: readonly ArrayChange<string>[]): ComparedLines {
  const kept: TracedLine[] = [];
  const changed: TracedLine[] = [];
  let next = 0;
  for (const { value, added, removed } of parts) {
    if (removed) {
      for (const text of value) kept.push({ text, present: -1 });
      continue;
    }
    for (const line of newer.slice(next, (next += value.length))) (added ? changed : kept).push(line);
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
