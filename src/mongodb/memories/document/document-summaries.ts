import { addressOrNull, type OwnerField } from "../../../core/values/address.js";
import { MemoryError } from "../../../core/values/errors.js";
import { reading, streaming } from "../../driver/reads.js";
import { filtersAfter, isAddress, orderOf, ownerOfAnyNode, rangeFilter } from "../addresses/address-keys.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { storedAddress } from "../addresses/found-memories.js";
import type { MovedMemory } from "../contract/layout.js";
import type { ForgottenCounts, MemorySummary } from "../addresses/memory-filter.js";
import { reasonToFollow } from "../moves/moved-memory.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";
import { isBadHint, isUnauthorized, storageError } from "../../driver/errors.js";
import type { VersionCollection } from "../../history/version-collection.js";
import { isLegacy } from "./change-pipeline.js";
import { isMark, type MemoryDocument, ofMark, snapshotOfDocument } from "./document.js";
import { actorName, bytesWithoutOutbox, isRecordedBy } from "./outbox.js";
import { outboxIndex } from "./document-indexes.js";
import { type Expression, literal, where } from "../expressions.js";
import { orEmpty } from "./expressions.js";
import { moveVersions } from "./outbox-source.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { notExpired } from "../memory-expiry.js";
import type { DocumentContext } from "./document-context.js";

/** Of a few hundred bytes each. */
const pageSize = 500;

/**
 * How many files a document has; of one of the earlier system the server does not count them, and the content itself
 * comes.
 */
const countProjection: Record<string, Expression> = {
  files: where(isLegacy, -1, { $size: { $objectToArray: orEmpty("$data") } }),
  data: where(isLegacy, "$data", "$$REMOVE"),
  hasVersions: 1,
  revision: 1,
};

const summaryProjection: Record<string, Expression> = {
  ...countProjection,
  nodeId: 1,
  scope: 1,
  threadId: 1,
  userId: 1,
  createdAt: 1,
  updatedAt: 1,
  sizeBytes: bytesWithoutOutbox("$$ROOT"),
};

type CountedDocument = MemoryDocument & { files: number };
type SummarisedDocument = CountedDocument & { sizeBytes: number };

/** One page, from the index of the range alone but for the sizes. */
export async function summaryPage(
  context: DocumentContext,
  range: AddressRange,
  after: PageEnd | null,
): Promise<SummaryPage<MemorySummary | MovedMemory>> {
  await reading(async () => context.ready());
  const found: SummarisedDocument[] = [];
  for (const filter of filtersAfter(range, after)) {
    const limit = pageSize - found.length;
    const options = {
      projection: summaryProjection,
      sort: orderOf(range),
      limit,
      batchSize: limit + 1,
      ...asPlainValues,
    };
    const all = { ...filter, ...notExpired(context.expiry.deadline(range.scope)) };
    found.push(...(await reading(() => context.collection.find<SummarisedDocument>(all, options).toArray())));
    if (found.length >= pageSize) break;
  }
  const last = found.length < pageSize ? undefined : found.at(-1);
  return { summaries: found.flatMap(summaryOf), end: last === undefined ? null : (storedAddress(last) as PageEnd) };
}

/**
 * First the memories, then their versions, so that nobody can add a version meanwhile. After a crash in between, the
 * documents that say whose the versions are remain. The next call finds the versions by them.
 * @throws MemoryError EIO
 */
export async function removeMemories(
  context: DocumentContext,
  versions: VersionCollection,
  range: AddressRange,
  kept: readonly string[],
): Promise<Omit<ForgottenCounts, "proposals">> {
  try {
    await context.ready();
    const { hadVersions, ...counts } = await removeDocuments(context, range);
    const mayHaveMore = context.history !== null || hadVersions || counts.memories === 0;
    return { ...counts, versions: mayHaveMore ? await removeVersions(context, versions, range, kept) : 0 };
  } catch (error) {
    throw storageError(error, "write", null);
  }
}

/**
 * A store without history may lack the rights for what another has kept, and leaves alone who has changed the memories
 * of others.
 */
async function removeVersions(
  context: DocumentContext,
  versions: VersionCollection,
  range: AddressRange,
  kept: readonly string[],
): Promise<number> {
  const { collection, history } = context;
  try {
    const owned = await allOf(versions.memories({ ...range }));
    const present =
      owned.length === 0
        ? []
        : await collection
            .find<Pick<MemoryDocument, "_id">>(
              { ...rangeFilter(range), revision: { $not: ofMark } },
              { projection: { _id: 1 } },
            )
            .toArray();
    const live = new Set([...kept, ...present.map(({ _id }) => String(_id))]);
    let count = 0;
    for (const memory of owned.filter((each) => !live.has(each))) count += await versions.remove(memory);
    if (history !== null) await unnameIn(context, versions, range);
    return count;
  } catch (error) {
    if (history === null && isUnauthorized(causeOf(error))) return 0;
    throw error;
  }
}

export async function unnameIn(
  context: DocumentContext,
  versions: VersionCollection,
  range: AddressRange,
): Promise<void> {
  const field = ownerOfAnyNode(range);
  const id = field === null ? undefined : range[field];
  if (field !== null && id !== undefined) await unname(context, versions, field, id);
}

/** Takes a person or a thread out of who has changed the memories of others, from what has left their documents. */
async function unname(
  context: DocumentContext,
  versions: VersionCollection,
  field: OwnerField,
  id: string,
): Promise<void> {
  const { collection } = context;
  const name = actorName(field, id);
  const others: Expression = { $setDifference: ["$outboxActors", literal([name])] };
  try {
    const found = collection.find<MemoryDocument>(
      { outboxActors: name },
      { projection: { nodeId: 1, scope: 1, threadId: 1, userId: 1 }, hint: outboxIndex.name },
    );
    for await (const { _id, ...stored } of streaming(found)) {
      const address = addressOrNull(storedAddress(stored));
      if (address !== null) await moveVersions(context, address, versions).catch(unlessElsewhere);
      // A change that came meanwhile keeps it.
      await collection.updateOne(
        { _id, outboxActors: name },
        [{ $set: { outboxActors: where(isRecordedBy(field, id), "$outboxActors", others) } }],
        {},
      );
    }
  } catch (error) {
    // Without the index no store has ever kept a history here.
    if (!isBadHint(causeOf(error))) throw error;
  }
  await versions.unname(field, id);
}

/** What was recorded has moved too. @throws everything else */
function unlessElsewhere(error: unknown): void {
  if (reasonToFollow(error) === null) throw error;
}

function causeOf(error: unknown): unknown {
  return MemoryError.isInstance(error) ? error.cause : error;
}

async function removeDocuments(
  { collection }: DocumentContext,
  range: AddressRange,
): Promise<Pick<ForgottenCounts, "memories" | "files"> & { hadVersions: boolean }> {
  const filter = { ...rangeFilter(range), revision: { $not: ofMark } };
  if (isAddress(range)) {
    const removed = await collection.findOneAndDelete<CountedDocument>(filter, {
      projection: countProjection,
      ...asPlainValues,
    });
    return {
      memories: removed === null ? 0 : 1,
      files: removed === null ? 0 : filesOf(removed),
      hadVersions: removed?.hasVersions === true,
    };
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

function summaryOf(document: SummarisedDocument): (MemorySummary | MovedMemory)[] {
  const address = addressOrNull(storedAddress(document));
  if (address === null) return [];
  if (isMark(document)) return [{ moved: address }];
  const createdAt = document.createdAt ?? document._id.getTimestamp();
  const { sizeBytes, updatedAt = createdAt } = document;
  return [{ address, sizeBytes, files: filesOf(document), createdAt, updatedAt }];
}

function filesOf(document: CountedDocument): number {
  return document.files < 0 ? snapshotOfDocument(document).files.length : document.files;
}
