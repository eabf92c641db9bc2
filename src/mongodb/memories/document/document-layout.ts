import type { Item } from "@langchain/langgraph-checkpoint";
import type { ClientSession } from "mongodb";
import { addressFor, addressOrNull, type CheckedAddress, memoryScopes } from "../../../core/values/address.js";
import type { ArchivedHistory, ArchivedTree } from "../../../core/history/archived-version.js";
import type { BackendLimits, MemoryBackend } from "../../../core/contract/backend.js";
import { KeyedMutex } from "../../../core/runtime/keyed-mutex.js";
import { memoryBytesCeiling, memoryDefaults, type MemoryOptions } from "../../../core/memory-options.js";
import { type CallContext, createUnlimitedCall } from "../../../core/runtime/call.js";
import { ChangeStreams } from "../../driver/change-streams.js";
import { createIndexes } from "../../driver/create-indexes.js";
import { ExactCollection } from "../../driver/exact-collection.js";
import { refuseForeignDocuments } from "../../driver/foreign-documents.js";
import { once } from "../../driver/once.js";
import { reading, streaming } from "../../driver/reads.js";
import { createTtlIndexes } from "../../driver/ttl-indexes.js";
import { Embedder } from "../../embeddings/embedder.js";
import { VectorCollection, vectorIndexes, vectorsCollectionName } from "../../embeddings/vector-collection.js";
import { VersionCollection, versionIndexes, versionsCollectionOf } from "../../history/version-collection.js";
import { expiryIndex, proposalIndexes, RecordCollection } from "../../proposals/record-collection.js";
import type { MemoryLocation } from "../../operations/checked-operation.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { expiryIndexes } from "../expiry-indexes.js";
import { rangeFilter } from "../addresses/address-keys.js";
import { MongoMemory } from "../mongo-memory.js";
import { deleteEmptyDirectory } from "../planned-changes.js";
import { memoriesWithin, storedAddress } from "../addresses/found-memories.js";
import { MemoryExpiry } from "../memory-expiry.js";
import type { ArchivedMemory } from "../memory-moment.js";
import type { ForgottenCounts, MemorySummary } from "../addresses/memory-filter.js";
import { nodesOf } from "../addresses/nodes.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";
import {
  type LayoutContext,
  type KeptLayout,
  type LayoutIndex,
  type MemoriesBeside,
  type MemoryFacts,
  type MovedMemory,
  type MovingMemory,
  type NodeFacts,
  type PlannedChange,
} from "../contract/layout.js";
import { isLegacy } from "./change-pipeline.js";
import { archivedMemory, restoreMemory } from "./document-archive.js";
import { arriveInDocument, leaveDocument, lookForDocument } from "./document-move.js";
import { isMark, lookUp, type MemoryDocument, ofMark } from "./document.js";
import { documentIndexes, outboxIndex, ownerIndexes, storedLifetimes } from "./document-indexes.js";
import { itemsOfDocument, itemsOfMemory } from "./document-items.js";
import { removeMemories, summaryPage, unnameIn } from "./document-summaries.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { recordsInCall, vectorsInCall } from "../in-call.js";
import { contextFor, type DocumentContext, versionsInCall } from "./document-context.js";
import { DocumentStorage } from "./document-storage.js";
import { bytesWithoutOutbox } from "./outbox.js";

const own = { filter: { nodeId: { $exists: true }, scope: { $in: memoryScopes } }, option: "memoriesCollection" };

/**
 * Something lies in it, or in another layout: MongoDB compares only objects with an object, and the empty one is the
 * least.
 */
const notEmpty = { $or: [{ data: { $gt: {} } }, { dirs: { $gt: {} } }, { revision: ofMark }] };

/** By its first field. The type is for partial indexes. */
function exampleFor({ key, expireAfterSeconds }: LayoutIndex["description"]): LayoutIndex["example"] {
  const [field = ""] = Object.keys(key);
  return { [field]: expireAfterSeconds === undefined ? { $eq: "a", $type: "string" } : { $lte: new Date(0) } };
}

/** One document for each memory: every change is one atomic update of it (ADR 0002). */
export class DocumentLayout implements KeptLayout {
  readonly limitsByDefault = true;
  readonly maxArrivingBytes = memoryBytesCeiling;
  readonly indexes: readonly LayoutIndex[];
  readonly collectionNames: readonly string[];
  readonly #context: DocumentContext;
  /** Also without history: what is forgotten may have one of another time. */
  readonly #versions: VersionCollection;

  private constructor(
    context: DocumentContext,
    { indexes, collectionNames }: Pick<KeptLayout, "indexes" | "collectionNames">,
    versions: VersionCollection,
  ) {
    this.#context = context;
    this.indexes = indexes;
    this.collectionNames = collectionNames;
    this.#versions = versions;
  }

  static open({
    db,
    collectionName,
    writeConcern,
    connect,
    clock,
    expireMs,
    makesIndexes,
    isGuest = false,
    history,
    embeddings,
  }: LayoutContext): DocumentLayout {
    const documents = db.collection<MemoryDocument>(collectionName, { writeConcern });
    const collection = new ExactCollection(documents);
    const expiry = new MemoryExpiry(expireMs, clock);
    const versions = new VersionCollection(
      new ExactCollection(db.collection(versionsCollectionOf(collectionName), { writeConcern })),
      history ?? {},
      clock,
    );
    const prepare = once(async () => {
      if (!makesIndexes) return;
      await refuseForeignDocuments(collection, own);
      await createIndexes(
        collection,
        [...Object.values(documentIndexes), ...Object.values(ownerIndexes)],
        "a memory",
        own.option,
      );
      await createTtlIndexes(db, collection, expiryIndexes(expireMs), "a memory", own.option);
      if (history === null) return;
      if (!history.begins) return expiry.goBy(await storedLifetimes(documents));
      await createIndexes(collection, [outboxIndex], "the history", own.option);
      await versions.makeIndexes(own.option);
    });
    const ready = (): Promise<void> | undefined => connect()?.then(prepare) ?? prepare();
    const versionsName = versionsCollectionOf(collectionName);
    const proposalsName = `${collectionName}_proposals`;
    const records = RecordCollection.open(db, { name: proposalsName, writeConcern, connect, clock });
    const vectorsName = vectorsCollectionName(collectionName);
    const vectors = VectorCollection.open(db, vectorsName, {
      writeConcern,
      connect,
      clock,
      expiryIndexes: expiryIndexes(expireMs),
      isUsed: embeddings !== null,
    });
    const collectionNames = [collectionName, versionsName, proposalsName, vectorsName];
    const indexesOf = (
      name: string,
      descriptions: readonly LayoutIndex["description"][],
      madeWith = name,
    ): LayoutIndex[] =>
      descriptions.map((description) => ({
        collection: db.collection(name),
        description,
        example: exampleFor(description),
        madeWith,
      }));
    const indexes = [
      ...memoryScopes.map((scope) => ({
        collection: db.collection(collectionName),
        description: documentIndexes[scope],
        example: lookUp(addressFor("a", scope, "a")),
        madeWith: collectionName,
      })),
      ...indexesOf(collectionName, Object.values(ownerIndexes)),
      ...indexesOf(collectionName, [outboxIndex], versionsName),
      ...indexesOf(versionsName, versionIndexes),
      ...indexesOf(proposalsName, [...proposalIndexes, expiryIndex]),
      ...indexesOf(vectorsName, vectorIndexes),
    ];
    const embedded = embeddings && { client: embeddings.client, embedder: new Embedder(embeddings.config) };
    const kept = history && { versions, begins: history.begins };
    return new DocumentLayout(
      {
        collection,
        ready,
        edits: new KeyedMutex(),
        clock,
        expiry,
        history: kept,
        actor: null,
        records,
        vectors,
        embeddings: embedded,
        streams: new ChangeStreams(db, collectionName),
        isReader: !makesIndexes,
        isGuest,
      },
      { indexes, collectionNames },
      versions,
    );
  }

  forCall(call: CallContext): KeptLayout {
    return new DocumentLayout(contextFor(call, this.#context), this, this.#versions);
  }

  async ready(): Promise<void> {
    await this.#context.ready();
  }

  backend(address: CheckedAddress, limits: BackendLimits, clock?: () => Date): MemoryBackend {
    // A store of the other layout may have asked for more.
    const maxMemoryBytes = Math.min(limits.maxMemoryBytes, memoryBytesCeiling);
    const bounded = { ...limits, maxMemoryBytes };
    const storage = new DocumentStorage(this.#context, address, bounded);
    const shared = { ...this.#context, storage: this.#context.edits, fileClock: clock };
    return new MongoMemory(shared, address, storage, bounded);
  }

  async *memories(prefix: readonly string[]): AsyncGenerator<CheckedAddress | MovedMemory> {
    for await (const { address, document } of memoriesWithin(this.#context, prefix, "address", notEmpty))
      yield isMark(document) ? { moved: address } : address;
  }

  itemsAt(places: readonly MemoryLocation[]): Promise<(Item | null)[]> {
    return itemsOfMemory(this.#context, places);
  }

  async *itemsWithin(prefix: readonly string[]): AsyncGenerator<Item | MovedMemory> {
    for await (const found of memoriesWithin(this.#context, prefix, "all", notEmpty)) {
      if (isMark(found.document)) yield { moved: found.address };
      else yield* itemsOfDocument(found);
    }
  }

  async deleteEmptyDirectory(address: CheckedAddress, path: string): Promise<void> {
    await deleteEmptyDirectory(this.#storage(address), path, this.#call);
  }

  checkChanges(
    address: CheckedAddress,
    options: Required<MemoryOptions>,
    changes: readonly PlannedChange[],
  ): Promise<void> {
    return this.#storage(address, options).checkChanges(changes, options, this.#call);
  }

  async *facts(address?: CheckedAddress): AsyncGenerator<MemoryFacts | MovedMemory> {
    const pipeline = [
      ...(address ? [{ $match: address }] : []),
      {
        $project: {
          nodeId: 1,
          scope: 1,
          threadId: 1,
          userId: 1,
          revision: 1,
          sizeBytes: bytesWithoutOutbox("$$ROOT"),
          outdated: isLegacy,
        },
      },
    ];
    const found = this.#context.collection.aggregate<Record<string, unknown>>(pipeline, { ...asPlainValues });
    for await (const { _id, sizeBytes, outdated, revision, ...stored } of streaming(found)) {
      const known = addressOrNull(stored);
      if (!isMark({ revision })) yield { address: known, sizeBytes: Number(sizeBytes), outdated: outdated === true };
      else if (known !== null) yield { moved: known };
    }
  }

  nodes(limit: number): AsyncIterable<NodeFacts> {
    return nodesOf(this.#context.collection, limit);
  }

  summaries(range: AddressRange, after: PageEnd | null): Promise<SummaryPage<MemorySummary | MovedMemory>> {
    return summaryPage(this.#context, range, after);
  }

  async remove(range: AddressRange, { versionIds, keepsOthers }: MemoriesBeside): Promise<ForgottenCounts> {
    const proposals = keepsOthers ? 0 : await recordsInCall(this.#context).remove(range);
    const removed = await removeMemories(
      this.#context,
      versionsInCall(this.#context, this.#versions),
      range,
      versionIds,
    );
    if (!keepsOthers) await vectorsInCall(this.#context).remove(range);
    return { ...removed, proposals };
  }

  unname(range: AddressRange): Promise<void> {
    return unnameIn(this.#context, versionsInCall(this.#context, this.#versions), range);
  }

  async versionIds(range: AddressRange): Promise<string[]> {
    const filter = { ...rangeFilter(range), revision: { $not: ofMark } };
    const found = await reading(() =>
      this.#context.collection.find<Pick<MemoryDocument, "_id">>(filter, { projection: { _id: 1 } }).toArray(),
    );
    return found.map(({ _id }) => String(_id));
  }

  async marks(range: AddressRange): Promise<CheckedAddress[]> {
    const filter = { ...rangeFilter(range), revision: ofMark };
    const found = await reading(() =>
      this.#context.collection.find<MemoryDocument>(filter, { ...asPlainValues }).toArray(),
    );
    return found.flatMap((mark) => addressOrNull(storedAddress(mark)) ?? []);
  }

  archived(address: CheckedAddress): Promise<ArchivedMemory | null> {
    return archivedMemory(this.#context, versionsInCall(this.#context, this.#versions), address);
  }

  restore(address: CheckedAddress, tree: ArchivedTree, history: ArchivedHistory, key: string): Promise<boolean> {
    return restoreMemory(this.#context, versionsInCall(this.#context, this.#versions), { address, tree, history, key });
  }

  upgrade(address: CheckedAddress, limits: BackendLimits): Promise<boolean> {
    return this.#storage(address, limits).upgrade(this.#call);
  }

  async beforeMove(address: CheckedAddress): Promise<void> {
    await this.#context.ready();
    await this.#storage(address).deleteExpired(this.#call);
  }

  leave(address: CheckedAddress, session: ClientSession): Promise<MovingMemory | null> {
    return leaveDocument(this.#context, versionsInCall(this.#context, this.#versions), address, session);
  }

  arrive(address: CheckedAddress, memory: MovingMemory, session: ClientSession): Promise<void> {
    return arriveInDocument(this.#context, address, memory, session);
  }

  lookFor(address: CheckedAddress, session: ClientSession): Promise<"memory" | "mark" | "nothing"> {
    return lookForDocument(this.#context, address, session);
  }

  async removeMark(address: CheckedAddress, session: ClientSession): Promise<void> {
    await this.#context.collection.deleteOne({ ...lookUp(address), revision: ofMark }, { session });
  }

  #storage(address: CheckedAddress, limits: BackendLimits = memoryDefaults): DocumentStorage {
    return new DocumentStorage(this.#context, address, limits);
  }

  get #call(): CallContext {
    return this.#context.call ?? createUnlimitedCall();
  }
}
