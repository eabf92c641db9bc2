import { z } from "zod";
import { checkOptions } from "../../core/settings/check-options.js";

/** The names of the tools, and the clock of the records. */
export interface RecordToolsOptions {
  /**
   * Goes before the name of each tool, so one agent can have two sets: `team_` makes `team_add_memory`. At most 50
   * letters, digits, `_` or `-`.
   * @default ""
   */
  prefix?: string;
  /** Returns the time, for the times in the answers. @default the system's clock */
  clock?: () => Date;
  /** Whether there is a tool `memory_search`, too. @default false */
  search?: boolean;
}

const optionsSchema = z
  .object({
    // OpenAI has the smallest limit of the providers: names of 64 characters.
    prefix: z
      .string()
      .regex(/^[A-Za-z0-9_-]{0,50}$/, "must be at most 50 letters, digits, _ or -")
      .optional(),
    clock: z.custom<() => Date>((value) => typeof value === "function", "must be a function").optional(),
    search: z.boolean().optional(),
  })
  .strict();

/** @throws TypeError */
export function checkRecordOptions(options: RecordToolsOptions): void {
  checkOptions("RecordToolsOptions", optionsSchema, options);
}
