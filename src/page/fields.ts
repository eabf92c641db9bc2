import { z } from "zod";
import { type CheckedAddress, checkAddress } from "../core/values/address.js";

/** The fields that name a memory. `addressIn` converts them to an address. */
export const addressFields = {
  nodeId: z.string(),
  scope: z.enum(["global", "perThread", "perUser"]).optional(),
  threadId: z.string().optional(),
  userId: z.string().optional(),
};

type AddressFields = { [Name in keyof typeof addressFields]?: string | undefined };

/** @throws MemoryError EINVAL */
export function addressIn({ nodeId, scope, threadId, userId }: AddressFields): CheckedAddress {
  return checkAddress({ nodeId, scope, threadId, userId });
}

/** The fields that select memories. */
export const filterFields = { ...addressFields, nodeId: z.string().optional() };

/** The fields that select memories in a list. `named` is a part of an id. */
export const listFields = { ...filterFields, named: z.string().min(1).max(512).optional() };

/** The id of a version. */
export const versionId = z.string().min(1).max(64);

/** The id of a proposal, a run or a person. */
export const outerId = z.string().min(1).max(512);

/** The fields of every change: the memory, and the name with which the visitor signs. */
export const changeFields = { address: z.strictObject(addressFields), by: outerId.optional() };

/** Limited, because each page of memories is read from the start. */
export const maxMemoriesOffset = 20_000;

/** Parses a number, because all fields of a query are texts. 0 if the field is missing. */
export function countField(max: number): z.ZodType<number> {
  return z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number")
    .optional()
    .transform((text) => Number(text ?? 0))
    .refine((count) => count <= max, `must be at most ${max}`);
}

/** Returns at most `limit` items from `offset` on, and whether there are more. Reads no further than necessary. */
export async function takePage<T>(
  items: AsyncIterable<T>,
  offset: number,
  limit: number,
): Promise<{ page: T[]; more: boolean }> {
  const page: T[] = [];
  let index = 0;
  for await (const item of items) {
    if (index >= offset + limit) return { page, more: true };
    if (index >= offset) page.push(item);
    index += 1;
  }
  return { page, more: false };
}
