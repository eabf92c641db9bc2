import type { Db, MongoClient } from "mongodb";
import type { BackendLimits } from "../../core/contract/backend.js";
import { memoryDefaults } from "../../core/memory-options.js";
import type { RecentMap } from "../../core/runtime/recent-map.js";
import type { TurnQueue } from "../../core/runtime/turn-queue.js";
import type { Change, ChangeResult } from "../../core/tree/change.js";
import { addressOrNull, type CheckedAddress } from "../../core/values/address.js";
import { storageError } from "../driver/errors.js";
import type { ExactCollection } from "../driver/exact-collection.js";
import { findTopology } from "../driver/topology.js";
import { rangeFilter } from "./addresses/address-keys.js";
import type { AddressRange } from "./addresses/address-ranges.js";
import type { Embedder } from "../embeddings/embedder.js";
import type { VectorCollection } from "../embeddings/vector-collection.js";
import type { VersionCollection } from "../history/version-collection.js";
import type { RecordCollection } from "../proposals/record-collection.js";
import { mayBePresent, type MemoryExpiry } from "./life/memory-expiry.js";
import type { MemoryDocument } from "./documents/page-document.js";
import type { PageCache } from "./reading/page-cache.js";
import { getAddressKey, getHeadId, getIdRange } from "./documents/page-ids.js";

/** The parts that all memories of a store share. */
export interface MemoriesContext {
  db: Db;
  client: MongoClient;
  collection: ExactCollection<MemoryDocument>;
  /**
   * Connects, and creates the unique indexes if this process has not done so. Without the indexes two concurrent first
   * writes could create two documents.
   */
  ready: () => Promise<void> | undefined;
  /** Exists without a history too: a forgotten memory can have one from an earlier time. */
  versions: VersionCollection;
  /** The changes that wait for a person. */
  records: RecordCollection;
  /** Exists without embeddings too: another store can have stored some. */
  vectors: VectorCollection;
  /** Null if passages are found by their words only. */
  embedder: Embedder | null;
  /**
   * The changes of each memory in the order in which this process began them. So they do not race each other, and those
   * that wait are made together.
   */
  changes: TurnQueue<JointChange, ChangeResult>;
  clock: () => Date;
  expiry: MemoryExpiry;
  /** Null if the store keeps no history. `begins`: false if only memories that already have a history continue it. */
  history: { begins: boolean } | null;
  /** Whether the store only reads: a revert then only returns what it would record. */
  isReader: boolean;
  /** The size in bytes from which on a page is split. */
  pageBytes: number;
  /** The server facts on which the form of commands depends. */
  server: ServerTraits;
  /** The pages of the memories that have several. */
  knownPages: RecentMap<KnownPages>;
  cache: PageCache;
}

/** The limits with which a memory is opened. */
export interface MemoryLimits extends BackendLimits {
  /** Whether the caller set `maxMemoryBytes`. A memory of several pages keeps only such a limit. @default false */
  isLimited?: boolean;
}

/** One memory of a store, with the limits with which it was opened. */
export interface PagedMemory extends MemoriesContext {
  address: CheckedAddress;
  limits: MemoryLimits;
  /** A text that no other address has. */
  key: string;
}

/** A change that one command can make, also together with others. */
export interface JointChange {
  memory: PagedMemory;
  change: Change;
  maxFileBytes: number;
}

/** Opens one memory. */
export function openContext(
  context: MemoriesContext,
  address: CheckedAddress,
  limits: MemoryLimits = memoryDefaults,
): PagedMemory {
  return { ...context, address, limits, key: getAddressKey(address) };
}

/** Connects before a change. @throws MemoryError EIO */
export async function prepare({ ready }: Pick<MemoriesContext, "ready">): Promise<void> {
  try {
    await ready();
  } catch (error) {
    throw storageError(error, "write", null);
  }
}

export interface KnownPage {
  _id: MemoryDocument["_id"];
  lo: string;
}

/** The pages of a large memory, as this process saw them last. Every command checks that they have not changed. */
export interface KnownPages {
  incarnation: string;
  /** Sorted by position. The head is the first, at the empty position. */
  pages: readonly KnownPage[];
  /** The time of the last change of any page that this process has seen. */
  updatedAt: Date;
  /** Whether a page has recorded a change. */
  hasHistory: boolean;
}

export interface ServerTraits {
  /** Whether the server has transactions. Null: not asked yet. */
  hasTransactions: boolean | null;
}

/**
 * The size from which on a page is split. Smaller pages make reads of the whole memory slower, and larger ones make
 * changes slower (ADR 0051).
 */
export const defaultPageBytes = 256 * 1024;

/** Returns the size from which on a change must split its page first. Null on a server without transactions. */
export function getSplitBytes({ server, pageBytes }: Pick<MemoriesContext, "server" | "pageBytes">): number | null {
  return server.hasTransactions === false ? null : pageBytes;
}

/** Whether the server has transactions. Asks it once. @throws MemoryError EIO */
export async function hasTransactions({ server, db }: Pick<MemoriesContext, "server" | "db">): Promise<boolean> {
  server.hasTransactions ??= (await findTopology(db)) !== "standalone";
  return server.hasTransactions;
}

/** Whether each change is recorded, also in a page that has recorded none. */
export function beginsHistory({ history, knownPages, key }: PagedMemory): boolean {
  return history !== null && (history.begins || knownPages.get(key)?.hasHistory === true);
}

/** Finds the head of an address. The server itself repeats a racing upsert if its filter is an `_id` alone. */
export function lookUpHead({ address }: Pick<PagedMemory, "address">): { _id: string } {
  return { _id: getHeadId(address) };
}

/** Finds the head of an address for a change, unless it is the whole memory and has expired. */
export function lookUpPresent(memory: PagedMemory): object {
  return { ...lookUpHead(memory), ...mayBePresent(memory.expiry.deadline(memory.address.scope)) };
}

/** Names the shard of one memory, or the shards of one owner. */
export function nameShards(range: AddressRange): { _id?: unknown } {
  const address = addressOrNull(range);
  const ids = address === null ? getIdRange(range) : getHeadId(address);
  return ids === null ? {} : { _id: ids };
}

/** Finds the heads of a range of memories. */
export function lookUpRange(range: AddressRange): Record<string, unknown> {
  return { ...rangeFilter(range), ...nameShards(range) };
}
