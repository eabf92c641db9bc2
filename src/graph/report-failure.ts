import type { MemoryError } from "../core/values/errors.js";

/**
 * Calls `onError` of a program. If `onError` fails, even asynchronously, reports the failure by `warn`, so that the run
 * goes on.
 */
export function reportFailure(
  failure: MemoryError,
  onError: (failure: MemoryError) => unknown,
  warn: (failure: MemoryError) => void,
): void {
  try {
    Promise.resolve(onError(failure)).catch(() => warn(failure));
  } catch {
    warn(failure);
  }
}
