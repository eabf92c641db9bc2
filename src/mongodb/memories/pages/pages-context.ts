import type { Db, MongoClient, WriteConcernSettings } from "mongodb";
import type { KeyedMutex } from "../../../core/runtime/keyed-mutex.js";
import { memoryDefaults } from "../../../core/memory-options.js";
import type { RecentMap } from "../../../core/runtime/recent-map.js";
import { addressOrNull, type CheckedAddress } from "../../../core/values/address.js";
import type { ChangeStreams } from "../../driver/change-streams.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import { findTopology } from "../../driver/topology.js";
import { isAddress, rangeFilter } from "../addresses/address-keys.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import type { SharedCollections } from "../contract/store-context.js";
import { type MemoryExpiry, notExpired } from "../expiry/memory-expiry.js";
import type { MemoryLimits } from "../contract/layout.js";
import { lookUp, type MemoryDocument } from "./page-document.js";
import { getAddressKey, getHeadId, getIdRange } from "./page-keys.js";
import type { PageSummaries } from "./page-summaries.js";

/** The parts that all memories of one collection share. */
export interface PagesContext extends SharedCollections {
  db: Db;
  client: MongoClient;
  writeConcern: WriteConcernSettings;
  collection: ExactCollection<MemoryDocument>;
  /**
   * Connects, and creates the unique indexes if this process has not done so. Without the indexes two concurrent first
   * writes could create two documents.
   */
  ready: () => Promise<void> | undefined;
  /** Queues changes that load a memory first, so that such changes of this process do not race each other. */
  edits: KeyedMutex;
  clock: () => Date;
  expiry: MemoryExpiry;
  /** Null if the store keeps no history. `begins`: false if only memories that already have a history continue it. */
  history: { begins: boolean } | null;
  /** Report changes of the collection. */
  streams: ChangeStreams;
  /** Whether the store only reads: a revert then only returns what it would record. */
  isReader: boolean;
  /** The size in bytes from which on a page is split. */
  pageBytes: number;
  /** The server facts on which the form of commands depends. */
  server: ServerTraits;
  /** Returns the condition that names the shards of a range. Empty if there are none, or if the range is on all. */
  findShards: (range: AddressRange) => object;
  /** The pages of the memories that have several. */
  knownPages: RecentMap<KnownPages>;
  summaries: PageSummaries;
}

/** One memory, with the limits with which it was opened. */
export interface MemoryContext extends PagesContext {
  address: CheckedAddress;
  limits: MemoryLimits;
  /** A text that no other address has. */
  key: string;
}

export function openContext(
  context: PagesContext,
  address: CheckedAddress,
  limits: MemoryLimits = memoryDefaults,
): MemoryContext {
  return { ...context, address, limits, key: getAddressKey(address) };
}

export interface KnownPage {
  _id: MemoryDocument["_id"];
  lo: string;
}

/** The pages of a memory that has several, as this process saw them last. Every command checks whether it is true. */
export interface KnownPages {
  incarnation: string;
  /** Sorted by position. The head is the first, at the empty position. */
  pages: readonly KnownPage[];
  /** The time of the last change that this process has seen in the head. */
  updatedAt: Date;
}

export interface ServerTraits {
  /** Whether the collection is sharded by `_id`. Known after `ready`. */
  isSharded: boolean;
  /** Whether the server has transactions. Null: not asked yet. */
  hasTransactions: boolean | null;
}

/**
 * The size from which on a page is split. 256 kB: a change takes the server as long as its page is large, and a split
 * takes a transaction (ADR 0051).
 */
export const defaultPageBytes = 256 * 1024;

/** Returns the size from which on a change must split its page first. Null on a server without transactions. */
export function getSplitBytes({ server, pageBytes }: Pick<PagesContext, "server" | "pageBytes">): number | null {
  return server.hasTransactions === false ? null : pageBytes;
}

/** Whether the server has transactions. Asks it once. @throws MemoryError EIO */
export async function hasTransactions({ server, db }: Pick<PagesContext, "server" | "db">): Promise<boolean> {
  server.hasTransactions ??= (await findTopology(db)) !== "standalone";
  return server.hasTransactions;
}

/**
 * Finds the head of an address. On a sharded collection only `_id` names the shard. Elsewhere the address also finds
 * heads of earlier releases, whose `_id` is an ObjectId, and takes as long (ADR 0051). The fields are exactly those of
 * a unique index: only then does the server retry a racing upsert itself.
 */
export function lookUpHead({ server, address }: Pick<MemoryContext, "server" | "address">): object {
  return server.isSharded ? { _id: getHeadId(address) } : lookUp(address);
}

/** Finds the unexpired head of an address. */
export function lookUpPresent(memory: MemoryContext): object {
  return { ...lookUpHead(memory), ...isPresent(memory) };
}

/** A condition on heads that have not expired. */
export function isPresent({ expiry, address }: MemoryContext): object {
  return notExpired(expiry.deadline(address.scope));
}

/** Names the shard of one memory, or the shards of one owner. Elsewhere an index of addresses is as good. */
export function nameShards({ isSharded }: ServerTraits, range: AddressRange): { _id?: unknown } {
  const address = isAddress(range) ? addressOrNull(range) : null;
  const ids = address === null ? getIdRange(range) : getHeadId(address);
  return isSharded && ids !== null ? { _id: ids } : {};
}

/** Finds the heads of a range of memories. */
export function lookUpRange({ server }: Pick<PagesContext, "server">, range: AddressRange): Record<string, unknown> {
  return { ...rangeFilter(range), ...nameShards(server, range) };
}
