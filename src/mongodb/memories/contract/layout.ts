import type { StoredMemory } from "./stored-memory.js";
import type { Item } from "@langchain/langgraph-checkpoint";
import type { ClientSession, Collection, IndexDescription } from "mongodb";
import type { CheckedAddress, MemoryScope } from "../../../core/values/address.js";
import type { BackendLimits, MemoryBackend } from "../../../core/contract/backend.js";
import type { MemorySnapshot } from "../../../core/memory.js";
import type { CallContext } from "../../../core/runtime/call.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import type { ForgottenCounts, MemorySummary } from "../addresses/memory-filter.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";

/**
 * All memories of a store, whichever layout keeps each of them. `MemoryBackend` is the contract of one memory.
 *
 * Nothing is asked of the server before the first call of a method. Every failure is a MemoryError EIO. Ids and paths
 * arrive checked.
 */
export interface MemoryLayout {
  /**
   * Makes the indexes, unless `makesIndexes` is false; commands do so by themselves. Idempotent. @throws MemoryError
   * EIO
   */
  ready(): Promise<void>;
  /**
   * One memory. @param clock the times of its files. Default: that of the context, which also says when the memory was
   * last changed
   */
  backend(address: CheckedAddress, limits: MemoryLimits, clock?: () => Date): MemoryBackend;
  /** The same without history, approvals and embeddings. */
  open(address: CheckedAddress, limits: MemoryLimits, clock?: () => Date): StoredMemory;
  /**
   * Every memory at or below a namespace that is not empty, in the order of their namespaces. Holds no more than a
   * batch.
   */
  memories(prefix: readonly string[], call: CallContext): AsyncIterable<CheckedAddress>;
  /** The items of every memory at or below a namespace, in the order of the store: namespace, then key. */
  itemsWithin(prefix: readonly string[], call: CallContext): AsyncIterable<Item>;
  /** Whether a memory has a limit also where none is asked for. */
  readonly limitsByDefault: boolean;
  /** What the collections of this layout must have, for programs that look whether they do. */
  readonly indexes: readonly LayoutIndex[];
  /** All collections that it writes to. The first holds the memories themselves. */
  readonly collectionNames: readonly string[];
  /** Each memory, those included that are empty, or one. Reads all of them and holds a batch. */
  facts(address: CheckedAddress | null, call: CallContext): AsyncIterable<MemoryFacts>;
  /**
   * Each node with a memory of that scope, even an empty one. Reads an index. @param limit so many of each scope at
   * most
   */
  nodes(limit: number, call: CallContext): AsyncIterable<NodeFacts>;
  /**
   * One page of the memories of a range, those included that are empty, in the order of node, then thread or user, by
   * UTF-8 bytes.
   */
  summaries(range: AddressRange, after: PageEnd | null, call: CallContext): Promise<SummaryPage>;
  /** Removes the memories of a range, those included that have expired. Idempotent. */
  remove(range: AddressRange, call: CallContext): Promise<ForgottenCounts>;
  /** Removes each memory that has expired, and answers so often. One that cannot be removed does not stop the others. */
  sweep(call: CallContext): AsyncIterable<void>;
  /**
   * Moves a memory to that layout, with all that belongs to it, in one step: its readers and writers see the old one or
   * the new one.
   * @returns false where there is none to move. @throws EEXIST, EINVAL, ENOSPC, ECONFLICT, and nothing was moved
   */
  move(address: CheckedAddress, to: string, call: CallContext): Promise<boolean>;
}

/** The limits with which a memory is opened. */
export interface MemoryLimits extends BackendLimits {
  /**
   * Whether `maxMemoryBytes` was asked for, and is no default. A layout that has no limit by default keeps no other
   * one. @default false
   */
  isLimited?: boolean;
}

/**
 * The memories that one layout keeps. Where a memory has moved to another layout, a mark stays in its place (ADR 0025):
 * lists tell of it, and all that concerns the one memory throws `movedAway`. A layout that makes no memories
 * (`isGuest`) throws `notHere` where one is missing.
 */
export interface KeptLayout extends Pick<
  MemoryLayout,
  "ready" | "limitsByDefault" | "indexes" | "collectionNames" | "nodes"
> {
  /** @param clock the times of its files. Default: that of the context */
  open(address: CheckedAddress, limits: MemoryLimits, clock?: () => Date): StoredMemory;
  memories(prefix: readonly string[], call: CallContext): AsyncIterable<CheckedAddress | MovedMemory>;
  itemsWithin(prefix: readonly string[], call: CallContext): AsyncIterable<Item | MovedMemory>;
  facts(address: CheckedAddress | null, call: CallContext): AsyncIterable<MemoryFacts | MovedMemory>;
  summaries(
    range: AddressRange,
    after: PageEnd | null,
    call: CallContext,
  ): Promise<SummaryPage<MemorySummary | MovedMemory>>;
  /**
   * Removes the memories of a range that are here; marks stay. Idempotent. @param beside the memories of the other
   * layout in the same range
   */
  remove(range: AddressRange, beside: MemoriesBeside, call: CallContext): Promise<ForgottenCounts>;
  /** Removes each memory that has expired, and answers whose it was; null for ids that no memory can have. */
  sweep(call: CallContext): AsyncIterable<CheckedAddress | null>;
  /** Takes the thread or user of a range out of changes of other memories that have not become versions yet. */
  unname(range: AddressRange, call: CallContext): Promise<void>;
  /** The memories of a range that are here, also those that have expired; or the marks of those that have moved. */
  placed(range: AddressRange, kind: "memory" | "mark", call: CallContext): AsyncIterable<PlacedMemory>;
  /** How many bytes of texts and names a memory may have to move here. */
  readonly maxArrivingBytes: number;
  /** Makes way for a memory that is to move here or from here: what has expired goes. */
  beforeMove(address: CheckedAddress, call: CallContext): Promise<void>;
  /**
   * In a transaction: a memory whole, in whose place a mark is left. Null where there is none here. @throws ENOSPC
   * where it has more than so many bytes
   */
  leave(
    address: CheckedAddress,
    session: ClientSession,
    maxBytes: number,
    call: CallContext,
  ): Promise<MovingMemory | null>;
  /**
   * In the same transaction: makes it. @throws EEXIST where there is a memory, EINVAL for a path that this layout
   * cannot keep
   */
  arrive(address: CheckedAddress, memory: MovingMemory, session: ClientSession, call: CallContext): Promise<void>;
  /** Whether there is a memory, also one that has expired, or a mark; in a session. */
  lookFor(address: CheckedAddress, session: ClientSession, call: CallContext): Promise<"memory" | "mark" | "nothing">;
  /** In a transaction: removes the mark of an address. */
  removeMark(address: CheckedAddress, session: ClientSession, call: CallContext): Promise<void>;
}

/** Versions, proposals and vectors lie in collections that both layouts share. */
export interface MemoriesBeside {
  /** Of the versions that stay. */
  versionIds: readonly string[];
  /** Whether the proposals and vectors stay. */
  keepsOthers: boolean;
}

/** A memory that is here, or the mark of one that has moved. */
export interface PlacedMemory {
  /** Null for ids that no memory can have. */
  address: CheckedAddress | null;
  /** What the ids of its versions begin with. Any text if it has no history, and for a mark. */
  versionsId: string;
}

/** Stands in lists for a memory that another layout keeps. */
export interface MovedMemory {
  moved: CheckedAddress;
}

/** A memory on its way from one layout to the other. Its versions, proposals and vectors stay where they are. */
export interface MovingMemory {
  tree: Pick<MemorySnapshot, "files" | "directories">;
  createdAt: Date;
  updatedAt: Date;
  /** The ids of approved changes that were made, until their records say so. */
  applied?: Record<string, true>;
  /** How many changes it has had at least, as far as a layout counts them. It never becomes less. */
  revision: number;
  /** What the ids of its versions begin with, and when the first of them goes. Null where it has no history. */
  history: { id: string; expiresAt?: Date } | null;
}

export interface LayoutIndex {
  collection: Collection;
  description: IndexDescription & { name: string };
  /** A look-up that the index is for. */
  example: Record<string, unknown>;
  /** Whether the look-up names the index, as the server might choose another one for it. */
  isNamed?: boolean;
  /** Whether only some stores make it. Where it is not there, it is not missing. */
  isOptional?: boolean;
  /**
   * The name of the collection that is made together with the index; where it is not there, the index is not missing.
   */
  madeWith: string;
}

export interface NodeFacts {
  nodeId: string;
  scope: MemoryScope;
}

export interface MemoryFacts {
  /** Null for ids that no memory can have. */
  address: CheckedAddress | null;
  /** As `maxMemoryBytes` counts them. */
  sizeBytes: number;
  /** In a form that the next change rewrites. */
  outdated: boolean;
}
