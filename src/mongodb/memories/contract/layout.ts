import type { StoredMemory } from "./stored-memory.js";
import type { Item } from "@langchain/langgraph-checkpoint";
import type { Collection, IndexDescription } from "mongodb";
import type { CheckedAddress, MemoryScope } from "../../../core/values/address.js";
import type { BackendLimits, MemoryBackend } from "../../../core/contract/backend.js";
import type { CallContext } from "../../../core/runtime/call.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import type { ProposalPage, ProposalPageEnd } from "../../proposals/record-collection.js";
import type { ForgottenCounts, ProposalRange } from "../addresses/memory-filter.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";

/**
 * All memories of a store. `MemoryBackend` is the contract of one memory.
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
  open(address: CheckedAddress, limits: MemoryLimits): StoredMemory;
  /**
   * Reads every memory at or below a namespace, except empty ones, in the order of the namespaces. Keeps at most one
   * batch in memory.
   */
  memories(prefix: readonly string[], call: CallContext): AsyncIterable<CheckedAddress>;
  /** Reads the items of every memory at or below a namespace, in the order of the store: by namespace, then by key. */
  itemsWithin(prefix: readonly string[], call: CallContext): AsyncIterable<Item>;
  /** The indexes that the collections must have, for programs that check them. */
  readonly indexes: readonly LayoutIndex[];
  /** All collections that it writes to. The first contains the memories themselves. */
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
  /** Reads one page of the proposals of these memories, oldest first. */
  proposals(range: ProposalRange, after: ProposalPageEnd | null, call: CallContext): Promise<ProposalPage>;
  /** Removes the memories of a range, including expired ones. Idempotent. */
  remove(range: AddressRange, call: CallContext): Promise<ForgottenCounts>;
  /** Removes each expired memory, and yields once for each. One that cannot be removed does not stop the others. */
  sweep(call: CallContext): AsyncIterable<void>;
}

/** The limits with which a memory is opened. */
export interface MemoryLimits extends BackendLimits {
  /** Whether the caller set `maxMemoryBytes`. A memory of several pages keeps only such a limit. @default false */
  isLimited?: boolean;
}

export interface LayoutIndex {
  collection: Collection;
  description: IndexDescription & { name: string };
  /** A query that the index is for. */
  example: Record<string, unknown>;
  /** The fields that the query reads, if the index alone answers it. */
  projection?: Record<string, 1>;
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
