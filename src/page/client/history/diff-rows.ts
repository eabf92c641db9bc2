import { countShared } from "../../../core/values/shared-ends.js";
import type { Hunk } from "../data/types.js";

/** A line of a diff, or a separator between its hunks. */
export interface DiffRow {
  kind: "same" | "added" | "removed" | "gap" | "note";
  text: string;
  /** Line number in the older text, from 1. `newer` is the number in the newer text. */
  older: number | null;
  newer: number | null;
  /** The changed part of a line that replaces another line: its start and its end. */
  changed?: [start: number, end: number];
}

const kinds: Record<string, "same" | "added" | "removed"> = { " ": "same", "+": "added", "-": "removed" };

export function createRows(hunks: readonly Hunk[]): DiffRow[] {
  const rows: DiffRow[] = [];
  for (const hunk of hunks) {
    const { oldStart, oldLines, newStart, newLines } = hunk;
    const head = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
    if (rows.length > 0 || oldStart > 1) rows.push({ kind: "gap", text: head, older: null, newer: null });
    if (hunk.note !== undefined) rows.push({ kind: "note", text: hunk.note, older: null, newer: null });
    // A spread takes some 100,000 arguments at most.
    for (const row of oldStart + newStart === 0 ? createNotes(hunk) : createLines(hunk)) rows.push(row);
  }
  markChanges(rows);
  return rows;
}

/** Converts a list of files, or a remark. */
function createNotes({ lines }: Hunk): DiffRow[] {
  return lines.map((line) => {
    const [, sign = "", path] = /^([+-]) (\/.*)/.exec(line) ?? [];
    return { kind: kinds[sign] ?? "note", text: path ?? line, older: null, newer: null };
  });
}

function createLines({ oldStart, newStart, lines }: Hunk): DiffRow[] {
  const rows: DiffRow[] = [];
  let older = oldStart;
  let newer = newStart;
  for (const line of lines) {
    const kind = kinds[line.charAt(0)];
    // Skips the remark about a missing newline at the end.
    if (line.startsWith("\\")) continue;
    if (kind === undefined) rows.push({ kind: "note", text: line, older: null, newer: null });
    else
      rows.push({
        kind,
        text: line.slice(1),
        older: kind === "added" ? null : older,
        newer: kind === "removed" ? null : newer,
      });
    if (kind === "same" || kind === "removed") older += 1;
    if (kind === "same" || kind === "added") newer += 1;
  }
  return rows;
}

/** Marks the changed parts of removed lines that as many added lines follow. */
function markChanges(rows: readonly DiffRow[]): void {
  for (let start = 0; start < rows.length;) {
    const middle = findEnd(rows, start, "removed");
    const end = findEnd(rows, middle, "added");
    if (middle - start === end - middle)
      rows.slice(start, middle).forEach((older, index) => markChange(older, rows[middle + index]));
    start = Math.max(end, start + 1);
  }
}

/** Returns the index after the rows of a kind that begin at an index. */
function findEnd(rows: readonly DiffRow[], start: number, kind: DiffRow["kind"]): number {
  let end = start;
  while (rows[end]?.kind === kind) end += 1;
  return end;
}

/** Marks the part of two lines that is between their common start and their common end. */
function markChange(older: DiffRow, newer: DiffRow | undefined): void {
  if (newer === undefined) return;
  const { start, end } = countShared(older.text, newer.text);
  // Lines with little in common count as wholly changed.
  if (start + end < Math.min(older.text.length, newer.text.length) / 3) return;
  older.changed = [start, older.text.length - end];
  newer.changed = [start, newer.text.length - end];
}
