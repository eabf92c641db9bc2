/** A line of a diff, or what stands between its pieces. */
export interface DiffRow {
  kind: "same" | "added" | "removed" | "gap" | "note";
  text: string;
  /** From 1, in the older and the newer text. */
  older: number | null;
  newer: number | null;
  /** What of the line is changed, where it replaces another: from and up to these places. */
  changed?: [start: number, end: number];
  chars: number;
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * The rows of a unified diff. Its head counts the lines of each hunk, so that no content can pass for a head. What is
 * no hunk is a note.
 */
export function parseDiff(diff: string): DiffRow[] {
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const rows: DiffRow[] = [];
  let index = lines[0]?.startsWith("--- ") === true && lines[1]?.startsWith("+++ ") === true ? 2 : 0;
  let isFirst = true;
  while (index < lines.length) {
    const line = lines[index] ?? "";
    index += 1;
    const [, olderStart, olderCount = "1", newerStart, newerCount = "1"] = hunkHead.exec(line) ?? [];
    if (olderStart === undefined || newerStart === undefined) {
      if (!line.startsWith("\\ ")) rows.push(noteOf(line));
      continue;
    }
    if (!isFirst || Number(olderStart) > 1) rows.push({ kind: "gap", text: line, older: null, newer: null, chars: 40 });
    isFirst = false;
    let [older, newer] = [Number(olderStart), Number(newerStart)];
    const [olderEnd, newerEnd] = [older + Number(olderCount), newer + Number(newerCount)];
    for (
      ;
      index < lines.length && (older < olderEnd || newer < newerEnd || lines[index]?.startsWith("\\ ") === true);
      index += 1
    ) {
      const [sign, text] = [lines[index]?.[0], lines[index]?.slice(1) ?? ""];
      if (sign === "\\") continue;
      const kind = sign === "+" ? "added" : sign === "-" ? "removed" : "same";
      rows.push({
        kind,
        text,
        older: kind === "added" ? null : older,
        newer: kind === "removed" ? null : newer,
        chars: text.length + 40,
      });
      if (kind !== "added") older += 1;
      if (kind !== "removed") newer += 1;
    }
  }
  markChanges(rows);
  return rows;
}

/** Of a list of files: those with a sign are coloured by it. */
function noteOf(line: string): DiffRow {
  const kind = /^[+-] \//.test(line) ? (line.startsWith("+") ? "added" : "removed") : "note";
  return { kind, text: kind === "note" ? line : line.slice(2), older: null, newer: null, chars: line.length + 40 };
}

/** Lines that replace as many others differ between what both begin and end with. */
function markChanges(rows: DiffRow[]): void {
  for (let start = 0; start < rows.length;) {
    if (rows[start]?.kind !== "removed") {
      start += 1;
      continue;
    }
    let middle = start;
    while (rows[middle]?.kind === "removed") middle += 1;
    let end = middle;
    while (rows[end]?.kind === "added") end += 1;
    if (end - middle === middle - start)
      for (let index = start; index < middle; index += 1) markPair(rows[index], rows[index + middle - start]);
    start = end;
  }
}

function markPair(older: DiffRow | undefined, newer: DiffRow | undefined): void {
  if (older === undefined || newer === undefined) return;
  const shortest = Math.min(older.text.length, newer.text.length);
  let start = 0;
  while (start < shortest && older.text[start] === newer.text[start]) start += 1;
  let end = 0;
  while (end < shortest - start && older.text.at(-1 - end) === newer.text.at(-1 - end)) end += 1;
  // Of lines that have little in common, all is changed.
  if (start + end < shortest / 3) return;
  older.changed = [start, older.text.length - end];
  newer.changed = [start, newer.text.length - end];
}

/** A row of two columns. */
export interface SplitRow {
  left: DiffRow | null;
  right: DiffRow | null;
  chars: number;
}

/** Removed lines beside the added ones that follow them. */
export function splitRows(rows: readonly DiffRow[]): SplitRow[] {
  const split: SplitRow[] = [];
  let removed: DiffRow[] = [];
  let added: DiffRow[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      const [left = null, right = null] = [removed[index], added[index]];
      split.push({ left, right, chars: (left?.chars ?? 0) + (right?.chars ?? 0) });
    }
    [removed, added] = [[], []];
  };
  for (const row of rows) {
    if (row.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(row);
    } else if (row.kind === "added") added.push(row);
    else {
      flush();
      split.push({ left: row, right: row, chars: row.chars * 2 });
    }
  }
  flush();
  return split;
}
