import type { Item } from "@langchain/langgraph-checkpoint";
import type { MemoryBackend } from "../../core/contract/backend.js";
import type { DueMemory, DueQuery, EndedRun } from "../../core/contract/due-memories.js";
import { type CallContext, type CallLimits, createUnlimitedCall, withinTime } from "../../core/runtime/call.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { ROOT } from "../../core/values/paths.js";
import { once } from "../driver/once.js";
import { reading } from "../driver/reads.js";
import { groupedByMemory, type MemoryLocation } from "../operations/memory-location.js";
import type { ProposalPage, ProposalPageEnd } from "../proposals/record-collection.js";
import type { AddressRange } from "./addresses/address-ranges.js";
import { findDue, prepareDue, settleDue } from "./listing/due-memories.js";
import { type FoundMemory, memoriesWithin } from "./listing/found-memories.js";
import type { ForgottenCounts, ProposalRange, SweptCounts } from "./addresses/memory-filter.js";
import type { PageEnd, SummaryPage } from "./listing/summary-pages.js";
import { openCollections } from "./collections.js";
import { fileItems } from "./reading/file-items.js";
import { type MemoriesContext, type MemoryLimits, openContext, type PagedMemory } from "./memory-context.js";
import { type MemoryFacts, type NodeFacts, readFacts, readNodes } from "./listing/memory-facts.js";
import { openMongoMemory } from "./mongo-memory.js";
import { loadPages } from "./reading/load.js";
import { readSummaries } from "./listing/memory-summaries.js";
import { snapshotOfDocument } from "./documents/page-document.js";
import { getMemoryTimes, readItems } from "./reading/page-reads.js";
import { sweepMemories } from "./life/expire.js";
import { forgetRange } from "./life/forget.js";
import type { StoreContext } from "./store-context.js";

/**
 * Matches memories with content. MongoDB compares only objects with an object, and the empty object is the smallest.
 */
const notEmpty = { $or: [{ data: { $gt: {} } }, { dirs: { $gt: {} } }, { hi: { $exists: true } }] };

/**
 * All memories of a store, each as one page or more (ADR 0051).
 *
 * Sends nothing to the server before the first call of a method. Every failure is a MemoryError EIO. Ids and paths are
 * checked before they arrive.
 */
export class StoredMemories {
  readonly #context: MemoriesContext;
  readonly #prepareDue: () => Promise<void> | undefined;

  constructor(store: StoreContext) {
    this.#context = openCollections(store);
    this.#prepareDue = once(() => prepareDue(this.#context));
  }

  /** Creates the indexes, unless `makesIndexes` is false. Commands do so too. Idempotent. @throws MemoryError EIO */
  async ready(): Promise<void> {
    await this.#context.ready();
  }

  /**
   * Opens one memory.
   * @param clock gives the times of its files. The clock of the context is the default, and always gives the time of
   * the last change of the memory
   */
  backend(address: CheckedAddress, limits: MemoryLimits, clock?: () => Date): MemoryBackend {
    return openMongoMemory(openContext(this.#context, address, limits, clock));
  }

  /** Opens one memory, for the functions of this folder. */
  open(address: CheckedAddress, limits: MemoryLimits): PagedMemory {
    return openContext(this.#context, address, limits);
  }

  /**
   * Reads every memory at or below a namespace, except empty ones, in the order of the namespaces. Keeps at most one
   * batch in memory.
   */
  async *memories(prefix: readonly string[], call: CallContext): AsyncGenerator<CheckedAddress> {
    for await (const { address } of memoriesWithin(this.#context, prefix, "address", call, notEmpty)) yield address;
  }

  /** Reads the items of every memory at or below a namespace, in the order of the store: by namespace, then by key. */
  async *itemsWithin(prefix: readonly string[], call: CallContext): AsyncGenerator<Item> {
    for await (const found of memoriesWithin(this.#context, prefix, "all", call, notEmpty))
      yield* await this.#readItems(found, call);
  }

  /**
   * Reads the files and directories at these places as items, null if there is none. One command for each hundred of a
   * memory.
   */
  async items(places: readonly MemoryLocation[], call: CallContext): Promise<(Item | null)[]> {
    const found = new Map<MemoryLocation, Item | null>();
    const readMemory = async (ofMemory: readonly MemoryLocation[]): Promise<void> => {
      const [first] = ofMemory;
      if (first === undefined) return;
      const items = await readItems(openContext(this.#context, first.address), ofMemory, call);
      ofMemory.forEach((place, index) => found.set(place, items[index] ?? null));
    };
    await Promise.all(Array.from(groupedByMemory(places).values(), readMemory));
    return places.map((place) => found.get(place) ?? null);
  }

  /** Reads facts of one memory or of all, including empty ones. Reads all of them, a batch at a time. */
  facts(address: CheckedAddress | null, call: CallContext): AsyncIterable<MemoryFacts> {
    return readFacts(this.#context, address, call);
  }

  /**
   * Reads each node with a memory of each scope, even an empty one. Reads an index.
   * @param limit the maximum number of nodes for each scope
   */
  nodes(limit: number, call: CallContext): AsyncIterable<NodeFacts> {
    return readNodes(this.#context, limit, call);
  }

  /**
   * Reads one page of the memories of a range, including empty ones, in the order of node, then thread or user, by
   * UTF-8 bytes.
   */
  summaries(range: AddressRange, after: PageEnd | null, call: CallContext): Promise<SummaryPage> {
    return readSummaries(this.#context, range, after, call);
  }

  /** Reads one page of the proposals of these memories, oldest first. */
  proposals(
    { memories, statuses }: ProposalRange,
    after: ProposalPageEnd | null,
    call: CallContext,
  ): Promise<ProposalPage> {
    return this.#context.records.summaries(memories, statuses, after, call);
  }

  /** Finds memories that wait for a background program. Creates the index that this needs. */
  async findDue(query: DueQuery, call: CallContext): Promise<DueMemory[]> {
    await this.#prepareDue();
    return findDue(this.#context, query, call);
  }

  /** Notes that a run of a background program has ended. */
  settleDue(memory: DueMemory, run: EndedRun, call: CallContext): Promise<void> {
    return settleDue(this.#context, memory, run, call);
  }

  /** Removes the memories of a range, including expired ones. Idempotent. */
  forget(range: AddressRange, call: CallContext): Promise<ForgottenCounts> {
    return forgetRange(this.#context, range, call);
  }

  /**
   * Removes each expired memory. One that cannot be removed does not stop the others.
   * @param limits of each memory, which has the time of a call
   */
  async sweep(limits: CallLimits): Promise<SweptCounts> {
    const swept = sweepMemories(this.#context, createUnlimitedCall());
    for (let memories = 0; ; memories += 1) {
      const { done } = await withinTime(limits, "change", () => reading(() => swept.next()));
      if (done === true) return { memories };
    }
  }

  /** Returns every item of one memory, in the order of their keys. */
  async #readItems({ address, namespace, document }: FoundMemory, call: CallContext): Promise<Item[]> {
    const times = getMemoryTimes(document);
    if (document.hi === undefined) return fileItems(namespace, snapshotOfDocument(document), times);
    const scope = { paths: [], below: [ROOT], want: "pages" } as const;
    const { tree } = await loadPages(openContext(this.#context, address), scope, call);
    return fileItems(namespace, tree.snapshot(), times);
  }
}
