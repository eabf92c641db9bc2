import type { Document } from "mongodb";
import type { CallContext } from "../../../core/runtime/call.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { reading } from "../../driver/reads.js";
import { notExpired } from "../expiry/memory-expiry.js";
import { filtersAfter, getIndexOrder } from "./address-keys.js";
import type { AddressRange } from "./address-ranges.js";
import { type AddressedDocuments, storedAddress } from "./found-memories.js";
import type { PageEnd } from "./summary-pages.js";

/** Documents have a few hundred bytes each. */
const pageSize = 500;

/** Reads the next documents of a range that contain addresses, in the order of the index. One or two commands. */
export async function readPage<Found extends Document>(
  { collection, ready, expiry, findShards }: AddressedDocuments,
  range: AddressRange,
  after: PageEnd | null,
  projection: Partial<Record<keyof Found, unknown>>,
  call: CallContext,
): Promise<{ documents: Found[]; end: PageEnd | null }> {
  await reading(async () => ready());
  const documents: Found[] = [];
  for (const filter of filtersAfter(range, after)) {
    const limit = pageSize - documents.length;
    const options = { projection, sort: getIndexOrder(range), limit, batchSize: limit + 1, ...asPlainValues };
    const all = { ...filter, ...notExpired(expiry.deadline(range.scope)), ...findShards(range) };
    documents.push(...(await reading(() => collection.find<Found>(all, options, call).toArray())));
    if (documents.length >= pageSize) break;
  }
  const last = documents.length < pageSize ? undefined : documents.at(-1);
  // Documents without an address are not in the range.
  return { documents, end: last === undefined ? null : (storedAddress(last) as PageEnd) };
}
