import { MemoryError } from "./errors.js";

/** How long a caller waits for a call. */
export interface Waiting {
  /** Each of them ends the wait. */
  signals: readonly AbortSignal[];
  /** Infinity for no limit. */
  timeoutMs: number;
}

/** A call as those see it who carry it out: until when they may go on. */
export interface OngoingCall {
  /** How long the whole call may take; at most 2,147,483,647, or Infinity for no limit. */
  readonly timeoutMs: number;
  /** Whether nobody waits for it any more. What has not begun by then must not begin. */
  readonly isOver: boolean;
  /** Why it is over. */
  readonly reason: unknown;
  /** Aborts when it is over. Made when it is first read, because that takes as long as a small call in memory. */
  readonly signal: AbortSignal;
  /** @throws the reason, where it is over */
  throwIfOver(): void;
  /** Tells when it gets over, at much less cost than `signal`. */
  onOver(listener: () => void): void;
}

class Call implements OngoingCall {
  readonly timeoutMs: number;
  isOver = false;
  reason: unknown;
  #listeners: (() => void)[] | undefined;
  #controller: AbortController | undefined;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.isOver) controller.abort(this.reason);
      else this.onOver(() => controller.abort(this.reason));
    }
    return this.#controller.signal;
  }

  throwIfOver(): void {
    if (this.isOver) throw this.reason;
  }

  onOver(listener: () => void): void {
    this.#listeners ??= [];
    this.#listeners.push(listener);
  }

  end(reason: unknown): void {
    this.isOver = true;
    this.reason = reason;
    this.#listeners?.forEach((listener) => listener());
  }
}

/**
 * Runs a call, and ends the wait for it when a signal aborts or its time is up. What the call itself does then ends with
 * its next step, and how it ends is told to nobody.
 *
 * @param act what may have happened where the time is up
 * @param run is given no call where nothing limits it
 * @throws the reason of the signal, before anything is run where it has aborted already; MemoryError EIO where the time is up
 */
export function withinTime<T>(
  { signals, timeoutMs }: Waiting,
  act: "read" | "change",
  run: (call: OngoingCall | undefined) => Promise<T>,
): Promise<T> {
  if (signals.length === 0 && timeoutMs === Infinity) return run(undefined);
  const aborted = signals.find((signal) => signal.aborted);
  if (aborted !== undefined) return Promise.reject(aborted.reason);
  const call = new Call(timeoutMs);
  return new Promise((resolve, reject) => {
    const end = (reason: unknown): void => {
      stopWaiting();
      call.end(reason);
      reject(reason);
    };
    // It is no reason for a process to go on: what the call waits for is.
    const timer = timeoutMs === Infinity ? undefined : setTimeout(() => end(timeIsUp(timeoutMs, act)), timeoutMs).unref();
    const stopWaiting = (): void => {
      clearTimeout(timer);
      for (const signal of signals) forget(signal, end);
    };
    for (const signal of signals) remember(signal, end);
    const settle = (tell: () => void): void => {
      stopWaiting();
      tell();
    };
    // Only now: a signal that aborts while it begins would not be heard.
    run(call).then((answer) => settle(() => resolve(answer)), (error: unknown) => settle(() => reject(error)));
  });
}

type OnAbort = (reason: unknown) => void;

interface Listening {
  calls: Set<OnAbort>;
  listener: () => void;
}

/** One listener for all calls of a signal: an agent makes more than the ten at once of which Node warns. */
const listening = new WeakMap<AbortSignal, Listening>();

function remember(signal: AbortSignal, onAbort: OnAbort): void {
  const known = listening.get(signal);
  if (known !== undefined) {
    known.calls.add(onAbort);
    return;
  }
  const calls = new Set([onAbort]);
  const listener = (): void => calls.forEach((each) => each(signal.reason));
  signal.addEventListener("abort", listener);
  listening.set(signal, { calls, listener });
}

function forget(signal: AbortSignal, onAbort: OnAbort): void {
  const known = listening.get(signal);
  if (known === undefined || !known.calls.delete(onAbort) || known.calls.size > 0) return;
  signal.removeEventListener("abort", known.listener);
  listening.delete(signal);
}

function timeIsUp(timeoutMs: number, act: "read" | "change"): MemoryError {
  const outcome = act === "change" ? "; the outcome is unknown" : "";
  return new MemoryError("EIO", `EIO: no answer within ${timeoutMs} ms (timeoutMs)${outcome}`);
}
