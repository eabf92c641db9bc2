import type { StoredMemory } from "../contract/stored-memory.js";
import type {
  KeptLayout,
  LayoutIndex,
  MemoriesBeside,
  MemoryFacts,
  MovedMemory,
  MovingMemory,
  NodeFacts,
  PlacedMemory,
} from "../contract/layout.js";
import type { LayoutContext } from "../contract/layout-context.js";
import { describeSharedCollections, createExample } from "../shared-collections.js";
import { type RemovableMemories, type RemovedMemories, removeRange } from "../removal.js";
import type { Item } from "@langchain/langgraph-checkpoint";
import type { ClientSession } from "mongodb";
import { addressFor, addressOrNull, type CheckedAddress, memoryScopes } from "../../../core/values/address.js";
import type { BackendLimits } from "../../../core/contract/backend.js";
import { KeyedMutex } from "../../../core/runtime/keyed-mutex.js";
import { memoryBytesCeiling, memoryDefaults } from "../../../core/memory-options.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { ChangeStreams } from "../../driver/change-streams.js";
import { createIndexes } from "../../driver/create-indexes.js";
import { ExactCollection } from "../../driver/exact-collection.js";
import { refuseForeignDocuments } from "../../driver/foreign-documents.js";
import { once } from "../../driver/once.js";
import { streaming } from "../../driver/reads.js";
import { createTtlIndexes } from "../../driver/ttl-indexes.js";
import { versionsCollectionName } from "../../history/version-collection.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { expiryIndexes } from "../expiry/expiry-indexes.js";
import { rangeFilter } from "../addresses/address-keys.js";
import { addressProjection, memoriesWithin, storedAddress } from "../addresses/found-memories.js";
import type { ForgottenCounts, MemorySummary } from "../addresses/memory-filter.js";
import { listNodes } from "../addresses/nodes.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";
import { isLegacy } from "./change-pipeline.js";
import { arriveInDocument, leaveDocument, lookForDocument } from "./document-move.js";
import { isMark, lookUp, type MemoryDocument, ofMark } from "./document.js";
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
 * Matches documents with content, and forwarding records. MongoDB compares only objects with an object, and the empty
 * object is the smallest.
 */
const notEmpty = { $or: [{ data: { $gt: {} } }, { dirs: { $gt: {} } }, { revision: ofMark }] };

/** One document for each memory: every change is one atomic update of the document (ADR 0002). */
export class DocumentLayout implements KeptLayout, RemovableMemories {
  readonly limitsByDefault = true;
  readonly maxArrivingBytes = memoryBytesCeiling;
  readonly indexes: readonly LayoutIndex[];
  readonly collectionNames: readonly string[];
  readonly #context: DocumentContext;

  private constructor(context: DocumentContext, described: Pick<KeptLayout, "indexes" | "collectionNames">) {
    this.#context = context;
    this.indexes = described.indexes;
    this.collectionNames = described.collectionNames;
  }

  static open(context: LayoutContext): DocumentLayout {
    const { db, collectionName, writeConcern, connect, clock, expireMs, makesIndexes, isGuest, history } = context;
    const { shared, expiry } = context;
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
        isGuest,
      },
      describeCollections(context),
    );
  }

  async ready(): Promise<void> {
    await this.#context.ready();
  }

  open(address: CheckedAddress, limits: BackendLimits): StoredMemory {
    return this.#open(address, limits);
  }

  async *memories(prefix: readonly string[], call: CallContext): AsyncGenerator<CheckedAddress | MovedMemory> {
    for await (const { address, document } of memoriesWithin<MemoryDocument>(
      this.#context,
      prefix,
      "address",
      call,
      notEmpty,
    ))
      yield isMark(document) ? { moved: address } : address;
  }

  async *itemsWithin(prefix: readonly string[], call: CallContext): AsyncGenerator<Item | MovedMemory> {
    for await (const found of memoriesWithin<MemoryDocument>(this.#context, prefix, "all", call, notEmpty)) {
      if (isMark(found.document)) yield { moved: found.address };
      else yield* toItems(found);
    }
  }

  async *facts(address: CheckedAddress | null, call: CallContext): AsyncGenerator<MemoryFacts | MovedMemory> {
    const pipeline = [
      ...(address ? [{ $match: address }] : []),
      {
        $project: {
          ...addressProjection,
          revision: 1,
          sizeBytes: bytesWithoutOutbox("$$ROOT"),
          outdated: isLegacy,
        },
      },
    ];
    const found = this.#context.collection.aggregate<Record<string, unknown>>(pipeline, { ...asPlainValues }, call);
    for await (const { _id, sizeBytes, outdated, revision, ...stored } of streaming(found)) {
      const known = addressOrNull(stored);
      if (!isMark({ revision })) yield { address: known, sizeBytes: Number(sizeBytes), outdated: outdated === true };
      else if (known !== null) yield { moved: known };
    }
  }

  nodes(limit: number, call: CallContext): AsyncIterable<NodeFacts> {
    return listNodes(this.#context.collection, limit, call);
  }

  summaries(
    range: AddressRange,
    after: PageEnd | null,
    call: CallContext,
  ): Promise<SummaryPage<MemorySummary | MovedMemory>> {
    return readSummaries(this.#context, range, after, call);
  }

  remove(range: AddressRange, beside: MemoriesBeside, call: CallContext): Promise<ForgottenCounts> {
    return removeRange(this.#context, this, range, beside, call);
  }

  removeMemories(range: AddressRange, call: CallContext): Promise<RemovedMemories> {
    return removeMemories(this.#context, range, call);
  }

  unnameChanges(range: AddressRange, call: CallContext): Promise<void> {
    return this.unname(range, call);
  }

  unname(range: AddressRange, call: CallContext): Promise<void> {
    return unname(this.#context, range, call);
  }

  sweep(call: CallContext): AsyncIterable<CheckedAddress | null> {
    return sweepDocuments(this.#context, call);
  }

  async *placed(range: AddressRange, kind: "memory" | "mark", call: CallContext): AsyncGenerator<PlacedMemory> {
    const filter = { ...rangeFilter(range), revision: kind === "mark" ? ofMark : { $not: ofMark } };
    const options = { projection: addressProjection, ...asPlainValues };
    for await (const document of streaming(this.#context.collection.find<MemoryDocument>(filter, options, call)))
      yield { address: addressOrNull(storedAddress(document)), versionsId: String(document._id) };
  }

  async beforeMove(address: CheckedAddress, call: CallContext): Promise<void> {
    await this.#context.ready();
    await this.#open(address, memoryDefaults).deleteExpired(call);
  }

  leave(
    address: CheckedAddress,
    session: ClientSession,
    _maxBytes: number,
    call: CallContext,
  ): Promise<MovingMemory | null> {
    return leaveDocument(this.#context, address, session, call);
  }

  arrive(address: CheckedAddress, memory: MovingMemory, session: ClientSession, call: CallContext): Promise<void> {
    return arriveInDocument(this.#context, address, memory, session, call);
  }

  lookFor(address: CheckedAddress, session: ClientSession, call: CallContext): Promise<"memory" | "mark" | "nothing"> {
    return lookForDocument(this.#context, address, session, call);
  }

  async removeMark(address: CheckedAddress, session: ClientSession, call: CallContext): Promise<void> {
    await this.#context.collection.deleteOne({ ...lookUp(address), revision: ofMark }, { session }, call);
  }

  #open(address: CheckedAddress, limits: BackendLimits): DocumentStorage {
    // A store whose own layout is the other one may allow more.
    const maxMemoryBytes = Math.min(limits.maxMemoryBytes, memoryBytesCeiling);
    return new DocumentStorage(this.#context, address, { ...limits, maxMemoryBytes });
  }
}

function describeCollections(context: LayoutContext): Pick<KeptLayout, "indexes" | "collectionNames"> {
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
