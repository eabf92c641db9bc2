import { runInTurns, type Steps, type Waiting } from "../runtime/turns.js";

/** Lines that two texts share: where they begin in both, from 0, and how many they are. */
export interface SharedLines {
  older: number;
  newer: number;
  count: number;
}

/**
 * The time to compare two texts grows with the square of the lines that differ. Texts over these bounds are too
 * different to be compared line by line: nobody else has the event loop meanwhile.
 */
const maxEdits = 500;
const maxComparisons = 2_000_000;

const linesPerYield = 2000;

/**
 * Finds the lines that two texts share where as few lines as possible are removed and added, in their order. Null: the
 * texts are too different.
 */
export async function findSharedLines(
  older: readonly string[],
  newer: readonly string[],
  waiting: Waiting | null,
): Promise<SharedLines[] | null> {
  const numbers = new Map<string, number>();
  const olderNumbers = await runInTurns(numberLines(older, numbers), waiting);
  const newerNumbers = await runInTurns(numberLines(newer, numbers), waiting);
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
