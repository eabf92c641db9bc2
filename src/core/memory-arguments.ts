import { z } from "zod";
import type { DeleteOptions, WriteOptions } from "./memory.js";
import type { OutlineOptions } from "./tree/outline.js";
import { checkOptions } from "./settings/check-options.js";

const writeOptionsSchema = z
  .object({ ifExists: z.enum(["replace", "fail"]).optional(), ifMissing: z.enum(["create", "fail"]).optional() })
  .strict();

const deleteOptionsSchema = z.object({ ifDirectory: z.enum(["delete", "fail"]).optional() }).strict();

const outlineOptionsSchema = z
  .object({
    maxContentBytes: z.number().min(0).optional(),
    leadChars: z.number().int().min(0).max(10_000).optional(),
    maxPathChars: z.number().int().min(0).optional(),
  })
  .strict();

export function checkWriteOptions(options: WriteOptions | undefined): Required<WriteOptions> {
  if (options !== undefined) checkOptions("WriteOptions", writeOptionsSchema, options);
  return { ifExists: options?.ifExists ?? "replace", ifMissing: options?.ifMissing ?? "create" };
}

export function checkDeleteOptions(options: DeleteOptions | undefined): Required<DeleteOptions> {
  if (options !== undefined) checkOptions("DeleteOptions", deleteOptionsSchema, options);
  return { ifDirectory: options?.ifDirectory ?? "delete" };
}

export function checkOutlineOptions(options: OutlineOptions): Required<OutlineOptions> {
  checkOptions("OutlineOptions", outlineOptionsSchema, options);
  const { maxContentBytes = 0, leadChars = 0, maxPathChars = Infinity } = options;
  return { maxContentBytes, leadChars, maxPathChars };
}
