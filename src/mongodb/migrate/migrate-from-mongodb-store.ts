import type { Collection } from "mongodb";
import { reading } from "../driver/reads.js";
import { copyItems, type MongoMemoryStore } from "../store/mongo-memory-store.js";
import { readPages } from "./official-store-pages.js";

/** The source and the target of a migration, and where it starts. */
export interface Migration {
  /** The collection of a `MongoDBStore` of `@langchain/langgraph-checkpoint-mongodb`. The migration only reads it. */
  source: Collection;
  /** The target of the items. Its own collections, index and write concern apply. */
  store: MongoMemoryStore;
  /** `resumeAfter` of the progress of an earlier run, to continue it. @default null */
  resumeAfter?: string | null;
  /** Reads both sides, writes nothing, and reports what the migration would do. @default false */
  dryRun?: boolean;
  /** Called after each batch, and awaited. If it throws, the migration ends. */
  onProgress?: (progress: MigrationProgress) => void | Promise<void>;
}

/** Counts so far. After an interrupted run, the counts of the completed part. */
export interface MigrationProgress {
  /** Documents of the source when this run began, by its own estimate. */
  total: number;
  /** Documents read in this run; the sum of the following four. */
  read: number;
  /** Written: new to the store, or newer than the stored item. */
  copied: number;
  /** Not written: the store has the same or a newer item. */
  unchanged: number;
  /** Expired in the source, or directories of memories, which come with their files. */
  skipped: number;
  /** Items that the store cannot store. */
  refused: number;
  /**
   * Everything up to this document is done. Pass the value to the option of that name. Null before the first document.
   */
  resumeAfter: string | null;
}

/** Counts at the end. */
export interface MigrationSummary extends MigrationProgress {
  /** The first 100 refused items. */
  refusals: RefusedItem[];
}

/** An item that the store cannot store, and the reason. */
export interface RefusedItem {
  /** The `_id` of its document in the source, in the form of `resumeAfter`. */
  id: string;
  namespace: unknown;
  key: unknown;
  /** The error that a `put` of the item throws: InvalidNamespaceError, MemoryError EINVAL or EFBIG, or TypeError. */
  reason: Error;
}

/** Documents that are read and written at a time, fewer if they are large. */
const defaultBatchSize = 500;
const maxRefusals = 100;

/**
 * Copies the items of the official `MongoDBStore` into a `MongoMemoryStore`, with their namespaces, keys, values and
 * times. Both may be in use meanwhile: run it again afterwards for items that were put into the source since.
 *
 * A migration can run any number of times. It writes an item only if the store has no such item, or one with an older
 * `updatedAt`. The server decides that during the write, so nothing newer is overwritten, and a second run changes
 * nothing. Files of memories (`["memory", …]` with a value `{ content: string }`) go into memories, in the same way.
 * Deletions in the source are not copied.
 *
 * The migration reads documents in the order of `_id`, and writes each batch with one bulk write. A migration is not
 * atomic: if it ends early, the batches before are copied. `resumeAfter` of the last progress continues there.
 *
 * @returns the last progress, also for an empty source
 * @throws TypeError for a bad `resumeAfter`; MemoryError EIO if the source or the store failed; the errors of callbacks
 */
export async function migrateFromMongoDBStore(
  { source, store, resumeAfter = null, dryRun = false, onProgress }: Migration,
  batchSize = defaultBatchSize,
): Promise<MigrationSummary> {
  const summary: MigrationSummary = {
    total: await reading(() => source.estimatedDocumentCount()),
    read: 0,
    copied: 0,
    unchanged: 0,
    skipped: 0,
    refused: 0,
    resumeAfter,
    refusals: [],
  };
  for await (const { items, getId, lastId } of readPages(source, { batchSize, resumeAfter })) {
    const report = await store[copyItems](items, dryRun);
    for (const { item, reason } of report.refused) {
      if (summary.refusals.length === maxRefusals) break;
      const { namespace, key } = item;
      summary.refusals.push({ id: getId(items.indexOf(item)), namespace, key, reason });
    }
    summary.read += items.length;
    summary.copied += report.copied;
    summary.unchanged += report.unchanged;
    summary.skipped += report.skipped;
    summary.refused += report.refused.length;
    summary.resumeAfter = lastId;
    const { refusals: _, ...progress } = summary;
    await onProgress?.(progress);
  }
  return summary;
}
