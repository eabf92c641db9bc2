import type { StoredMemory } from "../contract/stored-memory.js";
import type { LayoutIndex, MemoryFacts, MemoryLayout, NodeFacts } from "../contract/layout.js";
import type { StoreContext } from "../contract/store-context.js";
import { MongoMemory, type MongoMemoryContext } from "../mongo-memory.js";
import { createExample, describeSharedCollections, openSharedCollections } from "../shared-collections.js";
import { type RemovableMemories, type RemovedMemories, removeRange } from "../removal.js";
import type { Item } from "@langchain/langgraph-checkpoint";
import { addressFor, addressOrNull, type CheckedAddress, memoryScopes } from "../../../core/values/address.js";
import type { BackendLimits, MemoryBackend } from "../../../core/contract/backend.js";
import { KeyedMutex } from "../../../core/runtime/keyed-mutex.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { ChangeStreams } from "../../driver/change-streams.js";
import { createIndexes } from "../../driver/create-indexes.js";
import { ExactCollection } from "../../driver/exact-collection.js";
import { refuseForeignDocuments } from "../../driver/foreign-documents.js";
import { once } from "../../driver/once.js";
import { reading, streaming } from "../../driver/reads.js";
import { createTtlIndexes } from "../../driver/ttl-indexes.js";
import { versionsCollectionName } from "../../history/version-collection.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { expiryIndexes } from "../expiry/expiry-indexes.js";
import { MemoryExpiry } from "../expiry/memory-expiry.js";
import { rangeFilter } from "../addresses/address-keys.js";
import { addressProjection, memoriesWithin } from "../addresses/found-memories.js";
import type { ForgottenCounts, ProposalRange } from "../addresses/memory-filter.js";
import { listNodes } from "../addresses/nodes.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";
import type { ProposalPage, ProposalPageEnd } from "../../proposals/record-collection.js";
import { isLegacy } from "./change-pipeline.js";
import { lookUp, type MemoryDocument } from "./document.js";
import { documentIndexes, outboxIndex, ownerIndexes, readStoredLifetimes } from "./document-indexes.js";
import { toItems } from "./document-items.js";
import { readSummaries, removeMemories, unname } from "./document-summaries.js";
import { asPlainValues } from "../../driver/plain-values.js";
import type { DocumentContext } from "./document-context.js";
import { DocumentStorage } from "./document-storage.js";
import { sweepDocuments } from "./document-sweep.js";
import { bytesWithoutOutbox } from "./outbox/outbox.js";

const own = { filter: { nodeId: { $exists: true }, scope: { $in: memoryScopes } }, option: "memoriesCollection" };

/**
 * Matches documents with content. MongoDB compares only objects with an object, and the empty object is the smallest.
 */
const notEmpty = { $or: [{ data: { $gt: {} } }, { dirs: { $gt: {} } }] };

/** One document for each memory: every change is one atomic update of the document (ADR 0002). */
export class DocumentLayout implements MemoryLayout, RemovableMemories {
  readonly indexes: readonly LayoutIndex[];
  readonly collectionNames: readonly string[];
  readonly #context: DocumentContext;
  readonly #shared: MongoMemoryContext;

  private constructor(context: DocumentContext, described: Pick<MemoryLayout, "indexes" | "collectionNames">) {
    this.#context = context;
    const { versions, records, vectors, embeddings, clock, expiry, isReader } = context;
    this.#shared = { versions, records, vectors, embeddings, storage: this, clock, expiry, isReader };
    this.indexes = described.indexes;
    this.collectionNames = described.collectionNames;
  }

  static open(context: StoreContext): DocumentLayout {
    const { db, collectionName, writeConcern, connect, clock, expireMs, makesIndexes, history } = context;
    const shared = openSharedCollections(context);
    const expiry = new MemoryExpiry(expireMs, clock);
    const documents = db.collection<MemoryDocument>(collectionName, { writeConcern });
    const collection = new ExactCollection(documents);
    const prepare = once(async () => {
      if (!makesIndexes) return;
      await refuseForeignDocuments(collection, own);
      const indexes = [...Object.values(documentIndexes), ...Object.values(ownerIndexes)];
      await createIndexes(collection, indexes, "a memory", own.option);
      await createTtlIndexes(db, collection, expiryIndexes(expireMs), "a memory", own.option);
      if (history === null) return;
      if (!history.begins) return expiry.goBy(await readStoredLifetimes(documents));
      await createIndexes(collection, [outboxIndex], "the history", own.option);
      await shared.versions.makeIndexes(own.option);
    });
    return new DocumentLayout(
      {
        ...shared,
        collection,
        ready: () => connect()?.then(prepare) ?? prepare(),
        edits: new KeyedMutex(),
        clock,
        expiry,
        history,
        streams: new ChangeStreams(db, collectionName),
        isReader: !makesIndexes,
      },
      describeCollections(context),
    );
  }

  async ready(): Promise<void> {
    await this.#context.ready();
  }

  backend(address: CheckedAddress, limits: BackendLimits, clock?: () => Date): MemoryBackend {
    return new MongoMemory({ ...this.#shared, fileClock: clock }, address, this.open(address, limits), limits);
  }

  open(address: CheckedAddress, limits: BackendLimits): StoredMemory {
    return new DocumentStorage(this.#context, address, limits);
  }

  async *memories(prefix: readonly string[], call: CallContext): AsyncGenerator<CheckedAddress> {
    for await (const { address } of memoriesWithin<MemoryDocument>(this.#context, prefix, "address", call, notEmpty))
      yield address;
  }

  async *itemsWithin(prefix: readonly string[], call: CallContext): AsyncGenerator<Item> {
    for await (const found of memoriesWithin<MemoryDocument>(this.#context, prefix, "all", call, notEmpty))
      yield* toItems(found);
  }

  async *facts(address: CheckedAddress | null, call: CallContext): AsyncGenerator<MemoryFacts> {
    const pipeline = [
      ...(address ? [{ $match: address }] : []),
      { $project: { ...addressProjection, sizeBytes: bytesWithoutOutbox("$$ROOT"), outdated: isLegacy } },
    ];
    const found = this.#context.collection.aggregate<Record<string, unknown>>(pipeline, { ...asPlainValues }, call);
    for await (const { _id, sizeBytes, outdated, ...stored } of streaming(found))
      yield { address: addressOrNull(stored), sizeBytes: Number(sizeBytes), outdated: outdated === true };
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
    const options = { projection: { _id: 1 }, ...asPlainValues };
    const found = this.#context.collection.find<MemoryDocument>(rangeFilter(range), options, call);
    return (await reading(() => found.toArray())).map(({ _id }) => String(_id));
  }

  sweep(call: CallContext): AsyncIterable<void> {
    return sweepDocuments(this.#context, call);
  }
}

function describeCollections(context: StoreContext): Pick<MemoryLayout, "indexes" | "collectionNames"> {
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
        ...describe(documentIndexes[scope], collectionName),
        example: lookUp(addressFor("a", scope, "a")),
      })),
      ...Object.values(ownerIndexes).map((index) => describe(index, collectionName)),
      describe(outboxIndex, versionsCollectionName(collectionName)),
      ...indexes,
    ],
    collectionNames: [collectionName, ...collectionNames],
  };
}
