import { z } from "zod";
import { maxAnswerCharsField } from "../answer-bounds.js";
import { checkOptions, createFunctionField } from "../../core/settings/check-options.js";

/** The names of the tools, and the clock of the records. */
export interface RecordToolsOptions {
  /**
   * Prefix of every tool name, so that one agent can have two sets: `team_` makes `team_add_memory`. At most 50
   * letters, digits, `_` or `-`.
   * @default ""
   */
  prefix?: string;
  /** Returns the current time, for the times in the answers. @default the system's clock */
  clock?: () => Date;
  /** Whether the tool `memory_search` is added. @default false */
  search?: boolean;
  /**
   * Length of the longest answer, in UTF-16 units. A longer one is cut, and says how to read on. At least 2,000.
   * @default 40_000
   */
  maxAnswerChars?: number;
}

const optionsSchema = z.strictObject({
  // OpenAI has the lowest limit of all providers: names of 64 characters.
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9_-]{0,50}$/, "must be at most 50 letters, digits, _ or -")
    .optional(),
  clock: createFunctionField<() => Date>().optional(),
  search: z.boolean().optional(),
  maxAnswerChars: maxAnswerCharsField.optional(),
});

/** @throws TypeError */
export function checkRecordOptions(options: RecordToolsOptions): void {
  checkOptions("RecordToolsOptions", optionsSchema, options);
}
