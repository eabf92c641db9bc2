import { z } from "zod";
import type { ArchivedVersion } from "../../core/history/archived-version.js";
import { memoryBytesCeiling } from "../../core/memory-options.js";
import { actorField } from "../../core/values/actor.js";
import { checkAddress, type CheckedAddress } from "../../core/values/address.js";
import { describeFault, listFaults } from "../../core/settings/faults.js";
import { MemoryError } from "../../core/values/errors.js";
import { JsonBounds } from "../../core/values/json-bounds.js";
import { inputError } from "../errors.js";
import { decodeUtf8 } from "../terminal/text-input.js";

/*
 * An archive is JSONL. The first line says the format. Then follow, for each memory, its own line, its directories, its
 * files, and its versions from the newest to the oldest. The last line says how many lines there are.
 */

export const archiveHeader = { format: "langgraph-mongo-memory", version: 1 } as const;

/**
 * The limits of a line. Its longest list fills a document of 16 MiB, in which a path or a number takes at least 11
 * bytes. Its keys are those of a version.
 */
const lineLimits = { values: 1_500_000, keys: 100, levels: 10 } as const;

const timeField = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), "must be a time such as 2026-01-31T12:00:00.000Z")
  .transform((text) => new Date(text));
const textField = z
  .string()
  .refine((text) => text.isWellFormed(), "it holds a lone surrogate; a memory holds well-formed text only");
const sha256Field = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits");
const lengthField = z.number().int().min(0).max(memoryBytesCeiling);
/** Lists by hand: zod would make an issue of each element. */
const pathsField = z.custom<string[]>(
  (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  "must be a list of paths",
);
const idField = z.string().regex(/^[1-9]\d{0,9}(?:\.[1-9]\d{0,5})?$/, "must be the id of a version");
/** Checked by `parseAddress`, whose errors say more. */
const address = z.unknown();

export const headerSchema = z
  .object({ format: z.literal(archiveHeader.format), version: z.literal(archiveHeader.version) })
  .strict();

/** Memories with a history have a revision. */
export const memorySchema = z
  .object({ address, memory: z.literal(true), revision: z.number().int().min(0).max(9_999_999_999).optional() })
  .strict();

export const directorySchema = z.object({ address, directory: z.string() }).strict();

export const fileSchema = z
  .object({
    address,
    path: z.string(),
    sizeBytes: lengthField,
    sha256: sha256Field,
    createdAt: timeField,
    updatedAt: timeField,
    content: textField,
  })
  .strict();

export const versionSchema = z
  .object({
    address,
    version: z
      .object({
        id: idField,
        file: idField.optional(),
        since: idField.optional(),
        path: z.string().optional(),
        from: z.string().optional(),
        operation: z.enum(["created", "modified", "deleted", "renamed"]).optional(),
        at: timeField,
        actor: actorField.nullable(),
        older: z.object({ start: lengthField, text: textField, end: lengthField }).strict().nullable().optional(),
        sizeBytes: lengthField.nullable(),
        sha256: sha256Field.nullable(),
        directories: z
          .object({
            added: pathsField.optional(),
            removed: pathsField.optional(),
            moved: z.object({ from: z.string().optional(), to: z.string().optional() }).strict().optional(),
          })
          .strict()
          .optional(),
        redactedAt: timeField.optional(),
        masked: z.literal(true).optional(),
        redactedBy: actorField.optional(),
      })
      .strict()
      // Actors have no undefined members, as JSON holds none.
      .transform((version) => version as ArchivedVersion),
  })
  .strict();

export const endSchema = z.object({ end: z.literal(true), lines: z.number().int().min(1) }).strict();

/** @throws CommandError EINPUT which names the line and the field */
export function parseLine<T>(schema: z.ZodType<T>, line: unknown, where: string): T {
  const { data, error } = schema.safeParse(line);
  if (data !== undefined) return data;
  const [issue = { path: [], message: "wrong" }] = error?.issues ?? [];
  const fault = listFaults([issue], (each) => describeFault(each));
  throw inputError(
    `${where}: ${fault}; it must be as export writes it, in version ${archiveHeader.version} of the format`,
  );
}

/** @throws CommandError EINPUT */
export function parseJson(bytes: Uint8Array, where: string): unknown {
  const bounds = new JsonBounds(lineLimits);
  bounds.add(bytes);
  if (bounds.excess !== undefined)
    throw inputError(`${where}: it holds ${bounds.excess}; no line that export writes has so many`);
  const text = decodeUtf8(bytes, where);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw inputError(`${where}: not JSON; it must be as export writes it`, cause);
  }
}

/** Null for a memory that was kept in a folder. @throws CommandError EINPUT */
export function parseAddress(value: unknown, where: string): CheckedAddress | null {
  if (value === null) return null;
  try {
    return checkAddress(value);
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    throw inputError(`${where}: address: ${error.message}; it must be as export writes it`, error);
  }
}
