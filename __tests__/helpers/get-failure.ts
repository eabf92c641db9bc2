import { MemoryError } from "../../src/index.js";

/** The MemoryError with which a call rejects. */
export async function getFailure(call: Promise<unknown>): Promise<MemoryError> {
  const error = await call.then(
    () => "no failure",
    (reason: unknown) => reason,
  );
  if (!MemoryError.isInstance(error)) throw new Error(`expected a MemoryError, not ${String(error)}`);
  return error;
}
