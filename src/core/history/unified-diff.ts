import { mapInSteps } from "../runtime/lists-in-steps.js";
import { runInTimeSlices, type Steps, type Waiting } from "../runtime/time-slices.js";

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

/**
 * Texts that have more lines together, or differ in more lines, are not compared line by line. The comparison blocks
 * the event loop, up to 100 ms within these bounds. A time-out would make a diff depend on how busy the machine is.
 */
export const comparisonBounds = { maxLines: 50_000, maxEditLength: 500 } as const;

/**
 * Finds the pieces in which two texts differ, for people: with three lines of context. A missing newline at the end
 * does not count as a change of the line; if nothing else differs, a note reports it. Texts that are too different are
 * one piece, which removes and adds all lines.
 */
export async function findHunks(older: string, newer: string, waiting: Waiting | null): Promise<DiffHunk[]> {
  if (older === newer) return [];
  const [olderLines, newerLines] = [endLastLine(older), endLastLine(newer)];
  if (olderLines !== newerLines) return compareTexts(olderLines, newerLines, waiting);
  const all = splitLines(olderLines);
  const lines = all.slice(-contextLines).map((line) => ` ${line}`);
  const start = all.length - lines.length + 1;
  const note = newer.endsWith("\n") ? notes.newlineAdded : notes.newlineRemoved;
  return [{ oldStart: start, oldLines: lines.length, newStart: start, newLines: lines.length, lines, note }];
}

/** Returns a unified diff that `patch` can apply; "" if the texts are equal. */
export async function unifiedDiff(older: DiffSide, newer: DiffSide, waiting: Waiting | null): Promise<string> {
  if (older.text === newer.text) return "";
  return formatDiff(older, newer, await compareTexts(older.text, newer.text, waiting));
}

/** Returns a unified diff for people, made of the pieces of `findHunks`; "" if the texts are equal. */
export async function readableDiff(older: DiffSide, newer: DiffSide, waiting: Waiting | null): Promise<string> {
  return formatDiff(older, newer, await findHunks(older.text, newer.text, waiting));
}

async function formatDiff(older: DiffSide, newer: DiffSide, hunks: DiffHunk[]): Promise<string> {
  if (hunks.length === 0) return "";
  const { FILE_HEADERS_ONLY, formatPatch } = await import("diff");
  const names = { oldFileName: older.name, newFileName: newer.name, oldHeader: "", newHeader: "" };
  const diff = formatPatch({ ...names, hunks }, FILE_HEADERS_ONLY);
  // A piece with a note is the only one.
  const note = hunks[0]?.note;
  return note === undefined ? diff : diff.replace(/^@@ .* @@$/m, (numbers) => `${numbers} ${note}`);
}

/** An empty text has no line. */
function endLastLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

async function compareTexts(older: string, newer: string, waiting: Waiting | null): Promise<DiffHunk[]> {
  const [olderLines, newerLines] = [splitLines(older), splitLines(newer)];
  if (olderLines.length + newerLines.length <= comparisonBounds.maxLines) {
    const { structuredPatch } = await import("diff");
    const options = { context: contextLines, maxEditLength: comparisonBounds.maxEditLength };
    const patch = structuredPatch("", "", older, newer, "", "", options);
    if (patch !== undefined) return patch.hunks;
  }
  const removed = await runInTimeSlices(signLines("-", olderLines, older), waiting);
  const added = await runInTimeSlices(signLines("+", newerLines, newer), waiting);
  return [
    {
      oldStart: 1,
      oldLines: olderLines.length,
      newStart: 1,
      newLines: newerLines.length,
      lines: removed.concat(added),
      note: notes.tooDifferent,
    },
  ];
}

/** Returns the lines without their newlines. */
function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function* signLines(sign: "+" | "-", lines: readonly string[], text: string): Steps<string[]> {
  const signed = yield* mapInSteps(lines, (line) => sign + line);
  if (text !== "" && !text.endsWith("\n")) signed.push("\\ No newline at end of file");
  return signed;
}
