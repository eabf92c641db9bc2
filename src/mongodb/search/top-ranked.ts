/** The best of a stream, at most so many; among equal scores the first ones. */
export class TopRanked<T> {
  readonly #capacity: number;
  /** A heap with the worst on top, so that most of a long stream is turned away by one comparison. */
  readonly #heap: Entry<T>[] = [];
  #pushed = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(value: T, score: number): void {
    const entry = { value, score, position: this.#pushed };
    this.#pushed += 1;
    if (this.#heap.length < this.#capacity) {
      this.#heap.push(entry);
      this.#rise(this.#heap.length - 1);
      return;
    }
    const [worst] = this.#heap;
    if (worst === undefined || !isWorse(worst, entry)) return;
    this.#heap[0] = entry;
    this.#sink();
  }

  /** Best first. */
  entries(): { value: T; score: number }[] {
    return this.#heap.toSorted((a, b) => (isWorse(a, b) ? 1 : -1)).map(({ value, score }) => ({ value, score }));
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfWorse(index, parent)) return;
      index = parent;
    }
  }

  #sink(): void {
    let index = 0;
    for (;;) {
      const [left, right] = [this.#heap[2 * index + 1], this.#heap[2 * index + 2]];
      if (left === undefined) return;
      const child = right !== undefined && isWorse(right, left) ? 2 * index + 2 : 2 * index + 1;
      if (!this.#swapIfWorse(child, index)) return;
      index = child;
    }
  }

  #swapIfWorse(child: number, parent: number): boolean {
    const [lower, upper] = [this.#heap[child], this.#heap[parent]];
    if (lower === undefined || upper === undefined || !isWorse(lower, upper)) return false;
    this.#heap[parent] = lower;
    this.#heap[child] = upper;
    return true;
  }
}

interface Entry<T> {
  value: T;
  score: number;
  position: number;
}

function isWorse(a: Entry<unknown>, b: Entry<unknown>): boolean {
  return a.score === b.score ? a.position > b.position : a.score < b.score;
}
