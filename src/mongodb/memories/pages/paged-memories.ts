import type { Item } from "@langchain/langgraph-checkpoint";
import type { MemoryBackend } from "../../../core/contract/backend.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { KeyedMutex } from "../../../core/runtime/keyed-mutex.js";
import { RecentMap } from "../../../core/runtime/recent-map.js";
import { addressFor, addressOrNull, type CheckedAddress, memoryScopes } from "../../../core/values/address.js";
import { ROOT } from "../../../core/values/paths.js";
import { ChangeStreams } from "../../driver/change-streams.js";
import { ExactCollection } from "../../driver/exact-collection.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { reading, streaming } from "../../driver/reads.js";
import { versionsCollectionName } from "../../history/version-collection.js";
import type { ProposalPage, ProposalPageEnd } from "../../proposals/record-collection.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { addressProjection, type FoundMemory, memoriesWithin, storedAddress } from "../addresses/found-memories.js";
import type { ForgottenCounts, ProposalRange } from "../addresses/memory-filter.js";
import { listNodes } from "../addresses/nodes.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";
import type { LayoutIndex, MemoryFacts, MemoryLayout, MemoryLimits, NodeFacts } from "../contract/layout.js";
import type { MemoriesContext } from "../contract/store-context.js";
import type { StoredMemory } from "../contract/stored-memory.js";
import { fileItems } from "../file-items.js";
import { MongoMemory, type MongoMemoryContext } from "../mongo-memory.js";
import { type RemovableMemories, type RemovedMemories, removeRange } from "../removal.js";
import { createExample, describeSharedCollections } from "../shared-collections.js";
import { isLegacy } from "./change-pipeline.js";
import { loadPages } from "./load.js";
import { measurePages } from "./measure-pages.js";
import { readSummaries } from "./memory-summaries.js";
import { bytesWithoutOutbox } from "./outbox/outbox.js";
import { getIncarnation, lookUp, type MemoryDocument, snapshotOfDocument } from "./page-document.js";
import { addressIndexes, createMemoryIndexes, outboxIndex, ownerIndexes, pageIndex } from "./page-indexes.js";
import { getMemoryTimes } from "./page-reads.js";
import { PageSummaries } from "./page-summaries.js";
import { PagedMemory } from "./paged-memory.js";
import {
  defaultPageBytes,
  hasTransactions,
  lookUpHead,
  lookUpRange,
  nameShards,
  openContext,
  type PagesContext,
  type ServerTraits,
} from "./pages-context.js";
import { removeMemories, sweepMemories, unname } from "./removal.js";

/**
 * Matches memories with content. MongoDB compares only objects with an object, and the empty object is the smallest.
 */
const notEmpty = { $or: [{ data: { $gt: {} } }, { dirs: { $gt: {} } }, { hi: { $exists: true } }] };

/** How many large memories a process knows the pages of. */
const maxKnownMemories = 1000;

/** All memories of a store, each as one page or more (ADR 0051). */
export class PagedMemories implements MemoryLayout, RemovableMemories {
  readonly indexes: readonly LayoutIndex[];
  readonly collectionNames: readonly string[];
  readonly #context: PagesContext;
  readonly #shared: MongoMemoryContext;

  private constructor(context: PagesContext, described: Pick<MemoryLayout, "indexes" | "collectionNames">) {
    this.#context = context;
    const { versions, records, vectors, embeddings, clock, expiry, isReader } = context;
    this.#shared = { versions, records, vectors, embeddings, storage: this, clock, expiry, isReader };
    this.indexes = described.indexes;
    this.collectionNames = described.collectionNames;
  }

  static open(context: MemoriesContext): PagedMemories {
    const { db, client, collectionName, writeConcern, clock, makesIndexes, history, pageBytes } = context;
    const { shared, expiry } = context;
    const documents = db.collection<MemoryDocument>(collectionName, { writeConcern });
    const collection = new ExactCollection(documents);
    const server: ServerTraits = { isSharded: false, hasTransactions: null };
    return new PagedMemories(
      {
        ...shared,
        db,
        client,
        writeConcern,
        collection,
        ready: createMemoryIndexes(context, documents, collection, server),
        edits: new KeyedMutex(),
        clock,
        expiry,
        history,
        streams: new ChangeStreams(db, collectionName),
        isReader: !makesIndexes,
        pageBytes: pageBytes ?? defaultPageBytes,
        server,
        findShards: (range) => nameShards(server, range),
        knownPages: new RecentMap(maxKnownMemories),
        summaries: new PageSummaries(),
      },
      describeCollections(context),
    );
  }

  async ready(): Promise<void> {
    await this.#context.ready();
  }

  backend(address: CheckedAddress, limits: MemoryLimits, clock?: () => Date): MemoryBackend {
    return new MongoMemory({ ...this.#shared, fileClock: clock }, address, this.open(address, limits), limits);
  }

  open(address: CheckedAddress, limits: MemoryLimits): StoredMemory {
    return new PagedMemory(openContext(this.#context, address, limits));
  }

  async *memories(prefix: readonly string[], call: CallContext): AsyncGenerator<CheckedAddress> {
    for await (const { address } of memoriesWithin<MemoryDocument>(this.#context, prefix, "address", call, notEmpty))
      yield address;
  }

  async *itemsWithin(prefix: readonly string[], call: CallContext): AsyncGenerator<Item> {
    for await (const found of memoriesWithin<MemoryDocument>(this.#context, prefix, "all", call, notEmpty))
      yield* await this.#readItems(found, call);
  }

  async *facts(address: CheckedAddress | null, call: CallContext): AsyncGenerator<MemoryFacts> {
    await reading(() => this.ready());
    // Without transactions the `_id` stays.
    const isOldId = { $and: [await hasTransactions(this.#context), { $eq: [{ $type: "$_id" }, "objectId"] }] };
    const pipeline = [
      { $match: address === null ? { nodeId: { $exists: true } } : lookUpHead({ ...this.#context, address }) },
      {
        $project: {
          ...addressProjection,
          key: 1,
          hi: 1,
          sizeBytes: bytesWithoutOutbox("$$ROOT"),
          outdated: { $or: [isLegacy, isOldId] },
        },
      },
    ];
    const found = this.#context.collection.aggregate<MemoryDocument & { sizeBytes: number; outdated: boolean }>(
      pipeline,
      { ...asPlainValues },
      call,
    );
    for await (const { sizeBytes, outdated, ...head } of streaming(found)) {
      const others = await measurePages(this.#context, head, call);
      yield { address: addressOrNull(storedAddress(head)), sizeBytes: sizeBytes + others.sizeBytes, outdated };
    }
  }

  nodes(limit: number, call: CallContext): AsyncIterable<NodeFacts> {
    return listNodes(this.#context.collection, limit, call);
  }

  summaries(range: AddressRange, after: PageEnd | null, call: CallContext): Promise<SummaryPage> {
    return readSummaries(this.#context, range, after, call);
  }

  proposals(
    { memories, statuses }: ProposalRange,
    after: ProposalPageEnd | null,
    call: CallContext,
  ): Promise<ProposalPage> {
    return this.#context.records.summaries(memories, statuses, after, call);
  }

  remove(range: AddressRange, call: CallContext): Promise<ForgottenCounts> {
    return removeRange(this.#context, this, range, call);
  }

  removeMemories(range: AddressRange, call: CallContext): Promise<RemovedMemories> {
    return removeMemories(this.#context, range, call);
  }

  unnameChanges(range: AddressRange, call: CallContext): Promise<void> {
    return unname(this.#context, range, call);
  }

  async findVersionIds(range: AddressRange, call: CallContext): Promise<string[]> {
    const options = { projection: { key: 1 }, ...asPlainValues };
    const found = this.#context.collection.find<MemoryDocument>(lookUpRange(this.#context, range), options, call);
    return (await reading(() => found.toArray())).map(getIncarnation);
  }

  sweep(call: CallContext): AsyncIterable<void> {
    return sweepMemories(this.#context, call);
  }

  /** Returns every item of one memory, in the order of their keys. */
  async #readItems({ address, namespace, document }: FoundMemory<MemoryDocument>, call: CallContext): Promise<Item[]> {
    const times = getMemoryTimes(document);
    if (document.hi === undefined) return fileItems(namespace, snapshotOfDocument(document), times);
    const scope = { paths: [], below: [ROOT], want: "pages" } as const;
    const { tree } = await loadPages(openContext(this.#context, address), scope, call);
    return fileItems(namespace, tree.snapshot(), times);
  }
}

function describeCollections(context: MemoriesContext): Pick<MemoryLayout, "indexes" | "collectionNames"> {
  const { db, collectionName } = context;
  const { indexes, collectionNames } = describeSharedCollections(context);
  const describe = (description: LayoutIndex["description"], madeWith: string): LayoutIndex => ({
    collection: db.collection(collectionName),
    description,
    example: createExample(description),
    madeWith,
  });
  return {
    indexes: [
      ...memoryScopes.map((scope) => ({
        ...describe(addressIndexes[scope], collectionName),
        example: lookUp(addressFor("a", scope, "a")),
      })),
      ...Object.values(ownerIndexes).map((index) => describe(index, collectionName)),
      {
        ...describe(pageIndex, collectionName),
        example: { _id: { $gte: "a", $lt: "b" }, lo: { $gt: "" } },
        projection: pageIndex.key,
      },
      describe(outboxIndex, versionsCollectionName(collectionName)),
      ...indexes,
    ],
    collectionNames: [collectionName, ...collectionNames],
  };
}
