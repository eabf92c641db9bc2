import { z } from "zod";
import { MemoryError } from "../../core/values/errors.js";
import { maxAnswerCharsField } from "../answer-bounds.js";
import { checkOptions, createFunctionField } from "../../core/settings/check-options.js";
import { normalizePath, ROOT } from "../../core/values/paths.js";
import { type TimeZoneFor, timeZoneField } from "../../core/settings/time-zone.js";
import type { DialectError } from "../define-tool.js";
import { createJournalError } from "./errors.js";

/** The clock, the days and the folder of a journal. */
export interface JournalOptions<Run> {
  /** Returns the current time, for the times of entries and for the day's file. @default the system's clock */
  clock?: () => Date;
  /**
   * Whose day it is: an IANA name, or a function of the run. If the function fails, the day is that of UTC. The times of
   * entries are the same in each time zone. @default "UTC"
   */
  timeZone?: TimeZoneFor<Run>;
  /** The folder of the memory that contains `MEMORY.md` and the files of the days. @default the memory's root */
  root?: string;
  /**
   * Length of the longest answer, in UTF-16 units. A longer one is cut, and says how to read on. At least 2,000.
   * @default 40_000
   */
  maxAnswerChars?: number;
}

const optionsSchema = z.strictObject({
  clock: createFunctionField<() => Date>().optional(),
  timeZone: timeZoneField.optional(),
  root: z.string().optional(),
  maxAnswerChars: maxAnswerCharsField.optional(),
});

/** @throws TypeError */
export function checkJournalOptions(options: object): void {
  checkOptions("JournalToolsOptions", optionsSchema, options);
}

/**
 * Returns the journal's folder without a final slash, or "" for the memory's own root ("." or "/"). For an illegal
 * root, returns the error that every call then answers, in the crate's words.
 */
export function journalRoot(given: string): string | DialectError {
  if (given === "") return createJournalError("INVALID_PATH", "path is empty");
  try {
    const path = normalizePath(given.replace(/^(?:\.\/)+|^\.$/, ROOT), { emptyIsRoot: true });
    return path === ROOT ? "" : path;
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    const climbs = error.details?.invalidPath === "climbs";
    return createJournalError("INVALID_PATH", climbs ? "path escapes working root (sandbox)" : error.message);
  }
}
