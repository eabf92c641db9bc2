import type { StoredMemory } from "./stored-memory.js";
import type { Item } from "@langchain/langgraph-checkpoint";
import type { ClientSession, Collection, IndexDescription } from "mongodb";
import type { CheckedAddress, MemoryScope } from "../../../core/values/address.js";
import type { BackendLimits, MemoryBackend } from "../../../core/contract/backend.js";
import type { MemorySnapshot } from "../../../core/memory.js";
import type { CallContext } from "../../../core/runtime/call.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import type { ProposalPage, ProposalPageEnd } from "../../proposals/record-collection.js";
import type { ForgottenCounts, MemorySummary, ProposalRange } from "../addresses/memory-filter.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";

/**
 * All memories of a store, in whichever layout each of them is. `MemoryBackend` is the contract of one memory.
 *
 * Sends nothing to the server before the first call of a method. Every failure is a MemoryError EIO. Ids and paths are
 * checked before they arrive.
 */
export interface MemoryLayout {
  /** Creates the indexes, unless `makesIndexes` is false. Commands do so too. Idempotent. @throws MemoryError EIO */
  ready(): Promise<void>;
  /**
   * Opens one memory.
   * @param clock gives the times of its files. The clock of the context is the default, and always gives the time of
   * the last change of the memory
   */
  backend(address: CheckedAddress, limits: MemoryLimits, clock?: () => Date): MemoryBackend;
  /** Opens one memory without history, approvals and embeddings. */
  open(address: CheckedAddress, limits: MemoryLimits, clock?: () => Date): StoredMemory;
  /**
   * Reads every memory at or below a namespace, except empty ones, in the order of the namespaces. Keeps at most one
   * batch in memory.
   */
  memories(prefix: readonly string[], call: CallContext): AsyncIterable<CheckedAddress>;
  /** Reads the items of every memory at or below a namespace, in the order of the store: by namespace, then by key. */
  itemsWithin(prefix: readonly string[], call: CallContext): AsyncIterable<Item>;
  /** Whether a memory has a limit even if the caller sets none. */
  readonly limitsByDefault: boolean;
  /** The indexes that the collections of this layout must have, for programs that check them. */
  readonly indexes: readonly LayoutIndex[];
  /** All collections that the layout writes to. The first contains the memories themselves. */
  readonly collectionNames: readonly string[];
  /** Reads facts of one memory or of all, including empty ones. Reads all of them, a batch at a time. */
  facts(address: CheckedAddress | null, call: CallContext): AsyncIterable<MemoryFacts>;
  /**
   * Reads each node with a memory of each scope, even an empty one. Reads an index.
   * @param limit the maximum number of nodes for each scope
   */
  nodes(limit: number, call: CallContext): AsyncIterable<NodeFacts>;
  /**
   * Reads one page of the memories of a range, including empty ones, in the order of node, then thread or user, by
   * UTF-8 bytes.
   */
  summaries(range: AddressRange, after: PageEnd | null, call: CallContext): Promise<SummaryPage>;
  /** Reads one page of the proposals of these memories, oldest first, in whichever layout the memories are. */
  proposals(range: ProposalRange, after: ProposalPageEnd | null, call: CallContext): Promise<ProposalPage>;
  /** Removes the memories of a range, including expired ones. Idempotent. */
  remove(range: AddressRange, call: CallContext): Promise<ForgottenCounts>;
  /** Removes each expired memory, and yields once for each. One that cannot be removed does not stop the others. */
  sweep(call: CallContext): AsyncIterable<void>;
  /**
   * Moves a memory with everything that belongs to it to that layout, in one step: readers and writers see either the
   * old memory or the new one.
   * @returns false if there is no memory to move.
   * @throws EEXIST, EINVAL, ENOSPC, ECONFLICT; then nothing was moved
   */
  move(address: CheckedAddress, to: string, call: CallContext): Promise<boolean>;
}

/** The limits with which a memory is opened. */
export interface MemoryLimits extends BackendLimits {
  /**
   * Whether the caller set `maxMemoryBytes`. A layout without a limit by default keeps only such a limit. @default
   * false
   */
  isLimited?: boolean;
}

/**
 * The memories that one layout keeps. If a memory has moved to another layout, a forwarding record stays at the old
 * place (ADR 0025): lists contain the record, and all methods for this one memory throw `movedAway`. A layout that
 * creates no memories (`isGuest`) throws `notHere` if a memory is missing.
 */
export interface KeptLayout extends Pick<
  MemoryLayout,
  "ready" | "limitsByDefault" | "indexes" | "collectionNames" | "nodes"
> {
  /** @param clock gives the times of the files. Default: the clock of the context */
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
   * Removes the memories of a range from this layout; forwarding records stay. Idempotent.
   * @param beside the memories of the other layout in the same range
   */
  remove(range: AddressRange, beside: MemoriesBeside, call: CallContext): Promise<ForgottenCounts>;
  /** Removes each memory that has expired, and yields its address; null for ids that no memory can have. */
  sweep(call: CallContext): AsyncIterable<CheckedAddress | null>;
  /** Removes the thread or user of a range from changes of other memories that have not become versions yet. */
  unname(range: AddressRange, call: CallContext): Promise<void>;
  /**
   * Reads the memories of a range in this layout, including expired ones, or the forwarding records of moved memories.
   */
  placed(range: AddressRange, kind: "memory" | "mark", call: CallContext): AsyncIterable<PlacedMemory>;
  /** Maximum number of bytes of texts and names in a memory that moves here. */
  readonly maxArrivingBytes: number;
  /** Prepares for a memory that is about to move from or to this layout: deletes what has expired. */
  beforeMove(address: CheckedAddress, call: CallContext): Promise<void>;
  /**
   * In a transaction: returns a whole memory and leaves a forwarding record in its place. Null if the layout has no
   * such memory.
   * @throws ENOSPC if the memory has more than `maxBytes` bytes
   */
  leave(
    address: CheckedAddress,
    session: ClientSession,
    maxBytes: number,
    call: CallContext,
  ): Promise<MovingMemory | null>;
  /**
   * In the same transaction: creates the memory.
   * @throws EEXIST if there is a memory already, EINVAL for a path that this layout cannot keep
   */
  arrive(address: CheckedAddress, memory: MovingMemory, session: ClientSession, call: CallContext): Promise<void>;
  /** Whether there is a memory, even an expired one, or a forwarding record, as seen in the session. */
  lookFor(address: CheckedAddress, session: ClientSession, call: CallContext): Promise<"memory" | "mark" | "nothing">;
  /** In a transaction: removes the forwarding record of an address. */
  removeMark(address: CheckedAddress, session: ClientSession, call: CallContext): Promise<void>;
}

/** The memories of the other layout. Versions, proposals and vectors are in collections that both layouts share. */
export interface MemoriesBeside {
  /** The first parts of the ids of versions that are kept. */
  versionIds: readonly string[];
  /** Whether the proposals and vectors are kept. */
  keepsOthers: boolean;
}

/** A memory in this layout, or the forwarding record of a moved memory. */
export interface PlacedMemory {
  /** Null for ids that no memory can have. */
  address: CheckedAddress | null;
  /** The first part of the ids of its versions. Any text for a memory without history and for a forwarding record. */
  versionsId: string;
}

/** Represents a memory in lists if another layout keeps the memory. */
export interface MovedMemory {
  moved: CheckedAddress;
}

/** A memory that moves from one layout to the other. Its versions, proposals and vectors stay where they are. */
export interface MovingMemory {
  tree: Pick<MemorySnapshot, "files" | "directories">;
  createdAt: Date;
  updatedAt: Date;
  /** The ids of approved changes that were made, until their records say so. */
  applied?: Record<string, true>;
  /** Minimum number of changes of the memory so far, as far as a layout counts changes. Never decreases. */
  revision: number;
  /**
   * The first part of the ids of the versions, and when the first version expires. Null if the memory has no history.
   */
  history: { id: string; expiresAt?: Date } | null;
}

export interface LayoutIndex {
  collection: Collection;
  description: IndexDescription & { name: string };
  /** A query that the index is for. */
  example: Record<string, unknown>;
  /** Whether the query names the index, because the server might choose another one. */
  isNamed?: boolean;
  /** Whether only some stores create the index. Then its absence is no error. */
  isOptional?: boolean;
  /**
   * The name of the collection that is created together with the index. If the collection is absent, the index is not
   * reported as missing.
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
  /** Counted as `maxMemoryBytes` counts. */
  sizeBytes: number;
  /** Whether the next change rewrites the stored form of the memory. */
  outdated: boolean;
}
