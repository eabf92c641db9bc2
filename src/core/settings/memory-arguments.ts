import { z } from "zod";
import { fileTooLarge, invalid } from "../values/errors.js";
import type { DeleteOptions, OutlineOptions, WriteOptions } from "../memory.js";
import { checkOptions } from "./options.js";
import { utf8Bytes } from "../values/text.js";

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

/** What is to become the text of a file. @throws EFBIG, EINVAL */
export function checkContent(content: unknown, name: string, maxFileBytes: number): asserts content is string {
  checkText(content, name);
  // A UTF-16 unit is at most three bytes of UTF-8, so most texts need no count.
  if (content.length * 3 <= maxFileBytes) return;
  const sizeBytes = utf8Bytes(content);
  if (sizeBytes > maxFileBytes) throw fileTooLarge(sizeBytes, maxFileBytes);
}

export function checkText(text: unknown, name: string): asserts text is string {
  if (typeof text !== "string")
    throw invalid(`${name} must be a string (given ${text === null ? "null" : typeof text})`);
  if (!text.isWellFormed()) throw invalid(`${name} is not well-formed Unicode (it holds a lone surrogate)`);
}
