import { MemoryError } from "../../../core/values/errors.js";
import { addressOrNull, type CheckedAddress } from "../../../core/values/address.js";
import { isUnauthorized, storageError } from "../../driver/errors.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { reading } from "../../driver/reads.js";
import { atOneMoment, readAtOneMoment } from "../../driver/snapshot-reads.js";
import { inTransaction } from "../../driver/transactions.js";
import { filtersAfter, orderOf, ownerOfAnyNode, rangeFilter } from "../addresses/address-keys.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { storedAddress } from "../addresses/found-memories.js";
import { notExpired } from "../memory-expiry.js";
import type { MovedMemory } from "../contract/layout.js";
import type { ForgottenCounts, MemorySummary } from "../addresses/memory-filter.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";
import {
  isMark,
  memoryKeyOf,
  memoryKeyOfId,
  pathOfId,
  rangeOfMemory,
  type StoredDocument,
  type StoredRoot,
} from "./documents.js";
import { byId, listingIndex } from "./file-indexes.js";
import { type FilesContext, versionsInCall } from "./files-context.js";
import { laggingDeadline } from "./files-expiry.js";
import { transactionError } from "../transaction-errors.js";
import type { Item } from "@langchain/langgraph-checkpoint";
import { namespaceOfMemory } from "../../../core/values/namespace.js";
import { ROOT } from "../../../core/values/paths.js";
import { compareCodeUnits } from "../../../core/values/text.js";
import type { MemoryLocation } from "../../operations/checked-operation.js";
import { fileItem } from "../file-items.js";
import { FileReads } from "./file-reads.js";

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

/**
 * Those of memories that are gone, found by the documents that say whose they are. A store without history may lack the
 * rights for what another has kept, and leaves alone who has changed the memories of others.
 * @returns how many there were
 */
export async function removeVersions(
  context: FilesContext,
  range: AddressRange,
  kept: readonly string[],
): Promise<number> {
  const versions = versionsInCall(context);
  try {
    const owned: string[] = [];
    for await (const memory of versions.memories({ ...range })) owned.push(memory);
    const projection = { projection: { "history.id": 1 }, ...asPlainValues };
    const present =
      owned.length === 0
        ? []
        : await context.collection.find<Pick<StoredRoot, "history">>(rangeFilter(range), projection).toArray();
    const live = new Set([...kept, ...present.map(({ history }) => history?.id)]);
    let count = 0;
    for (const memory of owned.filter((each) => !live.has(each))) count += await versions.remove(memory);
    const field = ownerOfAnyNode(range);
    const id = field === null ? undefined : range[field];
    if (context.history !== null && field !== null && id !== undefined) await versions.unname(field, id);
    return count;
  } catch (error) {
    const cause = MemoryError.isInstance(error) ? error.cause : error;
    if (context.history === null && isUnauthorized(cause)) return 0;
    throw error;
  }
}

/** How many places one command reads. */
const maxPlacesPerCommand = 100;

/** The items at those places of one memory in their order, null where nothing is; a command for each hundred. */
export async function itemsOfMemory(
  context: FilesContext,
  places: readonly MemoryLocation[],
): Promise<(Item | null)[]> {
  const [first] = places;
  if (first === undefined) return [];
  const reads = new FileReads(context, first.address);
  const key = memoryKeyOf(first.address);
  const found = new Map<string, StoredDocument>();
  for (let start = 0; start < places.length; start += maxPlacesPerCommand) {
    const paths = places.slice(start, start + maxPlacesPerCommand).flatMap(({ path }) => path ?? []);
    for (const document of paths.length === 0 ? [] : await reads.documents(paths))
      found.set(pathOfId(key, document._id), document);
  }
  return places.map(({ path, kind, namespace }) => {
    const document = path === null ? undefined : found.get(path);
    return document === undefined || path === null || document.kind !== kind ? null : itemOf(namespace, path, document);
  });
}

/** Every item of one memory, in the order of their keys. */
export async function allItemsOf(context: FilesContext, address: CheckedAddress): Promise<Item[]> {
  const key = memoryKeyOf(address);
  const namespace = namespaceOfMemory(address);
  const items: Item[] = [];
  for (const document of await new FileReads(context, address).documents()) {
    const path = pathOfId(key, document._id);
    if (path !== ROOT) items.push(itemOf(namespace, path, document));
  }
  return items.toSorted((a, b) => compareCodeUnits(a.key, b.key));
}

function itemOf(namespace: readonly string[], path: string, document: StoredDocument): Item {
  return document.kind === "file"
    ? fileItem(namespace, path, { content: document.text }, document)
    : fileItem(namespace, `${path}/`, { directory: true }, document);
}
