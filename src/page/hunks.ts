import { type DiffHunk, findHunks } from "../core/history/unified-diff.js";
import { memoryDefaults } from "../core/memory-options.js";
import { withinTime } from "../core/runtime/call.js";

/** Compares two texts within the time limit of a call. Null means a missing file. */
export function compareTexts(older: string | null, newer: string | null, signal: AbortSignal): Promise<DiffHunk[]> {
  const limits = { signals: [signal], timeoutMs: memoryDefaults.timeoutMs };
  return withinTime(limits, "read", (call) => findHunks(older ?? "", newer ?? "", call));
}

const head = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@(?: (.*))?$/;

/**
 * Parses the hunks of a proposal's diff. Each line of a text has a sign before it, so none can pass for a hunk header.
 * Other parts, such as a list of files, become hunks without numbers.
 */
export function parseHunks(diff: string): DiffHunk[] {
  const lines = diff.replace(/^--- .*\n\+\+\+ .*\n/, "").split("\n");
  if (lines.at(-1) === "") lines.pop();
  const hunks: DiffHunk[] = [];
  for (const line of lines) {
    const found = head.exec(line);
    const [oldStart = 0, oldLines = 0, newStart = 0, newLines = 0] = found?.slice(1, 5).map(Number) ?? [];
    const note = found?.[5];
    if (found !== null || hunks.length === 0)
      hunks.push({ oldStart, oldLines, newStart, newLines, lines: [], ...(note !== undefined && { note }) });
    if (found === null) hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}
