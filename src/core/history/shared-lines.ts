import { runInTurns, type Steps, type Waiting } from "../runtime/turns.js";

/** A run of equal lines in two texts: its first line in each text, from 0, and its number of lines. */
export interface SharedLines {
  older: number;
  newer: number;
  count: number;
}

/**
 * The time to compare two texts grows with the square of the lines that differ. Texts beyond these bounds are not
 * compared line by line. Reason: the comparison blocks the event loop.
 */
const maxEdits = 500;
const maxComparisons = 2_000_000;

const linesPerYield = 2000;

/**
 * Finds the lines that stay if as few lines as possible are removed and added. Returns them in order, or null if the
 * texts are too different.
 */
export async function findSharedLines(
  older: readonly string[],
  newer: readonly string[],
  waiting: Waiting | null,
): Promise<SharedLines[] | null> {
  const numbers = new Map<string, number>();
  const olderNumbers = await runInTurns(numberLines(older, numbers), waiting);
  const olderCount = numbers.size;
  const newerNumbers = await runInTurns(numberLines(newer, numbers), waiting);
  if (newerNumbers.every((number) => number >= olderCount)) return older.length + newer.length > maxEdits ? null : [];
  const { diffArrays } = await import("diff");
  let comparisons = 0;
  const parts = diffArrays(olderNumbers, newerNumbers, {
    maxEditLength: maxEdits,
    comparator: (one, other) => (comparisons += 1) <= maxComparisons && one === other,
  });
  return parts === undefined || comparisons > maxComparisons ? null : listShared(parts);
}

/** Equal lines have one number, so that long lines are compared once. */
function* numberLines(lines: readonly string[], numbers: Map<string, number>): Steps<number[]> {
  const numbered: number[] = [];
  for (const line of lines) {
    let number = numbers.get(line);
    if (number === undefined) numbers.set(line, (number = numbers.size));
    if (numbered.push(number) % linesPerYield === 0) yield;
  }
  return numbered;
}

function listShared(parts: readonly { count: number; added: boolean; removed: boolean }[]): SharedLines[] {
  const shared: SharedLines[] = [];
  let [older, newer] = [0, 0];
  for (const { count, added, removed } of parts) {
    if (!added && !removed) shared.push({ older, newer, count });
    if (!added) older += count;
    if (!removed) newer += count;
  }
  return shared;
}
