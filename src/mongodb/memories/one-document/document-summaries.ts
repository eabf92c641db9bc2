import { addressOrNull, type OwnerField, ownerFields } from "../../../core/address.js";
import { reading } from "../../driver/reads.js";
import type { AddressRange } from "../address-ranges.js";
import type { ForgottenCounts, MemorySummary } from "../memory-filter.js";
import type { PageEnd, SummaryPage } from "../summary-pages.js";
import { storageError } from "../../driver/errors.js";
import { isLegacy } from "./change.js";
import { type MemoryDocument, snapshotOfDocument } from "./document.js";
import { documentIndexes, ownerIndexes } from "./document-indexes.js";
import { type Expression, orEmpty, where } from "./expressions.js";
import { storedAddress } from "./found-documents.js";
import { asPlainValues, type DocumentContext, notExpired } from "./stored-document.js";

/** Of a few hundred bytes each. */
const pageSize = 500;

/** How many files a document has; of one of the earlier system the server does not count them, and the content itself comes. */
const countProjection: Record<string, Expression> = {
  files: where(isLegacy, -1, { $size: { $objectToArray: orEmpty("$data") } }),
  data: where(isLegacy, "$data", "$$REMOVE"),
};

const summaryProjection: Record<string, Expression> = {
  ...countProjection,
  nodeId: 1,
  scope: 1,
  threadId: 1,
  userId: 1,
  createdAt: 1,
  updatedAt: 1,
  sizeBytes: { $bsonSize: "$$ROOT" },
};

type CountedDocument = MemoryDocument & { files: number };
type SummarisedDocument = CountedDocument & { sizeBytes: number };

/** One page, from the index of the range alone but for the sizes. */
export async function summaryPage(context: DocumentContext, range: AddressRange, after: PageEnd | null): Promise<SummaryPage> {
  await reading(async () => context.ready());
  const found: SummarisedDocument[] = [];
  for (const filter of filtersAfter(range, after)) {
    const limit = pageSize - found.length;
    const options = { projection: summaryProjection, sort: orderOf(range), limit, batchSize: limit + 1, ...asPlainValues };
    const all = { ...filter, ...notExpired(context.expiry.deadline(range.scope)) };
    found.push(...(await reading(() => context.collection.find<SummarisedDocument>(all, options).toArray())));
    if (found.length >= pageSize) break;
  }
  const last = found.length < pageSize ? undefined : found.at(-1);
  return { summaries: found.flatMap(summaryOf), end: last === undefined ? null : (storedAddress(last) as PageEnd) };
}

/** @throws MemoryError EIO */
export async function removeDocuments(context: DocumentContext, range: AddressRange): Promise<ForgottenCounts> {
  const { collection } = context;
  try {
    await context.ready();
    const filter = rangeFilter(range);
    if (isAddress(range)) {
      const removed = await collection.findOneAndDelete<CountedDocument>(filter, { projection: countProjection, ...asPlainValues });
      return { memories: removed === null ? 0 : 1, files: removed === null ? 0 : filesOf(removed) };
    }
    const counted = collection.find<CountedDocument>(filter, { projection: countProjection, ...asPlainValues });
    let files = 0;
    for await (const document of counted) files += filesOf(document);
    return { memories: await collection.deleteMany(filter, {}), files };
  } catch (error) {
    throw storageError(error, "write", null);
  }
}

function isAddress(range: AddressRange): boolean {
  const ownerField = ownerFields[range.scope];
  return range.nodeId !== undefined && (ownerField === null || range[ownerField] !== undefined);
}

/** The index of owners holds texts only, and serves a filter that says so too. */
function rangeFilter(range: AddressRange): Record<string, unknown> {
  const ownerField = ownerOfAnyNode(range);
  return ownerField === null ? { ...range } : { ...range, [ownerField]: { $eq: range[ownerField], $type: "string" } };
}

function ownerOfAnyNode(range: AddressRange): OwnerField | null {
  const ownerField = ownerFields[range.scope];
  return range.nodeId === undefined && ownerField !== null && range[ownerField] !== undefined ? ownerField : null;
}

function orderOf(range: AddressRange): Record<string, 1> {
  const ownerField = ownerOfAnyNode(range);
  return ownerField === null ? documentIndexes[range.scope].key : ownerIndexes[ownerField].key;
}

/** What comes after in the order of the index, as parts of it that each lie in one piece. Ids that are no texts are none of ours. */
function filtersAfter(range: AddressRange, after: PageEnd | null): Record<string, unknown>[] {
  const ownerField = ownerFields[range.scope];
  const filter = rangeFilter(range);
  const openOwner = ownerField !== null && range[ownerField] === undefined ? ownerField : null;
  const anyOwner = openOwner === null ? {} : { [openOwner]: { $gt: "" } };
  const ofOtherNodes = { ...filter, nodeId: { $gt: after?.nodeId ?? "" }, ...anyOwner };
  if (openOwner === null) return range.nodeId === undefined ? [ofOtherNodes] : after === null ? [filter] : [];
  const ofSameNode = { ...filter, nodeId: after?.nodeId ?? range.nodeId, [openOwner]: { $gt: after?.[openOwner] ?? "" } };
  if (range.nodeId !== undefined) return [ofSameNode];
  return after === null ? [ofOtherNodes] : [ofSameNode, ofOtherNodes];
}

function summaryOf(document: SummarisedDocument): MemorySummary[] {
  const address = addressOrNull(storedAddress(document));
  if (address === null) return [];
  const createdAt = document.createdAt ?? document._id.getTimestamp();
  const { sizeBytes, updatedAt = createdAt } = document;
  return [{ address, sizeBytes, files: filesOf(document), createdAt, updatedAt }];
}

function filesOf(document: CountedDocument): number {
  return document.files < 0 ? snapshotOfDocument(document).files.length : document.files;
}
