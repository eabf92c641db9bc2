import type { CallContext } from "../../../core/runtime/call.js";
import { addressOrNull } from "../../../core/values/address.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { addressProjection, storedAddress } from "../addresses/found-memories.js";
import type { MemorySummary } from "../addresses/memory-filter.js";
import { readPage } from "../addresses/memory-pages.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";
import { type Expression, where } from "../expressions.js";
import { isLegacy } from "./change-pipeline.js";
import { fileCount, measurePages } from "./measure-pages.js";
import { bytesWithoutOutbox } from "./outbox/outbox.js";
import { type MemoryDocument, snapshotOfDocument } from "./page-document.js";
import { getMemoryTimes } from "./page-reads.js";
import type { PagesContext } from "./pages-context.js";

/**
 * The number of files of a head. The server does not count the files of the earlier system, so the projection returns
 * the content itself.
 */
export const countProjection: Record<string, Expression> = {
  files: where(isLegacy, -1, fileCount),
  data: where(isLegacy, "$data", "$$REMOVE"),
  key: 1,
  hi: 1,
};

const summaryProjection: Record<string, Expression> = {
  ...countProjection,
  ...addressProjection,
  createdAt: 1,
  updatedAt: 1,
  sizeBytes: bytesWithoutOutbox("$$ROOT"),
};

export type CountedDocument = MemoryDocument & { files: number };
type SummarisedDocument = CountedDocument & { sizeBytes: number };

/** Reads one page of memories. A memory of several pages takes one more command. */
export async function readSummaries(
  context: PagesContext,
  range: AddressRange,
  after: PageEnd | null,
  call: CallContext,
): Promise<SummaryPage> {
  const { documents, end } = await readPage<SummarisedDocument>(context, range, after, summaryProjection, call);
  const summaries: MemorySummary[] = [];
  for (const document of documents) summaries.push(...(await toSummary(context, document, call)));
  return { summaries, end };
}

/** Returns nothing for ids that no memory can have. */
async function toSummary(
  context: PagesContext,
  document: SummarisedDocument,
  call: CallContext,
): Promise<MemorySummary[]> {
  const address = addressOrNull(storedAddress(document));
  if (address === null) return [];
  const others = await measurePages(context, document, call);
  const { createdAt, updatedAt } = getMemoryTimes(document);
  return [
    {
      address,
      sizeBytes: document.sizeBytes + others.sizeBytes,
      files: countFiles(document) + others.files,
      createdAt,
      updatedAt: others.updatedAt !== null && others.updatedAt > updatedAt ? others.updatedAt : updatedAt,
    },
  ];
}

export function countFiles(document: CountedDocument): number {
  return document.files < 0 ? snapshotOfDocument(document).files.length : document.files;
}
