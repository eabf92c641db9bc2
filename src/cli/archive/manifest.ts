import { z } from "zod";
import { checkAddress, type CheckedAddress } from "../../core/values/address.js";
import { MemoryError } from "../../core/values/errors.js";
import { memoryBytesCeiling } from "../../core/memory-options.js";
import { inputFault } from "../fault.js";

/** Names the format in a manifest and in the first line of JSONL. */
export const archiveFormat = "langgraph-mongo-memory";
/** With a history it is a newer one, which programs refuse that do not know of histories. */
export const archiveVersions = { plain: 1, withHistory: 2 } as const;

export const timeField = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), "must be a time such as 2026-01-31T12:00:00.000Z");

export const sha256Field = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits");

/** What both formats say of a file. */
export const fileFields = {
  path: z.string(),
  sizeBytes: z.number().int().min(0).max(memoryBytesCeiling),
  sha256: sha256Field,
  createdAt: timeField,
  updatedAt: timeField,
};

export const headerFields = {
  format: z.literal(archiveFormat),
  version: z.union([z.literal(archiveVersions.plain), z.literal(archiveVersions.withHistory)]),
};

/** Checked by `addressFrom`, which says more. */
export const addressField = z.unknown();

interface Schema<T> {
  safeParse(value: unknown): {
    success: boolean;
    data?: T;
    error?: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } | undefined;
  };
}

/** @throws CommandFault EINPUT which names the place and the field */
export function parsedAs<T>(schema: Schema<T>, text: string, where: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw inputFault(`${where}: not JSON; it must be as export writes it`, cause);
  }
  const { success, data, error } = schema.safeParse(value);
  if (success) return data as T;
  const { path, message } = error?.issues[0] ?? { path: [], message: "wrong" };
  const field = path.length === 0 ? "" : `${path.map(String).join(".")}: `;
  throw inputFault(
    `${where}: ${field}${message}; it must be as export writes it, in version ${archiveVersions.plain} or ${archiveVersions.withHistory} of the format`,
  );
}

/** @throws CommandFault EINPUT */
export function addressFrom(value: unknown, where: string): CheckedAddress | null {
  if (value === null) return null;
  try {
    return checkAddress(value);
  } catch (error) {
    if (MemoryError.isInstance(error))
      throw inputFault(`${where}: address: ${error.message}; it must be as export writes it`, error);
    throw error;
  }
}
