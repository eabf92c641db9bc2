import { MemoryError, memoryFull } from "../../core/errors.js";

/** The shapes in which MongoDB says that a document, a list or a command is too large (measured on 6.0 with driver 7). */
const tooLargeCodes = new Set<unknown>([146, 17419, 10334, 16493, 13548, 17420, 17280, "ERR_OUT_OF_RANGE"]);

const duplicateKeyCode = 11000;

/** What the driver throws, read by shape: the copy of `mongodb` that threw may not be the one we could import. */
interface DriverError {
  name?: unknown;
  syscall?: unknown;
  code?: unknown;
  codeName?: unknown;
}

/** Whether a document or a command would be larger than MongoDB's limit. */
export function isTooLarge(error: unknown): boolean {
  return tooLargeCodes.has((error as DriverError | null)?.code);
}

export function isDuplicateKey(error: unknown): boolean {
  return (error as DriverError | null)?.code === duplicateKeyCode;
}

/**
 * One MemoryError for whatever the driver threw. Its message names the kind of failure only: the driver's own may hold
 * hosts, paths and document contents, and stays in `cause`.
 */
export function storageError(cause: unknown, act: "read" | "write", maxMemoryBytes: number): MemoryError {
  if (MemoryError.isInstance(cause)) return cause;
  const { name, code, codeName } = (cause ?? {}) as DriverError;
  if (act === "write" && isTooLarge(cause)) return memoryFull(null, maxMemoryBytes, cause);
  // A command that the server itself refused did not run. Anything else may have: the driver retries a write whose
  // connection broke, and then reports the failure of the retry.
  const refused = name === "MongoServerError" && typeof code === "number" && !mayHaveRun.has(code);
  if (refused) {
    const label = typeof codeName === "string" ? `${codeName}, ` : "";
    return new MemoryError("EIO", `EIO: MongoDB refused to ${act} (${label}code ${code})`, { cause });
  }
  const outcome = act === "write" ? "; the outcome is unknown" : "";
  return new MemoryError("EIO", `EIO: MongoDB did not answer (${reasonOf(cause)})${outcome}`, { cause });
}

/** Server codes of commands interrupted on their way: shutdowns, step-downs, timeouts, unsatisfied write concerns. */
const mayHaveRun = new Set([6, 7, 24, 50, 64, 79, 89, 91, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436]);

function reasonOf(cause: unknown): string {
  const { name, syscall } = (cause ?? {}) as DriverError;
  // Of mongodb+srv; the names of a plain string are looked up later, and fail as a server that cannot be selected.
  if (syscall === "querySrv" || syscall === "queryTxt") return "the name in the connection string does not resolve";
  if (name === "MongoServerSelectionError") return "no server could be selected in time";
  if (typeof name === "string" && /^Mongo\w+$/.test(name)) return name;
  return "unexpected failure";
}
