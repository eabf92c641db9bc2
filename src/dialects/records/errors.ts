import { MemoryError } from "../../core/values/errors.js";
import { shorten } from "../../core/values/text.js";
import { DialectError } from "../define-tool.js";

export type RecordErrorCode =
  | "MEMORY_ALREADY_EXISTS"
  | "MEMORY_CONTENT_TOO_LARGE"
  | "MEMORY_INVALID_ARGUMENT"
  | "MEMORY_NOT_FOUND"
  | "MEMORY_PATH_INVALID"
  | "MEMORY_STORAGE_ERROR";

/** Creates a refusal of the records, in the reference's words if the reference has any. */
export function createRecordError(code: RecordErrorCode, message: string): DialectError {
  return new DialectError(code, message);
}

export const badArgument = (message: string): DialectError => createRecordError("MEMORY_INVALID_ARGUMENT", message);

/** @param what the words after the path in the message */
export function badPath(path: string, what: string): DialectError {
  return createRecordError("MEMORY_PATH_INVALID", `Path ${quoted(path)} ${what}`);
}

/** Refuses a path that the records allow but the memory or its storage does not. */
export function notAllowed(path: string, reason: string): DialectError {
  return badPath(path, `is not allowed (${reason})`);
}

export function notFound(path: string, hint = ""): DialectError {
  return createRecordError("MEMORY_NOT_FOUND", `Path ${quoted(path)} does not exist${hint}`);
}

const maxEchoChars = 255;

/** Formats a name for a message: shortened, and without characters that are special in YAML or in a terminal. */
export function quoted(name: string): string {
  return `"${shorten(name, maxEchoChars)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029\uFEFF]/gu, "\uFFFD")}"`;
}

/** Returns the records' code for a refusal. */
export function getRecordCode(error: MemoryError | DialectError): string {
  if (!MemoryError.isInstance(error)) return error.code;
  return error.code === "EFBIG" ? "MEMORY_CONTENT_TOO_LARGE" : "MEMORY_STORAGE_ERROR";
}
