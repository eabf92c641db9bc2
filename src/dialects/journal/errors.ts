import { MemoryError } from "../../core/values/errors.js";
import { shorten } from "../../core/values/text.js";
import { DialectError } from "../define-tool.js";

export type JournalErrorCode =
  | "INVALID_PATH"
  | "MEMORY_CONTENT_TOO_LARGE"
  | "MEMORY_INVALID_ARGUMENT"
  | "MEMORY_INVALID_KEY"
  | "MEMORY_INVALID_TARGET"
  | "MEMORY_KEY_EXISTS"
  | "MEMORY_KEY_NOT_FOUND"
  | "MEMORY_STORAGE_ERROR";

/** Creates a refusal of the journal, in the crate's words if the crate has any. */
export function createJournalError(code: JournalErrorCode, message: string): DialectError {
  return new DialectError(code, message);
}

const quoteKey = (key: string): string => `\`${shorten(key, 512)}\``;

export const keyExists = (key: string): DialectError =>
  createJournalError(
    "MEMORY_KEY_EXISTS",
    `memory key ${quoteKey(key)} already exists; call memory_read to inspect, then memory_update to replace the ` +
      "canonical block",
  );

export const keyNotFound = (key: string, hint = ""): DialectError =>
  createJournalError("MEMORY_KEY_NOT_FOUND", `no memory block for key ${quoteKey(key)}${hint}`);

/** Returns the journal's code for a refusal. */
export function getJournalCode(error: MemoryError | DialectError): string {
  if (!MemoryError.isInstance(error)) return error.code;
  // INVALID_PATH is for a path that the storage cannot reach, such as a link in a folder. A missing thread is EINVAL,
  // too, but its path is legal. EACCES of a rule or a guard becomes MEMORY_STORAGE_ERROR: agentool's list of codes has
  // none for a refusal. The message says EACCES.
  return error.details?.invalidPath === undefined ? "MEMORY_STORAGE_ERROR" : "INVALID_PATH";
}
