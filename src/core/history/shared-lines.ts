import type { Steps } from "../runtime/turns.js";

/** Lines that two texts share: where they begin in both, from 0, and how many they are. */
export interface SharedLines {
  older: number;
  newer: number;
  count: number;
}

/**
 * The time to compare two texts grows with the square of the lines that differ. Texts over these bounds are too
 * different to be compared line by line.
 */
const maxEdits = 1000;
const maxComparisons = 5_000_000;

/** Work yields after so many steps, which take less than a millisecond. */
const stepsPerYield = 10_000;
const linesPerYield = 2000;

/**
 * The lines that two texts share where as few lines as possible are removed and added (Myers 1986), in their order.
 * Null: the texts are too different.
 */
export function* findSharedLines(older: readonly string[], newer: readonly string[]): Steps<SharedLines[] | null> {
  const numbers = new Map<string, number>();
  const olderNumbers = yield* numberLines(older, numbers);
  const newerNumbers = yield* numberLines(newer, numbers);
  const search = new PathSearch(olderNumbers, newerNumbers);
  return (yield* search.run()) ? search.trace() : null;
}

/** Equal lines have one number, so that long lines are compared once. */
function* numberLines(lines: readonly string[], numbers: Map<string, number>): Steps<Int32Array> {
  const numbered = new Int32Array(lines.length);
  for (const [index, line] of lines.entries()) {
    let number = numbers.get(line);
    if (number === undefined) numbers.set(line, (number = numbers.size));
    numbered[index] = number;
    if (index % linesPerYield === 0) yield;
  }
  return numbered;
}

/** A path goes through both texts by keeping, removing or adding a line at a time. */
class PathSearch {
  readonly #older: Int32Array;
  readonly #newer: Int32Array;
  /**
   * By the number of edits, then by the diagonal, which is how many more older lines than newer ones a path has passed:
   * how many older lines the furthest path has passed. -1: there is no path.
   */
  readonly #furthest: Int32Array[] = [];
  /** The diagonals between which a path can still reach the end sooner than those at the edges. */
  #lowest = -Infinity;
  #highest = Infinity;

  constructor(older: Int32Array, newer: Int32Array) {
    this.#older = older;
    this.#newer = newer;
  }

  /** Whether a path reaches the end of both texts within the bounds. */
  *run(): Steps<boolean> {
    let [comparisons, steps] = [0, 0];
    for (let edits = 0; edits <= maxEdits; edits += 1) {
      const furthest = new Int32Array(2 * edits + 1).fill(-1);
      this.#furthest.push(furthest);
      const last = Math.min(this.#highest, edits);
      for (let diagonal = Math.max(this.#lowest, -edits); diagonal <= last; diagonal += 2) {
        const start = this.#getStart(edits, diagonal);
        if (start === -1) continue;
        const end = this.#passEqualLines(start, diagonal);
        furthest[diagonal + edits] = end;
        if (this.#isEnd(end, diagonal)) return true;
        comparisons += end - start + 1;
        if (comparisons > maxComparisons) return false;
        if (comparisons < steps) continue;
        steps = comparisons + stepsPerYield;
        yield;
      }
    }
    return false;
  }

  /** The lines that the path keeps to the end, in their order. */
  trace(): SharedLines[] {
    const shared: SharedLines[] = [];
    let at = this.#older.length;
    let diagonal = this.#older.length - this.#newer.length;
    for (let edits = this.#furthest.length - 1; edits >= 0; edits -= 1) {
      const start = this.#getStart(edits, diagonal);
      if (at > start) shared.push({ older: start, newer: start - diagonal, count: at - start });
      const isRemoval = edits > 0 && this.#removes(edits, diagonal);
      at = isRemoval ? start - 1 : start;
      diagonal += isRemoval ? -1 : 1;
    }
    return shared.toReversed();
  }

  /** Where on a diagonal a path of so many edits begins to keep lines. */
  #getStart(edits: number, diagonal: number): number {
    if (edits === 0) return 0;
    if (this.#removes(edits, diagonal)) return this.#getEnd(edits - 1, diagonal - 1) + 1;
    return this.#canAdd(edits, diagonal) ? this.#getEnd(edits - 1, diagonal + 1) : -1;
  }

  /** Whether the last edit of the path removes a line; else it adds one. */
  #removes(edits: number, diagonal: number): boolean {
    const beforeRemoval = this.#getEnd(edits - 1, diagonal - 1);
    if (beforeRemoval === -1 || beforeRemoval >= this.#older.length) return false;
    return !this.#canAdd(edits, diagonal) || beforeRemoval >= this.#getEnd(edits - 1, diagonal + 1);
  }

  #canAdd(edits: number, diagonal: number): boolean {
    const beforeAddition = this.#getEnd(edits - 1, diagonal + 1);
    const newer = beforeAddition - diagonal;
    return beforeAddition !== -1 && newer > 0 && newer <= this.#newer.length;
  }

  #getEnd(edits: number, diagonal: number): number {
    return this.#furthest[edits]?.[diagonal + edits] ?? -1;
  }

  #passEqualLines(start: number, diagonal: number): number {
    let at = start;
    while (at < this.#older.length && this.#older[at] === this.#newer[at - diagonal]) at += 1;
    return at;
  }

  #isEnd(at: number, diagonal: number): boolean {
    const atEndOfOlder = at >= this.#older.length;
    const atEndOfNewer = at - diagonal >= this.#newer.length;
    if (atEndOfOlder) this.#highest = Math.min(this.#highest, diagonal - 1);
    if (atEndOfNewer) this.#lowest = Math.max(this.#lowest, diagonal + 1);
    return atEndOfOlder && atEndOfNewer;
  }
}
