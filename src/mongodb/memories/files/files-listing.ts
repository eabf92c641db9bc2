import { addressOrNull, type CheckedAddress, type MemoryScope } from "../../../core/values/address.js";
import { readPage } from "../addresses/memory-pages.js";
import type { RemovedMemories } from "../removal.js";
import { addressProjection, type AddressedDocuments, storedAddress } from "../addresses/found-memories.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { reading } from "../../driver/reads.js";
import { atOneMoment, readAtOneMoment } from "../../driver/snapshot-reads.js";
import { inTransaction } from "../../driver/transactions.js";
import { getIndexOrder, rangeFilter } from "../addresses/address-keys.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import type { MovedMemory } from "../contract/layout.js";
import type { MemorySummary } from "../addresses/memory-filter.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";
import {
  isMark,
  getMemoryKey,
  memoryKeyOfId,
  pathOfId,
  rangeOfMemory,
  type StoredDocument,
  type StoredRoot,
} from "./documents.js";
import { byId, listingIndex } from "./file-indexes.js";
import type { FilesContext } from "./files-context.js";
import { laggingDeadline } from "./files-expiry.js";
import { transactionError } from "../transaction-errors.js";
import type { Item } from "@langchain/langgraph-checkpoint";
import { getMemoryNamespace } from "../../../core/values/namespace.js";
import { ROOT } from "../../../core/values/paths.js";
import { compareCodeUnits } from "../../../core/values/text.js";
import type { MemoryLocation } from "../../operations/memory-location.js";
import { fileItem } from "../file-items.js";
import { FileReads } from "./file-reads.js";

/** How many memories are counted at a time. */
const countedAtOnce = 8;

const rootProjection = { ...addressProjection, createdAt: 1, updatedAt: 1, kind: 1 } as const;

export interface MemoryCounts {
  files: number;
  sizeBytes: number;
  /** When a file was last written or a directory created. Null if the memory is empty. */
  updatedAt: Date | null;
}

/** Reads one page from the index of the range. The index of listings counts the documents of each memory. */
export async function readSummaries(
  context: FilesContext,
  range: AddressRange,
  after: PageEnd | null,
  call: CallContext,
): Promise<SummaryPage<MemorySummary | MovedMemory>> {
  const { documents, end } = await readPage<StoredRoot>(getRoots(context), range, after, rootProjection, call);
  const summaries: (MemorySummary | MovedMemory)[] = [];
  for (let start = 0; start < documents.length; start += countedAtOnce) {
    const some = documents.slice(start, start + countedAtOnce);
    summaries.push(...(await Promise.all(some.map((root) => summarise(context, root, call)))).flat());
  }
  return { summaries, end };
}

/** Returns the documents that show which memories there are. */
export function getRoots({ collection, ready, expiry }: FilesContext): AddressedDocuments {
  const deadline = (scope: MemoryScope): Date | null => laggingDeadline(expiry, scope);
  return { collection, ready, expiry: { deadline } };
}

async function summarise(
  context: FilesContext,
  root: StoredRoot,
  call: CallContext,
): Promise<(MemorySummary | MovedMemory)[]> {
  const address = addressOrNull(storedAddress(root));
  if (address === null) return [];
  const counts = isMark(root) ? "moved" : await countFiles(context, memoryKeyOfId(root._id), call);
  if (counts === "moved") return [{ moved: address }];
  const { files, sizeBytes, updatedAt } = counts;
  const latest = updatedAt !== null && updatedAt > root.updatedAt ? updatedAt : root.updatedAt;
  const deadline = context.expiry.deadline(address.scope);
  if (deadline !== null && latest <= deadline) return [];
  return [{ address, files, sizeBytes, createdAt: root.createdAt, updatedAt: latest }];
}

/** Returns the number and size of all files of a memory, from the index of listings alone. */
export function countFiles(
  { collection }: Pick<FilesContext, "collection">,
  memoryKey: string,
  call: CallContext,
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
      const [found] = await collection
        .aggregate<MemoryCounts & { isMoved: boolean }>(pipeline, options, call)
        .toArray();
      if (found?.isMoved === true) return "moved";
      return { files: found?.files ?? 0, sizeBytes: found?.sizeBytes ?? 0, updatedAt: found?.updatedAt ?? null };
    }),
  );
}

/**
 * Removes memories. The last step removes the rest of a memory with its root in one transaction, so that a concurrent
 * move cannot save a part of it.
 * @throws MemoryError EIO
 */
export async function removeMemories(
  context: FilesContext,
  range: AddressRange,
  call: CallContext,
): Promise<RemovedMemories> {
  const counts = { memories: 0, files: 0, hadVersions: false, recorded: [] };
  await context.ready();
  const options = {
    projection: { "history.id": 1 },
    sort: getIndexOrder(range),
    limit: removedAtOnce,
    ...asPlainValues,
  };
  for (;;) {
    const roots = await context.collection
      .find<Pick<StoredRoot, "_id" | "history">>({ ...rangeFilter(range), kind: "dir" }, options, call)
      .toArray();
    for (const { _id, history } of roots) {
      counts.hadVersions ||= history !== undefined;
      counts.files += await removeMemory(context, memoryKeyOfId(_id), call);
      counts.memories += 1;
    }
    if (roots.length < removedAtOnce) return counts;
  }
}

/** How many memories one command finds. */
const removedAtOnce = 500;

/** How many files one command deletes before the last step. */
const removedBatch = 10_000;

/** @returns the number of files */
async function removeMemory(context: FilesContext, memoryKey: string, call: CallContext): Promise<number> {
  const range = rangeOfMemory(memoryKey);
  let files = 0;
  // The root is removed last: the next removal finds it if this one is interrupted.
  for (;;) {
    const found = await context.collection
      .find<{ _id: string }>(
        { _id: range, kind: "file" },
        { projection: { _id: 1 }, hint: listingIndex.name, limit: removedBatch, ...asPlainValues },
        call,
      )
      .toArray();
    if (found.length < removedBatch) break;
    files += await context.collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } }, byId, call);
  }
  try {
    return (
      files +
      (await inTransaction(context.transactions, call, async (session) => {
        const rest = await context.collection.deleteMany({ _id: range, kind: "file" }, { session }, call);
        // The forwarding record of a memory that has moved meanwhile stays.
        await context.collection.deleteMany({ _id: range, kind: "dir" }, { session }, call);
        return rest;
      }))
    );
  } catch (error) {
    throw transactionError(error);
  }
}

/** How many paths one command reads. */
const maxPlacesPerCommand = 100;

/**
 * Reads the items at these places of one memory in their order, null if there is none. One command for each hundred.
 */
export async function readItems(
  context: FilesContext,
  places: readonly MemoryLocation[],
  call: CallContext,
): Promise<(Item | null)[]> {
  const [first] = places;
  if (first === undefined) return [];
  const reads = new FileReads(context, first.address);
  const key = getMemoryKey(first.address);
  const found = new Map<string, StoredDocument>();
  for (let start = 0; start < places.length; start += maxPlacesPerCommand) {
    const paths = places.slice(start, start + maxPlacesPerCommand).flatMap(({ path }) => path ?? []);
    for (const document of paths.length === 0 ? [] : await reads.documents(paths, call))
      found.set(pathOfId(key, document._id), document);
  }
  return places.map(({ path, kind, namespace }) => {
    const document = path === null ? undefined : found.get(path);
    return document === undefined || path === null || document.kind !== kind ? null : toItem(namespace, path, document);
  });
}

/** Reads every item of one memory, in the order of their keys. */
export async function readAllItems(context: FilesContext, address: CheckedAddress, call: CallContext): Promise<Item[]> {
  const key = getMemoryKey(address);
  const namespace = getMemoryNamespace(address);
  const items: Item[] = [];
  for (const document of await new FileReads(context, address).documents(null, call)) {
    const path = pathOfId(key, document._id);
    if (path !== ROOT) items.push(toItem(namespace, path, document));
  }
  return items.toSorted((a, b) => compareCodeUnits(a.key, b.key));
}

function toItem(namespace: readonly string[], path: string, document: StoredDocument): Item {
  return document.kind === "file"
    ? fileItem(namespace, path, { content: document.text }, document)
    : fileItem(namespace, `${path}/`, { directory: true }, document);
}
