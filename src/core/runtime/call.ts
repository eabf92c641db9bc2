import type { MemoryActor, VersionOrigin } from "../values/actor.js";
import { MemoryError, storageFailed } from "../values/errors.js";
import { addListener, removeListener } from "./signal-listeners.js";

/** The stage of a call: it reads, waits for a guard, or may have changed the storage. */
export type Stage = "read" | "guard" | "change";

/** The limits of a caller's wait for a call. */
export interface CallLimits {
  /** If one of them aborts, the wait ends. */
  signals: readonly AbortSignal[];
  /** Infinity for no limit. */
  timeoutMs: number;
}

export interface CallSettings extends CallLimits {
  actor: MemoryActor | null;
}

/** The part of a call that a storage uses. Every method of a backend receives it as its last argument. */
export interface CallContext {
  /** The author of the change, for the history. */
  readonly actor: MemoryActor | null;
  /**
   * The identity of the change. A task of a graph that runs again repeats its calls with the same identities. Null for
   * a change without one.
   */
  readonly changeId: string | null;
  /** The sources of the change, for the history. Null for a change that names no sources. */
  readonly origin: VersionOrigin | null;
  /** The time limit of the whole call, in ms: at most 2,147,483,647, or Infinity for no limit. */
  readonly timeoutMs: number;
  /** Whether the change waits for its turn, and the call has changed nothing. Set by a storage that makes changes wait. */
  isWaiting: boolean;
  /** Whether the caller has stopped waiting. No further step may begin then. */
  readonly aborted: boolean;
  /** The reason why the call was aborted. */
  readonly reason: unknown;
  /** Created when it is first read, because that takes as long as a small call in memory. */
  readonly signal: AbortSignal;
  /** @throws the reason, if the call was aborted */
  throwIfAborted(): void;
  /** Runs `listener` when the call is aborted. This costs much less than `signal`. */
  onAbort(listener: () => void): void;
}

/** Creates an AbortSignal that aborts with a call. */
export function createSignal(call: Abortable): AbortSignal {
  const controller = new AbortController();
  whenAborted(call, (reason) => controller.abort(reason));
  return controller.signal;
}

type Abortable = Pick<CallContext, "aborted" | "reason" | "onAbort">;

function whenAborted(call: Abortable, end: (reason: unknown) => void): void {
  if (call.aborted) end(call.reason);
  else call.onAbort(() => end(call.reason));
}

/** Waits for work that cannot be ended, but no longer than the call. @throws the reason, if the call was aborted */
export function untilAborted<T>(call: CallContext, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    call.throwIfAborted();
    call.onAbort(() => reject(call.reason));
    work().then(resolve, reject);
  });
}

/**
 * Runs `goOn` when a queue waits for the task of a call no longer. If the time of the call is up, the storage hangs, and
 * the queue goes on. If a signal has ended the call, its last step is probably under way, and must not overtake the next
 * task: the queue waits for the time limit of the call once more.
 * @returns a function for the end of the task
 */
export function whenTurnIsOver(call: CallContext, goOn: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  call.onAbort(() => {
    if (MemoryError.isInstance(call.reason)) goOn();
    else if (call.timeoutMs !== Infinity) timer = setTimeout(goOn, call.timeoutMs).unref();
  });
  return () => clearTimeout(timer);
}

/** One call of a memory. The pipeline sets the stage and the identity. */
export class Call implements CallContext {
  readonly actor: MemoryActor | null;
  readonly timeoutMs: number;
  changeId: string | null = null;
  origin: VersionOrigin | null = null;
  stage: Stage = "read";
  isWaiting = false;
  aborted = false;
  reason: unknown;
  #listeners: (() => void)[] | undefined;
  #signal: AbortSignal | undefined;

  constructor({ actor, timeoutMs }: Pick<CallSettings, "actor" | "timeoutMs">) {
    this.actor = actor;
    this.timeoutMs = timeoutMs;
  }

  get signal(): AbortSignal {
    return (this.#signal ??= createSignal(this));
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  onAbort(listener: () => void): void {
    this.#listeners ??= [];
    this.#listeners.push(listener);
  }

  abort(reason: unknown): void {
    this.aborted = true;
    this.reason = reason;
    this.#listeners?.forEach((listener) => listener());
  }
}

/** Creates a call without limits and without an actor, for work in the background. */
export function createUnlimitedCall(): CallContext {
  return new Call({ actor: null, timeoutMs: Infinity });
}

/** Creates a call by someone else and from other sources, which ends with `call`. It has no identity. */
export function createCallBy({ actor, origin }: Pick<CallContext, "actor" | "origin">, call: CallContext): CallContext {
  const other = new Call({ actor, timeoutMs: call.timeoutMs });
  other.origin = origin;
  whenAborted(call, (reason) => other.abort(reason));
  return other;
}

/** Creates a call for the common work of several calls. It ends when none of them waits any more. */
export function createCommonCall(calls: readonly CallContext[]): CallContext {
  const common = new Call({ actor: null, timeoutMs: Math.max(...calls.map(({ timeoutMs }) => timeoutMs)) });
  let waiting = calls.length;
  for (const call of calls)
    whenAborted(call, (reason) => {
      waiting -= 1;
      if (waiting === 0) common.abort(reason);
    });
  return common;
}

/**
 * Runs a call, and stops waiting for it when a signal aborts or its time is up. The work of the call then ends at its
 * next step, and its result is ignored.
 *
 * @throws the reason of the signal (if the signal has aborted already, nothing runs); MemoryError EIO if the time is up
 */
export function runWithDeadline<T>(settings: CallSettings, run: (call: Call) => Promise<T>): Promise<T> {
  const { signals, timeoutMs } = settings;
  const call = new Call(settings);
  if (signals.length === 0 && timeoutMs === Infinity) return run(call);
  const aborted = signals.find((signal) => signal.aborted);
  if (aborted !== undefined) return Promise.reject(aborted.reason);
  return new Promise((resolve, reject) => {
    const end = (reason: unknown): void => {
      stopWaiting();
      call.abort(reason);
      reject(reason);
    };
    // The timer must not keep the process alive. The work of the call does that.
    const timer = timeoutMs === Infinity ? undefined : setTimeout(() => end(createTimeout(call)), timeoutMs).unref();
    const stopWaiting = (): void => {
      clearTimeout(timer);
      for (const signal of signals) removeListener(signal, end);
    };
    for (const signal of signals) addListener(signal, end);
    const settle = (report: () => void): void => {
      stopWaiting();
      report();
    };
    // The listeners come first, so that a signal that aborts while the call begins is received.
    run(call).then(
      (answer) => settle(() => resolve(answer)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

/** Runs work outside of a memory's pipeline with a deadline. @param stage the stage of the whole work */
export function withinTime<T>(limits: CallLimits, stage: Stage, run: (call: CallContext) => Promise<T>): Promise<T> {
  return runWithDeadline({ ...limits, actor: null }, (call) => {
    call.stage = stage;
    return run(call);
  });
}

function createTimeout({ stage, isWaiting, timeoutMs }: Call): MemoryError {
  if (isWaiting) {
    const message = `EIO: other changes of this memory took longer than ${timeoutMs} ms (timeoutMs); nothing was changed`;
    return storageFailed(message, false);
  }
  const who = stage === "guard" ? "of the guard " : "";
  return storageFailed(`EIO: no answer ${who}within ${timeoutMs} ms (timeoutMs)`, stage === "change");
}
