import { z } from "zod";
import { actorField } from "../../core/values/actor.js";
import type { ArchivedVersion } from "../../core/history/archived-version.js";
import { memoryBytesCeiling } from "../../core/memory-options.js";
import { sha256Field, timeField } from "./manifest.js";

const id = z.string().regex(/^[1-9]\d{0,9}(?:\.[1-9]\d{0,5})?$/, "must be the id of a version");
const date = timeField.transform((text) => new Date(text));
const length = z.number().int().min(0).max(memoryBytesCeiling);
const text = z
  .string()
  .refine((given) => given.isWellFormed(), "holds a lone surrogate; a memory holds well-formed text only");

export const revisionField = z.number().int().min(0).max(9_999_999_999);

export const versionSchema = z
  .object({
    id,
    file: id.optional(),
    since: id.optional(),
    path: z.string().optional(),
    from: z.string().optional(),
    operation: z.enum(["created", "modified", "deleted", "renamed"]).optional(),
    at: date,
    actor: actorField.nullable(),
    older: z
      .object({ start: length, text, end: length, kept: length.array().optional() })
      .strict()
      .nullable()
      .optional(),
    sizeBytes: length.nullable(),
    sha256: sha256Field.nullable(),
    directories: z
      .object({
        added: z.array(z.string()).optional(),
        removed: z.array(z.string()).optional(),
        moved: z.object({ from: z.string(), to: z.string() }).strict().optional(),
      })
      .strict()
      .optional(),
    redactedAt: date.optional(),
    redactedBy: actorField.optional(),
  })
  .strict()
  // JSON holds nothing undefined.
  .transform((version) => version as ArchivedVersion);
