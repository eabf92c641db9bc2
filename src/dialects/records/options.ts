import { z } from "zod";
import { checkOptions } from "../../core/options.js";

/** The clock of the records. */
export interface RecordToolsOptions {
  /** Returns the time, for the times in the answers. @default the system's clock */
  clock?: () => Date;
}

const optionsSchema = z
  .object({ clock: z.custom<() => Date>((value) => typeof value === "function", "must be a function").optional() })
  .strict();

/** @throws TypeError */
export function checkRecordOptions(options: RecordToolsOptions): void {
  checkOptions("RecordToolsOptions", optionsSchema, options);
}
