import type { Document } from "mongodb";
import { type OwnerField, ownerFields } from "../../../core/values/address.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import type { MemorySummary } from "../addresses/memory-filter.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { reading } from "../../driver/reads.js";
import { mayBePresent } from "../life/memory-expiry.js";
import { addressKeys, ownerKeys, ownerOfAnyNode, rangeFilter } from "../addresses/address-keys.js";
import { type MemoriesContext, nameShards } from "../memory-context.js";
import { storedAddress } from "./found-memories.js";

export type { ProposalPageEnd } from "../../proposals/record-collection.js";

/** The position after a page of summaries: the ids as stored. */
export type PageEnd = { nodeId: string } & Partial<Record<OwnerField, string>>;

export interface SummaryPage {
  summaries: MemorySummary[];
  /** Null if nothing follows. */
  end: PageEnd | null;
}

/** Reads the summaries of these ranges. */
export async function* summariesIn(
  ranges: readonly AddressRange[],
  readPage: (range: AddressRange, after: PageEnd | null) => Promise<SummaryPage>,
): AsyncGenerator<MemorySummary> {
  for (const range of ranges) yield* readAllPages((after: PageEnd | null) => readPage(range, after));
}

/**
 * Reads the summaries of all pages. Requests a page only after the previous page was consumed, and keeps nothing open
 * in between.
 */
export async function* readAllPages<Summary, End>(
  readPage: (after: End | null) => Promise<{ summaries: Summary[]; end: End | null }>,
): AsyncGenerator<Summary> {
  let after: End | null = null;
  do {
    const page: { summaries: Summary[]; end: End | null } = await readPage(after);
    yield* page.summaries;
    after = page.end;
  } while (after !== null);
}

/** Documents have a few hundred bytes each. */
const pageSize = 500;

/** Reads the next documents of a range that contain addresses, in the order of the index. One or two commands. */
export async function readHeads<Found extends Document>(
  { collection, ready, expiry }: MemoriesContext,
  range: AddressRange,
  after: PageEnd | null,
  projection: Partial<Record<keyof Found, unknown>>,
  call: CallContext,
): Promise<{ documents: Found[]; end: PageEnd | null }> {
  await reading(async () => ready());
  const documents: Found[] = [];
  for (const filter of filtersAfter(range, after)) {
    const limit = pageSize - documents.length;
    const options = { projection, sort: getIndexOrder(range), limit, batchSize: limit + 1 };
    const all = { ...filter, ...mayBePresent(expiry.deadline(range.scope)), ...nameShards(range) };
    documents.push(...(await reading(() => collection.find<Found>(all, call, options).toArray())));
    if (documents.length >= pageSize) break;
  }
  const last = documents.length < pageSize ? undefined : documents.at(-1);
  // Documents without an address are not in the range.
  return { documents, end: last === undefined ? null : (storedAddress(last) as PageEnd) };
}

/** The order of the index that serves a range. */
function getIndexOrder(range: AddressRange): Record<string, 1> {
  const owner = ownerOfAnyNode(range);
  return owner === null ? addressKeys[range.scope] : ownerKeys[owner.field];
}

/**
 * Filters for the rest of a range after a position in the index. Each filter covers one contiguous part. Ids that are
 * no texts are never ours.
 */
function filtersAfter(range: AddressRange, after: PageEnd | null): Record<string, unknown>[] {
  const ownerField = ownerFields[range.scope];
  const filter = rangeFilter(range);
  const openOwner = ownerField !== null && range[ownerField] === undefined ? ownerField : null;
  const anyOwner = openOwner === null ? {} : { [openOwner]: { $gt: "" } };
  const ofOtherNodes = { ...filter, nodeId: { $gt: after?.nodeId ?? "" }, ...anyOwner };
  if (openOwner === null) return range.nodeId === undefined ? [ofOtherNodes] : after === null ? [filter] : [];
  const ofSameNode = {
    ...filter,
    nodeId: after?.nodeId ?? range.nodeId,
    [openOwner]: { $gt: after?.[openOwner] ?? "" },
  };
  if (range.nodeId !== undefined) return [ofSameNode];
  return after === null ? [ofOtherNodes] : [ofSameNode, ofOtherNodes];
}
