import { isGraphBubbleUp } from "@langchain/langgraph";
import { MemoryError } from "../core/values/errors.js";

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

/**
 * Returns the error of work with a memory. @param message of an error that is no MemoryError
 * @throws the reason of an aborted signal, and interrupts: a guard, or the function that finds the thread or the user, may
 * ask a person
 */
export function toFailure(cause: unknown, signal: AbortSignal | undefined, message: string): MemoryError {
  signal?.throwIfAborted();
  if (isGraphBubbleUp(cause)) throw cause;
  return MemoryError.isInstance(cause) ? cause : new MemoryError("EIO", message, { cause });
}
