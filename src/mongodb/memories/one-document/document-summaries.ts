import { addressOrNull, type OwnerField, ownerFields } from "../../../core/address.js";
import { MemoryError } from "../../../core/errors.js";
import { reading } from "../../driver/reads.js";
import type { AddressRange } from "../address-ranges.js";
import type { ForgottenCounts, MemorySummary } from "../memory-filter.js";
import type { PageEnd, SummaryPage } from "../summary-pages.js";
import { isBadHint, isUnauthorized, storageError } from "../../driver/errors.js";
import type { VersionCollection } from "../../history/version-collection.js";
import { isLegacy } from "./change.js";
import { type MemoryDocument, snapshotOfDocument } from "./document.js";
import { bytesWithoutOutbox } from "./outbox-expressions.js";
import { documentIndexes, outboxIndexName, ownerIndexes } from "./document-indexes.js";
import { type Expression, orEmpty, where } from "./expressions.js";
import { storedAddress } from "./found-documents.js";
import { asPlainValues, type DocumentContext, notExpired } from "./document-context.js";

/** Of a few hundred bytes each. */
const pageSize = 500;

/** How many files a document has; of one of the earlier system the server does not count them, and the content itself comes. */
const countProjection: Record<string, Expression> = {
  files: where(isLegacy, -1, { $size: { $objectToArray: orEmpty("$data") } }),
  data: where(isLegacy, "$data", "$$REMOVE"),
  hasVersions: 1,
};

const summaryProjection: Record<string, Expression> = {
  ...countProjection,
  nodeId: 1,
  scope: 1,
  threadId: 1,
  userId: 1,
  createdAt: 1,
  updatedAt: 1,
  sizeBytes: bytesWithoutOutbox,
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

/**
 * First the memories, then their versions, so that nobody can add one meanwhile. A crash in between leaves the documents that say
 * whose the versions are, by which the next call finds them.
 * @throws MemoryError EIO
 */
export async function removeMemories(context: DocumentContext, versions: VersionCollection, range: AddressRange): Promise<Omit<ForgottenCounts, "proposals">> {
  try {
    await context.ready();
    const { hadVersions, ...counts } = await removeDocuments(context, range);
    const mayHaveMore = context.history !== null || hadVersions || counts.memories === 0;
    return { ...counts, versions: mayHaveMore ? await removeVersions(context, versions, range) : 0 };
  } catch (error) {
    throw storageError(error, "write", null);
  }
}

/** A store without history may lack the rights for what another has kept, and leaves alone who has changed the memories of others. */
async function removeVersions({ collection, history }: DocumentContext, versions: VersionCollection, range: AddressRange): Promise<number> {
  try {
    const owned = await allOf(versions.memories({ ...range }));
    const present = owned.length === 0 ? [] : await collection.find<Pick<MemoryDocument, "_id">>(rangeFilter(range), { projection: { _id: 1 } }).toArray();
    const live = new Set(present.map(({ _id }) => String(_id)));
    let count = 0;
    for (const memory of owned.filter((each) => !live.has(each))) count += await versions.remove(memory);
    const field = ownerOfAnyNode(range);
    const id = field === null ? undefined : range[field];
    if (history !== null && field !== null && id !== undefined) await unname(collection, versions, field, id);
    return count;
  } catch (error) {
    const cause = MemoryError.isInstance(error) ? error.cause : error;
    if (history === null && isUnauthorized(cause)) return 0;
    throw error;
  }
}

/** Takes a person or a thread out of who has changed the memories of others. What has left a document meanwhile is in the collection. */
async function unname(collection: DocumentContext["collection"], versions: VersionCollection, field: OwnerField, id: string): Promise<void> {
  const path = `actor.${field}`;
  const options = { arrayFilters: [{ [`change.${path}`]: id }], hint: outboxIndexName(field) };
  try {
    await collection.updateMany({ [`outbox.${path}`]: id }, { $unset: { [`outbox.$[change].${path}`]: "" } }, options);
  } catch (error) {
    // Without the index no store has ever kept a history here.
    if (!isBadHint(error)) throw error;
  }
  await versions.unname(field, id);
}

async function removeDocuments({ collection }: DocumentContext, range: AddressRange): Promise<Pick<ForgottenCounts, "memories" | "files"> & { hadVersions: boolean }> {
  const filter = rangeFilter(range);
  if (isAddress(range)) {
    const removed = await collection.findOneAndDelete<CountedDocument>(filter, { projection: countProjection, ...asPlainValues });
    return { memories: removed === null ? 0 : 1, files: removed === null ? 0 : filesOf(removed), hadVersions: removed?.hasVersions === true };
  }
  const counted = collection.find<CountedDocument>(filter, { projection: countProjection, ...asPlainValues });
  let files = 0;
  let hadVersions = false;
  for await (const document of counted) {
    files += filesOf(document);
    hadVersions ||= document.hasVersions === true;
  }
  return { memories: await collection.deleteMany(filter, {}), files, hadVersions };
}

async function allOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of stream) found.push(each);
  return found;
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
