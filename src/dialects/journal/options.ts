import { z } from "zod";
import { MemoryError } from "../../core/values/errors.js";
import { checkOptions } from "../../core/settings/check-options.js";
import { normalizePath, ROOT } from "../../core/values/paths.js";
import type { DialectError } from "../define-tool.js";
import { createJournalError } from "./errors.js";

/** The clock of a journal, and where in the memory it lies. */
export interface JournalToolsOptions {
  /** Returns the time, for the times of entries and the day's file. @default the system's clock */
  clock?: () => Date;
  /** The folder of the memory that holds `MEMORY.md` and the days. @default the memory's root */
  root?: string;
}

const optionsSchema = z
  .object({
    clock: z.custom<() => Date>((value) => typeof value === "function", "must be a function").optional(),
    root: z.string().optional(),
  })
  .strict();

/** @throws TypeError */
export function checkJournalOptions(options: JournalToolsOptions): void {
  checkOptions("JournalToolsOptions", optionsSchema, options);
}

/**
 * The journal's folder without a slash at its end, "" for the memory's own root ("." or "/"). For an illegal
 * root, the error that every call answers, in the crate's words.
 */
export function journalRoot(given: string): string | DialectError {
  if (given === "") return createJournalError("INVALID_PATH", "path is empty");
  try {
    const path = normalizePath(given.replace(/^(?:\.\/)+|^\.$/, ROOT), { emptyIsRoot: true });
    return path === ROOT ? "" : path;
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    const escapes = error.message === 'invalid path: ".." not allowed';
    return createJournalError("INVALID_PATH", escapes ? "path escapes working root (sandbox)" : error.message);
  }
}
