import { MemoryError } from "../values/errors.js";

/** What a call does: it only reads, may have made a change, or waits for the guard of a memory. */
export type Act = "read" | "change" | "guard";

/** How long a caller waits for a call. */
export interface Waiting {
  /** If one of them aborts, the wait ends. */
  signals: readonly AbortSignal[];
  /** Infinity for no limit. */
  timeoutMs: number;
}

/** What the code that carries out a call sees of it: how long it may go on. */
export interface OngoingCall {
  /** How long the whole call may take; at most 2,147,483,647, or Infinity for no limit. */
  readonly timeoutMs: number;
  /** Whether nobody waits for the call any more. No further step may begin then. */
  readonly isOver: boolean;
  /** Why the call is over. */
  readonly reason: unknown;
  /**
   * Aborts when the call is over. It is made when it is first read, because making it takes as long as a small call in
   * memory.
   */
  readonly signal: AbortSignal;
  /** @throws the reason, if the call is over */
  throwIfOver(): void;
  /** Runs `listener` when the call is over. This costs much less than `signal`. */
  onOver(listener: () => void): void;
}

/** An AbortSignal that aborts when a call is over. */
export function signalOf(call: Pick<OngoingCall, "isOver" | "reason" | "onOver">): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(call.reason);
  if (call.isOver) abort();
  else call.onOver(abort);
  return controller.signal;
}

class Call implements OngoingCall {
  readonly timeoutMs: number;
  isOver = false;
  reason: unknown;
  #listeners: (() => void)[] | undefined;
  #signal: AbortSignal | undefined;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  get signal(): AbortSignal {
    return (this.#signal ??= signalOf(this));
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
 * Runs a call, and ends the wait for it when a signal aborts or its time is up. The work of the call then ends with its
 * next step, and nobody learns how it ended.
 *
 * @param act what may have happened if the time is up; a function for a call of several steps
 * @param run gets no call if nothing limits it
 * @throws the reason of the signal, and runs nothing if the signal has aborted already; MemoryError EIO if the time is
 * up
 */
export function withinTime<T>(
  { signals, timeoutMs }: Waiting,
  act: Act | (() => Act),
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
    // The timer must not keep the process alive. What the call waits for does that.
    const timer =
      timeoutMs === Infinity
        ? undefined
        : setTimeout(() => end(timeIsUp(timeoutMs, typeof act === "function" ? act() : act)), timeoutMs).unref();
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
    run(call).then(
      (answer) => settle(() => resolve(answer)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

type OnAbort = (reason: unknown) => void;

interface Listening {
  calls: Set<OnAbort>;
  listener: () => void;
}

/**
 * All calls of a signal share one listener: an agent makes many calls at once, and Node warns about more than ten
 * listeners.
 */
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

function timeIsUp(timeoutMs: number, act: Act): MemoryError {
  const outcome = act === "change" ? "; the outcome is unknown" : "";
  return new MemoryError(
    "EIO",
    `EIO: no answer ${act === "guard" ? "of the guard " : ""}within ${timeoutMs} ms (timeoutMs)${outcome}`,
  );
}
