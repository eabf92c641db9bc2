import { MemoryError } from "../../core/values/errors.js";
import { storageError } from "../driver/errors.js";
import { getField } from "../../core/values/unknown-values.js";

/** TransactionTooLarge, TransactionExceededLifetimeLimitSeconds, TransactionTooLargeForCache. */
const tooMuchCodes = new Set<unknown>([257, 290, 388]);

/** Explains errors of a transaction that is too much for the server: nothing was changed. */
export function transactionError(error: unknown): MemoryError {
  if (!isTooMuch(error)) return storageError(error, "write", null);
  const message =
    "ENOSPC: the change is more than this MongoDB server makes in one transaction (transactionLifetimeLimitSeconds, " +
    "60 by default, and the size of its cache); nothing was changed; change what lies in the directory part by part";
  return new MemoryError("ENOSPC", message, { cause: error });
}

/** Whether the server refuses a transaction because it does too much. */
function isTooMuch(error: unknown): boolean {
  return tooMuchCodes.has(getField(error, "code"));
}
