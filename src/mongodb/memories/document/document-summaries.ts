import type { CallContext } from "../../../core/runtime/call.js";
import { readPage } from "../addresses/memory-pages.js";
import { type OutboxVersions, type RemovedMemories, unnameVersions } from "../removal.js";
import { addressOrNull, type OwnerField } from "../../../core/values/address.js";
import { MemoryError } from "../../../core/values/errors.js";
import { streaming } from "../../driver/reads.js";
import { isAddress, ownerOfAnyNode, rangeFilter } from "../addresses/address-keys.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { addressProjection, storedAddress } from "../addresses/found-memories.js";
import type { MemorySummary } from "../addresses/memory-filter.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";
import { isBadHint } from "../../driver/errors.js";
import { isLegacy } from "./change-pipeline.js";
import { type MemoryDocument, snapshotOfDocument } from "./document.js";
import { actorName, bytesWithoutOutbox, isRecordedBy } from "./outbox/outbox.js";
import { outboxIndex } from "./document-indexes.js";
import { type Expression, literal, where } from "../expressions.js";
import { orEmpty } from "./expressions.js";
import { moveVersions } from "./outbox/outbox-source.js";
import { asPlainValues } from "../../driver/plain-values.js";
import type { DocumentContext } from "./document-context.js";

/**
 * The number of files of a document. The server does not count the files of the earlier system, so the projection
 * returns the content itself.
 */
const countProjection: Record<string, Expression> = {
  files: where(isLegacy, -1, { $size: { $objectToArray: orEmpty("$data") } }),
  data: where(isLegacy, "$data", "$$REMOVE"),
  hasVersions: 1,
};

const summaryProjection: Record<string, Expression> = {
  ...countProjection,
  ...addressProjection,
  createdAt: 1,
  updatedAt: 1,
  sizeBytes: bytesWithoutOutbox("$$ROOT"),
};

/** Also counts the versions in the outbox of a removed document: one for each file, or one for directories alone. */
const removalProjection: Record<string, Expression> = {
  ...countProjection,
  versions: {
    $sum: {
      $map: {
        input: { $ifNull: ["$outbox", []] },
        as: "change",
        in: { $max: [1, { $size: "$$change.files" }] },
      },
    },
  },
  firstRevision: { $arrayElemAt: ["$outbox.revision", 0] },
};

type CountedDocument = MemoryDocument & { files: number };
type RemovedDocument = CountedDocument & { versions: number; firstRevision: number | null };
type SummarisedDocument = CountedDocument & { sizeBytes: number };

/** Reads one page. Only the sizes need more than the index of the range. */
export async function readSummaries(
  context: DocumentContext,
  range: AddressRange,
  after: PageEnd | null,
  call: CallContext,
): Promise<SummaryPage> {
  const { documents, end } = await readPage<SummarisedDocument>(context, range, after, summaryProjection, call);
  return { summaries: documents.flatMap(toSummary), end };
}

/** Removes a person or a thread from the authors of changes to memories of others. */
export async function unname(context: DocumentContext, range: AddressRange, call: CallContext): Promise<void> {
  const field = ownerOfAnyNode(range);
  const id = field === null ? undefined : range[field];
  if (field === null || id === undefined) return;
  await unnameOutboxes(context, field, id, call);
  await unnameVersions(context, range, call);
}

/** Removes the author of changes that have not become versions yet. These changes become versions first. */
async function unnameOutboxes(
  context: DocumentContext,
  field: OwnerField,
  id: string,
  call: CallContext,
): Promise<void> {
  const { collection } = context;
  const name = actorName(field, id);
  const others: Expression = { $setDifference: ["$outboxActors", literal([name])] };
  const options = { projection: addressProjection, hint: outboxIndex.name };
  try {
    for await (const { _id, ...stored } of streaming(
      collection.find<MemoryDocument>({ outboxActors: name }, options, call),
    )) {
      const address = addressOrNull(storedAddress(stored));
      if (address !== null) await moveVersions(context, address, call);
      // The name stays if another change by the same author came meanwhile.
      const update = [{ $set: { outboxActors: where(isRecordedBy(field, id), "$outboxActors", others) } }];
      await collection.updateOne({ _id, outboxActors: name }, update, {}, call);
    }
  } catch (error) {
    // Without the index no store has ever kept a history here.
    if (!isBadHint(MemoryError.isInstance(error) ? error.cause : error)) throw error;
  }
}

export async function removeMemories(
  { collection, ready }: DocumentContext,
  range: AddressRange,
  call: CallContext,
): Promise<RemovedMemories> {
  await ready();
  const filter = rangeFilter(range);
  const options = { projection: removalProjection, ...asPlainValues };
  const recorded: OutboxVersions[] = [];
  const counts = { files: 0, hadVersions: false };
  const count = (document: RemovedDocument): void => {
    counts.files += countFiles(document);
    counts.hadVersions ||= document.hasVersions === true;
    const { _id, versions, firstRevision } = document;
    if (firstRevision !== null) recorded.push({ versionsId: String(_id), count: versions, firstRevision });
  };
  if (isAddress(range)) {
    const removed = await collection.findOneAndDelete<RemovedDocument>(filter, options, call);
    if (removed !== null) count(removed);
    return { memories: removed === null ? 0 : 1, ...counts, recorded };
  }
  for await (const document of collection.find<RemovedDocument>(filter, options, call)) count(document);
  return { memories: await collection.deleteMany(filter, {}, call), ...counts, recorded };
}

function toSummary(document: SummarisedDocument): MemorySummary[] {
  const address = addressOrNull(storedAddress(document));
  if (address === null) return [];
  const createdAt = document.createdAt ?? document._id.getTimestamp();
  const { sizeBytes, updatedAt = createdAt } = document;
  return [{ address, sizeBytes, files: countFiles(document), createdAt, updatedAt }];
}

function countFiles(document: CountedDocument): number {
  return document.files < 0 ? snapshotOfDocument(document).files.length : document.files;
}
