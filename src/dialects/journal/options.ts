import { z } from "zod";
import { checkOptions } from "../../core/options.js";

/** The clock of a journal, and where in the memory it lies. */
export interface JournalToolsOptions {
  /** What time it is, for the times of blocks and the day's file. @default the system's clock */
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
