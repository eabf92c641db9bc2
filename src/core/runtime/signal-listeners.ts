type OnAbort = (reason: unknown) => void;

interface Listening {
  listeners: Set<OnAbort>;
  onAbort: () => void;
}

/**
 * One listener for each signal. All calls share it, because an agent makes many calls at once, and Node
 * warns about more than ten listeners.
 */
const listening = new WeakMap<AbortSignal, Listening>();

/** Adds a listener to a signal that has not aborted. */
export function addListener(signal: AbortSignal, listener: OnAbort): void {
  const known = listening.get(signal);
  if (known !== undefined) {
    known.listeners.add(listener);
    return;
  }
  const listeners = new Set([listener]);
  const onAbort = (): void => listeners.forEach((each) => each(signal.reason));
  signal.addEventListener("abort", onAbort);
  listening.set(signal, { listeners, onAbort });
}

export function removeListener(signal: AbortSignal, listener: OnAbort): void {
  const known = listening.get(signal);
  if (known === undefined || !known.listeners.delete(listener) || known.listeners.size > 0) return;
  signal.removeEventListener("abort", known.onAbort);
  listening.delete(signal);
}

/**
 * Runs work with a signal that aborts with the first of the signals. Reason: a long-lived signal keeps an entry for each
 * `AbortSignal.any` forever, in Node 20.
 */
export async function withAnySignal<T>(
  signals: readonly AbortSignal[],
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort: OnAbort = (reason) => controller.abort(reason);
  const aborted = signals.find((signal) => signal.aborted);
  if (aborted !== undefined) abort(aborted.reason);
  for (const signal of signals) addListener(signal, abort);
  try {
    return await run(controller.signal);
  } finally {
    for (const signal of signals) removeListener(signal, abort);
  }
}
