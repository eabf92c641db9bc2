import { addressOrNull } from "../../../core/values/address.js";
import { storageError } from "../../driver/errors.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { reading } from "../../driver/reads.js";
import { atOneMoment, readAtOneMoment } from "../../driver/snapshot-reads.js";
import { inTransaction } from "../../driver/transactions.js";
import { filtersAfter, orderOf, rangeFilter } from "../address-keys.js";
import type { AddressRange } from "../address-ranges.js";
import { storedAddress } from "../found-memories.js";
import { notExpired } from "../memory-expiry.js";
import type { MovedMemory } from "../layout.js";
import type { ForgottenCounts, MemorySummary } from "../memory-filter.js";
import type { PageEnd, SummaryPage } from "../summary-pages.js";
import { removeVersions } from "./files-versions.js";
import { memoryKeyOfId, rangeOfMemory } from "./document-ids.js";
import { byId, listingIndex } from "./file-indexes.js";
import type { FilesContext } from "./files-context.js";
import { laggingDeadline } from "./memory-life.js";
import { isMark, type StoredRoot } from "./stored-document.js";
import { transactionError } from "../transaction-errors.js";

/** Of a few hundred bytes each. */
const pageSize = 500;

/** How many memories are counted at a time. */
const countedAtOnce = 8;

const rootProjection = { nodeId: 1, scope: 1, threadId: 1, userId: 1, createdAt: 1, updatedAt: 1, kind: 1 } as const;

export interface MemoryCounts {
  files: number;
  sizeBytes: number;
  /** When a file was last written or a directory made; null where nothing lies in the memory. */
  updatedAt: Date | null;
}

/** One page, from the index of the range; and the documents of each memory are counted by the index of listings. */
export async function summaryPage(
  context: FilesContext,
  range: AddressRange,
  after: PageEnd | null,
): Promise<SummaryPage<MemorySummary | MovedMemory>> {
  await reading(async () => context.ready());
  const roots: StoredRoot[] = [];
  for (const filter of filtersAfter(range, after)) {
    const limit = pageSize - roots.length;
    const options = { projection: rootProjection, sort: orderOf(range), limit, batchSize: limit + 1, ...asPlainValues };
    const all = { ...filter, ...notExpired(laggingDeadline(context.expiry, range.scope)) };
    roots.push(...(await reading(() => context.collection.find<StoredRoot>(all, options).toArray())));
    if (roots.length >= pageSize) break;
  }
  const last = roots.length < pageSize ? undefined : roots.at(-1);
  const summaries: (MemorySummary | MovedMemory)[] = [];
  for (let start = 0; start < roots.length; start += countedAtOnce) {
    const found = await Promise.all(roots.slice(start, start + countedAtOnce).map((root) => summaryOf(context, root)));
    summaries.push(...found.flat());
  }
  return { summaries, end: last === undefined ? null : (storedAddress(last) as PageEnd) };
}

async function summaryOf(context: FilesContext, root: StoredRoot): Promise<(MemorySummary | MovedMemory)[]> {
  const address = addressOrNull(storedAddress(root));
  if (address === null) return [];
  if (isMark(root)) return [{ moved: address }];
  const counts = await countsOf(context, memoryKeyOfId(root._id));
  if (counts === "moved") return [{ moved: address }];
  const { files, sizeBytes, updatedAt } = counts;
  const latest = updatedAt !== null && updatedAt > root.updatedAt ? updatedAt : root.updatedAt;
  const deadline = context.expiry.deadline(address.scope);
  if (deadline !== null && latest <= deadline) return [];
  return [{ address, files, sizeBytes, createdAt: root.createdAt, updatedAt: latest }];
}

/** What all files of a memory take, from the index of listings alone. */
export function countsOf(
  { collection }: Pick<FilesContext, "collection">,
  memoryKey: string,
): Promise<MemoryCounts | "moved"> {
  const pipeline = [
    { $match: { _id: rangeOfMemory(memoryKey) } },
    {
      $group: {
        _id: null,
        files: { $sum: { $cond: [{ $eq: ["$kind", "file"] }, 1, 0] } },
        sizeBytes: { $sum: "$sizeBytes" },
        updatedAt: { $max: "$updatedAt" },
        isMoved: { $max: { $eq: ["$kind", "moved"] } },
      },
    },
  ];
  const options = { ...asPlainValues, ...atOneMoment, hint: listingIndex.name };
  return reading(() =>
    readAtOneMoment(async () => {
      const [found] = await collection.aggregate<MemoryCounts & { isMoved: boolean }>(pipeline, options).toArray();
      if (found?.isMoved === true) return "moved";
      return { files: found?.files ?? 0, sizeBytes: found?.sizeBytes ?? 0, updatedAt: found?.updatedAt ?? null };
    }),
  );
}

/**
 * A memory with all its documents goes in one step, so that nothing of it can be moved past this. @throws MemoryError
 * EIO
 */
export async function removeMemories(
  context: FilesContext,
  range: AddressRange,
  kept: readonly string[],
): Promise<Omit<ForgottenCounts, "proposals">> {
  const counts = { memories: 0, files: 0, versions: 0 };
  let hadVersions = false;
  try {
    await context.ready();
    for (;;) {
      const options = { projection: { "history.id": 1 }, sort: orderOf(range), limit: pageSize, ...asPlainValues };
      const roots = await context.collection
        .find<Pick<StoredRoot, "_id" | "history">>({ ...rangeFilter(range), kind: "dir" }, options)
        .toArray();
      for (const { _id, history } of roots) {
        hadVersions ||= history !== undefined;
        counts.files += await removeMemory(context, memoryKeyOfId(_id));
        counts.memories += 1;
      }
      if (roots.length < pageSize) break;
    }
    const mayHaveVersions = context.history !== null || hadVersions || counts.memories === 0;
    return mayHaveVersions ? { ...counts, versions: await removeVersions(context, range, kept) } : counts;
  } catch (error) {
    throw storageError(error, "write", null);
  }
}

/** How many documents go at a time before the last of them. */
const removedBatch = 10_000;

/** @returns how many files there were */
export async function removeMemory(context: FilesContext, memoryKey: string): Promise<number> {
  const range = rangeOfMemory(memoryKey);
  let files = 0;
  // The root goes last, by which a memory is found again whose removal was broken off.
  for (;;) {
    const found = await context.collection
      .find<{ _id: string }>(
        { _id: range, kind: "file" },
        { projection: { _id: 1 }, hint: listingIndex.name, limit: removedBatch, ...asPlainValues },
      )
      .toArray();
    if (found.length < removedBatch) break;
    files += await context.collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } }, byId);
  }
  try {
    return (
      files +
      (await inTransaction(context.transactions, context.call, async (session) => {
        const rest = await context.collection.deleteMany({ _id: range, kind: "file" }, { session });
        // The mark of a memory that has moved meanwhile stays.
        await context.collection.deleteMany({ _id: range, kind: "dir" }, { session });
        return rest;
      }))
    );
  } catch (error) {
    throw transactionError(error);
  }
}
