import type { CallContext } from "../../../core/runtime/call.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { addressProjection, parseAddress } from "./found-memories.js";
import type { MemorySummary } from "../addresses/memory-filter.js";
import { type PageEnd, readHeads, type SummaryPage } from "./summary-pages.js";
import { totalTextBytes, type Expression, orEmpty } from "../documents/expressions.js";
import { getIncarnation, type MemoryDocument } from "../documents/page-document.js";
import { getMemoryTimes } from "../reading/page-reads.js";
import type { MemoriesContext } from "../memory-context.js";
import { reading } from "../../driver/reads.js";
import { getPagesRange } from "../documents/page-ids.js";
import { contentBytes } from "../documents/page-sizes.js";

/** Counts the files of a page. */
const fileCount: Expression = { $size: { $objectToArray: orEmpty("$data") } };

export const countProjection: Record<string, Expression> = { files: fileCount, key: 1, hi: 1 };

const summaryProjection: Record<string, Expression> = {
  ...countProjection,
  ...addressProjection,
  createdAt: 1,
  updatedAt: 1,
  textBytes: totalTextBytes,
  sizeBytes: contentBytes("$$ROOT"),
};

export type CountedDocument = MemoryDocument & { files: number };
type SummarisedDocument = CountedDocument & { textBytes: number; sizeBytes: number };

/** Reads one page of memories. A memory of several pages takes one more command. */
export async function readSummaries(
  context: MemoriesContext,
  range: AddressRange,
  after: PageEnd | null,
  call: CallContext,
): Promise<SummaryPage> {
  const { documents, end } = await readHeads<SummarisedDocument>(context, range, after, summaryProjection, call);
  const summaries: MemorySummary[] = [];
  for (const document of documents) summaries.push(...(await toSummary(context, document, call)));
  return { summaries, end };
}

/** Returns nothing for ids that no memory can have. */
async function toSummary(
  context: MemoriesContext,
  document: SummarisedDocument,
  call: CallContext,
): Promise<MemorySummary[]> {
  const address = parseAddress(document);
  if (address === null) return [];
  const others = await measurePages(context, document, call);
  const deadline = context.expiry.deadline(address.scope);
  const { createdAt, updatedAt } = getMemoryTimes(document, [others]);
  if (document.hi !== undefined && deadline !== null && updatedAt <= deadline) return [];
  return [
    {
      address,
      sizeBytes: document.sizeBytes + others.sizeBytes,
      textBytes: document.textBytes + others.textBytes,
      files: document.files + others.files,
      createdAt,
      updatedAt,
    },
  ];
}

/** A change in an outbox, with its number of files. */
export interface CountedChange {
  revision: number;
  files: number;
}

/** The changes in the outbox of a page. */
export interface CountedOutbox {
  _id: string;
  changes: CountedChange[];
}

export const recordedChanges: Expression = {
  $map: {
    input: { $ifNull: ["$outbox", []] },
    as: "change",
    in: { revision: "$$change.revision", files: { $size: "$$change.files" } },
  },
};

/** Sums over the pages of a memory except its head. */
export interface MeasuredPages {
  files: number;
  textBytes: number;
  sizeBytes: number;
  outboxes: CountedOutbox[];
  /** The size in bytes of the largest outbox. */
  recordedBytes: number;
  /** The time of the last change, if there are any. */
  updatedAt?: Date;
}

export const noPages: MeasuredPages = { files: 0, textBytes: 0, sizeBytes: 0, outboxes: [], recordedBytes: 0 };

/** Measures the pages of a memory except its head. No command if there are none. */
export async function measurePages(
  { collection }: Pick<MemoriesContext, "collection">,
  head: Pick<MemoryDocument, "_id" | "key" | "hi">,
  call: CallContext,
): Promise<MeasuredPages> {
  if (head.hi === undefined) return noPages;
  const pipeline = [
    { $match: { _id: getPagesRange(head._id, getIncarnation(head)) } },
    {
      $group: {
        _id: null,
        files: { $sum: fileCount },
        textBytes: { $sum: totalTextBytes },
        sizeBytes: { $sum: contentBytes("$$ROOT") },
        outboxes: { $push: { _id: "$_id", changes: recordedChanges } },
        recordedBytes: { $max: { $bsonSize: { recorded: { $ifNull: ["$outbox", []] } } } },
        updatedAt: { $max: "$updatedAt" },
      },
    },
  ];
  const found = collection.aggregate<MeasuredPages>(pipeline, call);
  const [measured] = await reading(() => found.toArray());
  return measured ?? noPages;
}
