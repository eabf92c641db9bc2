import { z } from "zod";
import { type CheckedAddress, checkAddress } from "../core/values/address.js";
import type { MemoryFilter } from "../mongodb/memories/addresses/memory-filter.js";
import { PageRefusal } from "./answers.js";

/** Of what names a memory: one is built of these by `addressIn`. */
export const addressFields = {
  nodeId: z.string(),
  scope: z.enum(["global", "perThread", "perUser"]).optional(),
  threadId: z.string().optional(),
  userId: z.string().optional(),
};

type AddressFields = { [Name in keyof typeof addressFields]?: string | undefined };

/** @throws MemoryError EINVAL */
export function addressIn({ nodeId, scope, threadId, userId }: AddressFields): CheckedAddress {
  return checkAddress({
    nodeId,
    ...(scope !== undefined && { scope }),
    ...(threadId !== undefined && { threadId }),
    ...(userId !== undefined && { userId }),
  });
}

/** Of what chooses among memories: `filterOf` makes a filter of these. */
export const filterFields = { ...addressFields, nodeId: z.string().optional() };

/** Each page of memories is read from the start. */
export const maxMemoriesOffset = 20_000;

/** Without the fields that are undefined, which a filter refuses. */
export function filterOf(filter: { [Name in keyof MemoryFilter]: MemoryFilter[Name] | undefined }): MemoryFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** In a query all is text. @param max and how much it is without one, `fallback` */
export function countField(fallback: number, max: number): z.ZodType<number> {
  return z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number")
    .optional()
    .transform((text) => (text === undefined ? fallback : Number(text)))
    .refine((count) => count <= max, `must be at most ${max}`);
}

/** @throws PageRefusal */
export function checkInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    ({ path, message }) => `${path.length === 0 ? "the request" : path.join(".")}: ${message}`,
  );
  throw new PageRefusal(400, "EINVAL", faults.join("; "));
}

/** A query as an object. @throws PageRefusal for a name that stands twice */
export function queryOf(parameters: URLSearchParams): Record<string, string> {
  const query = Object.fromEntries(parameters);
  if (Object.keys(query).length !== parameters.size)
    throw new PageRefusal(400, "EINVAL", "a parameter of the query stands twice");
  return query;
}

/** The items from `offset` on, at most `limit`, and whether there are more. Reads no further than it must. */
export async function pageOf<T>(
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
