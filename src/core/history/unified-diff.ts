import { runInTurns, type Steps, type Waiting } from "../runtime/turns.js";
import { findSharedLines, type SharedLines } from "./shared-lines.js";

export interface DiffSide {
  /** The name in the header. */
  name: string;
  text: string;
}

/** A piece of a difference: lines with their sign, and the number of the first line in each text, from 1. */
export interface DiffHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
  /** Explains the hunk to a person. */
  note?: string;
}

/** Programs skip the text after the numbers of a hunk. */
const notes = {
  tooDifferent: "too different to show line by line: everything is removed and added",
  newlineAdded: "no line changes: only the newline at the end is added",
  newlineRemoved: "no line changes: only the newline at the end is removed",
} as const;

/** Number of equal lines shown around a change. */
const contextLines = 3;
const linesPerYield = 1000;

/**
 * Finds the pieces in which two texts differ, for people: with three lines of context. A missing newline at the end
 * does not count as a change of the line; if nothing else differs, a note reports it. Texts that are too different are
 * one piece, which removes and adds all lines.
 */
export async function findHunks(older: string, newer: string, waiting: Waiting | null): Promise<DiffHunk[]> {
  if (older === newer) return [];
  const [olderLines, newerLines] = [endLastLine(older), endLastLine(newer)];
  if (olderLines !== newerLines) return compareTexts(olderLines, newerLines, waiting);
  const note = newer.endsWith("\n") ? notes.newlineAdded : notes.newlineRemoved;
  return [await runInTurns(createNotedEnd(olderLines, note), waiting)];
}

/** Returns a unified diff that `patch` can apply; "" if the texts are equal. */
export async function unifiedDiff(older: DiffSide, newer: DiffSide, waiting: Waiting | null): Promise<string> {
  if (older.text === newer.text) return "";
  return formatDiff(older, newer, await compareTexts(older.text, newer.text, waiting), waiting);
}

/** Returns a unified diff for people, made of the pieces of `findHunks`; "" if the texts are equal. */
export async function readableDiff(older: DiffSide, newer: DiffSide, waiting: Waiting | null): Promise<string> {
  return formatDiff(older, newer, await findHunks(older.text, newer.text, waiting), waiting);
}

async function formatDiff(
  older: DiffSide,
  newer: DiffSide,
  hunks: readonly DiffHunk[],
  waiting: Waiting | null,
): Promise<string> {
  if (hunks.length === 0) return "";
  const { formatPatch, FILE_HEADERS_ONLY } = await import("diff");
  const names = { oldFileName: older.name, newFileName: newer.name, oldHeader: "", newHeader: "" };
  return formatPatch({ ...names, hunks: [] }, FILE_HEADERS_ONLY) + (await runInTurns(joinHunks(hunks), waiting));
}

/** An empty text has no line. */
function endLastLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Creates a piece that shows the last lines of a text without a change. */
function* createNotedEnd(text: string, note: string): Steps<DiffHunk> {
  const lines = yield* splitLines(text);
  const end = { oldStart: lines.length, oldEnd: lines.length, newStart: lines.length, newEnd: lines.length };
  return { ...(yield* createHunk([end], lines, lines)), note };
}

async function compareTexts(older: string, newer: string, waiting: Waiting | null): Promise<DiffHunk[]> {
  const olderLines = await runInTurns(splitLines(older), waiting);
  const newerLines = await runInTurns(splitLines(newer), waiting);
  const shared = await findSharedLines(olderLines, newerLines, waiting);
  const hunks = await runInTurns(createHunks(shared ?? [], olderLines, newerLines), waiting);
  return shared === null ? hunks.map((hunk) => ({ ...hunk, note: notes.tooDifferent })) : hunks;
}

function* createHunks(
  shared: readonly SharedLines[],
  older: readonly string[],
  newer: readonly string[],
): Steps<DiffHunk[]> {
  const hunks: DiffHunk[] = [];
  for (const changes of groupChanges(findChanges(shared, older.length, newer.length))) {
    hunks.push(yield* createHunk(changes, older, newer));
    yield;
  }
  return hunks;
}

/** Yields each line with its newline, if it has one. */
function* splitLines(text: string): Steps<string[]> {
  const lines: string[] = [];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline + 1;
    lines.push(text.slice(start, end));
    start = end;
    if (lines.length % linesPerYield === 0) yield;
  }
  return lines;
}

/** A replacement of lines: the start and the end of the old and the new lines, from 0. */
interface LineChange {
  oldStart: number;
  oldEnd: number;
  newStart: number;
  newEnd: number;
}

function findChanges(shared: readonly SharedLines[], oldLength: number, newLength: number): LineChange[] {
  const changes: LineChange[] = [];
  let [oldStart, newStart] = [0, 0];
  for (const { older, newer, count } of [...shared, { older: oldLength, newer: newLength, count: 0 }]) {
    if (older > oldStart || newer > newStart) changes.push({ oldStart, oldEnd: older, newStart, newEnd: newer });
    [oldStart, newStart] = [older + count, newer + count];
  }
  return changes;
}

/** Puts changes whose context lines touch or overlap into one group. */
function groupChanges(changes: readonly LineChange[]): LineChange[][] {
  const groups: LineChange[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (last !== undefined && change.oldStart - last.oldEnd <= 2 * contextLines) group?.push(change);
    else groups.push([change]);
  }
  return groups;
}

function* createHunk(
  changes: readonly LineChange[],
  older: readonly string[],
  newer: readonly string[],
): Steps<DiffHunk> {
  const lines: string[] = [];
  const add = function* (sign: string, from: readonly string[], start: number, end: number): Steps<void> {
    for (let index = start; index < end; index += 1) {
      const line = from[index] ?? "";
      if (line.endsWith("\n")) lines.push(sign + line.slice(0, -1));
      else lines.push(sign + line, "\\ No newline at end of file");
      if (index % linesPerYield === 0) yield;
    }
  };
  const before = Math.min(contextLines, changes[0]?.oldStart ?? 0);
  const oldStart = (changes[0]?.oldStart ?? 0) - before;
  const newStart = (changes[0]?.newStart ?? 0) - before;
  let [oldEnd, newEnd] = [oldStart, newStart];
  for (const change of changes) {
    yield* add(" ", older, oldEnd, change.oldStart);
    yield* add("-", older, change.oldStart, change.oldEnd);
    yield* add("+", newer, change.newStart, change.newEnd);
    ({ oldEnd, newEnd } = change);
  }
  const after = Math.min(contextLines, older.length - oldEnd);
  yield* add(" ", older, oldEnd, oldEnd + after);
  return {
    oldStart: oldStart + 1,
    oldLines: oldEnd + after - oldStart,
    newStart: newStart + 1,
    newLines: newEnd + after - newStart,
    lines,
  };
}

function* joinHunks(hunks: readonly DiffHunk[]): Steps<string> {
  let text = "";
  for (const { oldStart, oldLines, newStart, newLines, lines, note } of hunks) {
    // A range without lines begins at the line before it.
    const oldRange = `${oldLines === 0 ? oldStart - 1 : oldStart},${oldLines}`;
    const newRange = `${newLines === 0 ? newStart - 1 : newStart},${newLines}`;
    text += `@@ -${oldRange} +${newRange} @@${note === undefined ? "" : ` ${note}`}\n`;
    for (let start = 0; start < lines.length; start += linesPerYield) {
      text += `${lines.slice(start, start + linesPerYield).join("\n")}\n`;
      yield;
    }
  }
  return text;
}
