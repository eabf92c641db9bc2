import { MemoryError } from "../../core/errors.js";
import { normalizePath, ROOT } from "../../core/paths.js";
import { JournalError } from "./errors.js";

/**
 * The journal's folder without a slash at its end, "" for the memory's own root ("." or "/"). For an illegal
 * root, the error that every call answers, in the crate's words.
 */
export function journalRoot(given: string): string | JournalError {
  if (given === "") return new JournalError("INVALID_PATH", "path is empty");
  try {
    const path = normalizePath(given.replace(/^(?:\.\/)+|^\.$/, ROOT), { emptyIsRoot: true });
    return path === ROOT ? "" : path;
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    const escapes = error.message === 'invalid path: ".." not allowed';
    return new JournalError("INVALID_PATH", escapes ? "path escapes working root (sandbox)" : error.message);
  }
}
