import { MemoryError } from "../../core/values/errors.js";
import { shorten } from "../../core/values/text.js";

export type RecordErrorCode =
  | "MEMORY_ALREADY_EXISTS"
  | "MEMORY_CONTENT_TOO_LARGE"
  | "MEMORY_INVALID_ARGUMENT"
  | "MEMORY_NOT_FOUND"
  | "MEMORY_PATH_INVALID"
  | "MEMORY_STORAGE_ERROR";

/** A refusal of the records, in the words of the reference if it has any. */
export class RecordError extends Error {
  override readonly name = "RecordError";
  readonly code: RecordErrorCode;

  constructor(code: RecordErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const badArgument = (message: string): RecordError => new RecordError("MEMORY_INVALID_ARGUMENT", message);

/** @param what what is wrong: the words after the path in the message */
export function badPath(path: string, what: string): RecordError {
  return new RecordError("MEMORY_PATH_INVALID", `Path ${quoted(path)} ${what}`);
}

/** A path that the records allow, but the memory or its storage does not. */
export function notAllowed(path: string, reason: string): RecordError {
  return badPath(path, `is not allowed (${reason})`);
}

export function notFound(path: string, hint = ""): RecordError {
  return new RecordError("MEMORY_NOT_FOUND", `Path ${quoted(path)} does not exist${hint}`);
}

const maxEchoChars = 255;

/** A name for a message: shortened, and without characters that mean something to YAML or to a terminal. */
export function quoted(name: string): string {
  return `"${shorten(name, maxEchoChars)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029\uFEFF]/gu, "\uFFFD")}"`;
}

/** The code and message of a refusal; null for an error that is not one of the records or of a memory. */
export function recordRefusal(error: unknown): { code: RecordErrorCode; message: string } | null {
  if (error instanceof RecordError) return { code: error.code, message: error.message };
  if (!MemoryError.isInstance(error)) return null;
  const code = error.code === "EFBIG" ? "MEMORY_CONTENT_TOO_LARGE" : "MEMORY_STORAGE_ERROR";
  return { code, message: error.message };
}
