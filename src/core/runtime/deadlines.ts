/**
 * Ends calls at their deadlines. All calls with the same limit of time share a timer, which runs on when a call ends.
 * Reason: a timer for each call takes as long as everything else that a small call in memory does.
 */
class Deadlines {
  readonly #timeoutMs: number;
  /** In the order of their ends, because all have the same limit. */
  readonly #waiting = new Set<{ endsMs: number; end: () => void }>();
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  add(end: () => void): () => void {
    const nowMs = performance.now();
    const deadline = { endsMs: nowMs + this.#timeoutMs, end };
    this.#waiting.add(deadline);
    // An overdue timer may never come: tests replace the timers of a process, and put them back.
    if (this.#timer === undefined || nowMs > this.#dueMs) this.#setTimer(nowMs);
    return () => this.#waiting.delete(deadline);
  }

  #setTimer(nowMs: number): void {
    clearTimeout(this.#timer);
    const [first] = this.#waiting;
    if (first === undefined) {
      byLimit.delete(this.#timeoutMs);
      return;
    }
    this.#dueMs = first.endsMs;
    // The timer must not keep the process alive. What the call waits for does that.
    this.#timer = setTimeout(() => this.#endOverdue(), Math.max(0, first.endsMs - nowMs)).unref();
  }

  #endOverdue(): void {
    const nowMs = performance.now();
    for (const deadline of this.#waiting) {
      if (deadline.endsMs > nowMs) break;
      this.#waiting.delete(deadline);
      deadline.end();
    }
    this.#setTimer(nowMs);
  }
}

/** By the limit in ms. A limit that nobody uses any more is removed when its timer ends. */
const byLimit = new Map<number, Deadlines>();

/** Calls `end` after the time, unless the returned function is called before. @param timeoutMs Infinity: never */
export function setDeadline(timeoutMs: number, end: () => void): () => void {
  if (timeoutMs === Infinity) return () => undefined;
  let deadlines = byLimit.get(timeoutMs);
  if (deadlines === undefined) {
    deadlines = new Deadlines(timeoutMs);
    byLimit.set(timeoutMs, deadlines);
  }
  return deadlines.add(end);
}
