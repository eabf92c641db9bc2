import { z } from "zod";

/** Schema of {@link WriteOptions}. */
export const writeOptionsSchema = z
  .object({
    ifExists: z.enum(["replace", "fail"]).default("replace"),
    ifMissing: z.enum(["create", "fail"]).default("create"),
  })
  .strict();

/** Schema of {@link DeleteOptions}. */
export const deleteOptionsSchema = z.object({ ifDirectory: z.enum(["delete", "fail"]).default("delete") }).strict();

/** Schema of {@link OutlineOptions}. */
export const outlineOptionsSchema = z
  .object({
    maxContentBytes: z.number().min(0).default(0),
    leadChars: z.number().int().min(0).max(10_000).default(0),
  })
  .strict();
