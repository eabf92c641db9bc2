import { findHunks } from "../core/history/unified-diff.js";
import type { WireHunk } from "./wire.js";

/** Returns the difference between two texts. Null stands for a missing file. */
export function compareTexts(older: string | null, newer: string | null): Promise<WireHunk[]> {
  return findHunks(older ?? "", newer ?? "");
}

const head = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/;

/**
 * Parses the hunks of a proposal's diff. Each line of a text has a sign before it, so none can pass for a hunk header.
 * Other parts, such as a list of files, become hunks without numbers.
 */
export function parseHunks(diff: string): WireHunk[] {
  const lines = diff.replace(/^--- .*\n\+\+\+ .*\n/, "").split("\n");
  if (lines.at(-1) === "") lines.pop();
  const hunks: WireHunk[] = [];
  for (const line of lines) {
    const numbers = head.exec(line)?.map(Number);
    const [, oldStart = 0, oldLines = 0, newStart = 0, newLines = 0] = numbers ?? [];
    if (numbers !== undefined || hunks.length === 0) hunks.push({ oldStart, oldLines, newStart, newLines, lines: [] });
    if (numbers === undefined) hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}
