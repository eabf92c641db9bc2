import type { Item } from "@langchain/langgraph-checkpoint";
import type { ClientSession } from "mongodb";
import {
  addressFor,
  addressOrNull,
  type CheckedAddress,
  type MemoryScope,
  memoryScopes,
} from "../../../core/values/address.js";
import type { ArchivedHistory, ArchivedTree } from "../../../core/history/archived-version.js";
import type { MemoryBackend } from "../../../core/contract/backend.js";
import { MemoryError } from "../../../core/values/errors.js";
import type { MemoryOptions } from "../../../core/memory-options.js";
import { type CallContext, createUnlimitedCall } from "../../../core/runtime/call.js";
import { ChangeStreams } from "../../driver/change-streams.js";
import { createIndexes } from "../../driver/create-indexes.js";
import { ExactCollection } from "../../driver/exact-collection.js";
import { refuseForeignDocuments } from "../../driver/foreign-documents.js";
import { isUnauthorized, storageError } from "../../driver/errors.js";
import { once } from "../../driver/once.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { type Topology, topologyOf } from "../../driver/topology.js";
import { reading, streaming } from "../../driver/reads.js";
import { VersionCollection, versionIndexes, versionsCollectionOf } from "../../history/version-collection.js";
import { Embedder } from "../../embeddings/embedder.js";
import { VectorCollection, vectorIndexes, vectorsCollectionName } from "../../embeddings/vector-collection.js";
import {
  expiryIndex as proposalExpiryIndex,
  proposalIndexes,
  RecordCollection,
} from "../../proposals/record-collection.js";
import type { MemoryLocation } from "../../operations/checked-operation.js";
import { addressKeys, rangeFilter } from "../addresses/address-keys.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { expiryIndexes } from "../expiry-indexes.js";
import { type AddressedDocuments, memoriesWithin, storedAddress } from "../addresses/found-memories.js";
import type {
  KeptLayout,
  LayoutContext,
  LayoutIndex,
  MemoriesBeside,
  MemoryFacts,
  MemoryLimits,
  MovedMemory,
  MovingMemory,
  NodeFacts,
  PlannedChange,
} from "../contract/layout.js";
import { MemoryExpiry } from "../memory-expiry.js";
import type { ArchivedMemory } from "../memory-moment.js";
import type { ForgottenCounts, MemorySummary } from "../addresses/memory-filter.js";
import { MongoMemory } from "../mongo-memory.js";
import { reasonToFollow } from "../moves/moved-memory.js";
import { nodesOf } from "../addresses/nodes.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";
import { FileReads } from "./file-reads.js";
import { deleteEmptyDirectory, planChanges } from "../planned-changes.js";
import { ChangeQueue } from "./queue.js";
import { FilesStorage } from "./storage.js";
import { StoredFiles } from "./stored-files.js";
import { memoryKeyOf, rangeOfMemory, rootIdOf, type StoredDocument, type StoredRoot } from "./documents.js";
import { expiryIndex, listingIndex, makeWordsIndex, rootIndexes, toldWordsIndex } from "./file-indexes.js";
import { recordsInCall, vectorsInCall } from "../in-call.js";
import { ChangeTimes, contextFor, type FilesContext } from "./files-context.js";
import { archivedMemory, restoreMemory } from "./files-archive.js";
import { allItemsOf, countsOf, itemsOfMemory, removeMemories, summaryPage } from "./files-listing.js";
import { FilesExpiry, laggingDeadline } from "./files-expiry.js";
import { arriveInFiles, leaveFiles, lookForFiles } from "./files-move.js";

const own = {
  filter: { kind: { $in: ["file", "dir", "moved"] }, _id: { $type: "string" } },
  option: "memoriesCollection",
};

/** Beside the memories of the other layout, whatever their collection is called. */
function filesCollectionOf(memoriesCollection: string): string {
  return `${memoriesCollection}_files`;
}

/** A document for each file and directory, in one collection (ADR 0021). */
export class FilesLayout implements KeptLayout {
  readonly limitsByDefault = false;
  readonly maxArrivingBytes = Infinity;
  readonly indexes: readonly LayoutIndex[];
  readonly collectionNames: readonly string[];
  readonly #context: FilesContext;

  private constructor(
    context: FilesContext,
    { indexes, collectionNames }: Pick<KeptLayout, "indexes" | "collectionNames">,
  ) {
    this.#context = context;
    this.indexes = indexes;
    this.collectionNames = collectionNames;
  }

  static open({
    db,
    client,
    collectionName,
    writeConcern,
    connect,
    clock,
    expireMs,
    makesIndexes,
    narrowsAbove,
    isGuest = false,
    history,
    embeddings,
  }: LayoutContext): FilesLayout {
    const name = filesCollectionOf(collectionName);
    const collection = new ExactCollection(db.collection<StoredDocument>(name, { writeConcern }));
    const expiry = new MemoryExpiry(expireMs, clock);
    const prepare = once(async () => {
      refuseStandalone(await topologyOf(db));
      if (!makesIndexes) return;
      await refuseForeignDocuments(collection, own);
      await refuseCollation(() => db.listCollections({ name, "options.collation": { $exists: true } }).toArray(), name);
      await createIndexes(collection, [listingIndex, ...rootIndexes], "a memory", own.option);
      if (Object.keys(expireMs).length > 0) await createIndexes(collection, [expiryIndex], "a memory", own.option);
      if (narrowsAbove !== undefined) await makeWordsIndex(collection, own.option);
      if (history?.begins === true) await versions.makeIndexes(own.option);
    });
    const ready = (): Promise<void> | undefined => connect()?.then(prepare) ?? prepare();
    // Those beside the memories are of all layouts: they stay where they are when a memory moves.
    const versionsName = versionsCollectionOf(collectionName);
    const versions = new VersionCollection(
      new ExactCollection(db.collection(versionsName, { writeConcern })),
      history ?? {},
      clock,
    );
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
    const transactions = { client, writeConcern };
    const kept = history && { begins: history.begins };
    const embedded = embeddings && { client: embeddings.client, embedder: new Embedder(embeddings.config) };
    const streams = new ChangeStreams(db, name);
    const indexesOf = (collectionOf: string, descriptions: readonly LayoutIndex["description"][]): LayoutIndex[] =>
      descriptions.map((description) => ({
        collection: db.collection(collectionOf),
        description,
        example: exampleFor(description),
        madeWith: collectionOf,
      }));
    const listingOnly = indexesOf(name, [listingIndex]).map((index) => ({ ...index, isNamed: true }));
    const words = { memory: "g", $text: { $search: "a" } };
    const wordsOnly = indexesOf(name, [toldWordsIndex]).map((index) => ({
      ...index,
      example: words,
      isOptional: true,
    }));
    const indexes = [
      ...listingOnly,
      ...wordsOnly,
      ...indexesOf(name, rootIndexes),
      ...indexesOf(versionsName, versionIndexes),
      ...indexesOf(proposalsName, [...proposalIndexes, proposalExpiryIndex]),
      ...indexesOf(vectorsName, vectorIndexes),
    ];
    const context = {
      collection,
      ready,
      transactions,
      storage: {},
      clock,
      expiry,
      changeTimes: new ChangeTimes(),
      history: kept,
      versions,
      changes: new ChangeQueue(),
      isReader: !makesIndexes,
      records,
      streams,
      vectors,
      embeddings: embedded,
      narrowsAbove,
      isGuest,
    };
    return new FilesLayout(context, { indexes, collectionNames: [name, versionsName, proposalsName, vectorsName] });
  }

  forCall(call: CallContext): KeptLayout {
    return new FilesLayout(contextFor(call, this.#context), this);
  }

  async ready(): Promise<void> {
    await this.#context.ready();
  }

  backend(address: CheckedAddress, limits: MemoryLimits, clock?: () => Date): MemoryBackend {
    const { isLimited = false, maxMemoryBytes } = limits;
    const context = { ...this.#context, ...(clock && { fileClock: clock }), ...(isLimited && { maxMemoryBytes }) };
    return new MongoMemory(context, address, new StoredFiles(context, address), limits);
  }

  async *memories(prefix: readonly string[]): AsyncGenerator<CheckedAddress | MovedMemory> {
    for await (const { address } of memoriesWithin<StoredRoot>(this.#roots, prefix, "address")) {
      const isEmpty = await unlessElsewhere(() => this.#reads(address).isEmpty());
      if (isEmpty === null) yield { moved: address };
      else if (!isEmpty) yield address;
    }
  }

  itemsAt(places: readonly MemoryLocation[]): Promise<(Item | null)[]> {
    return itemsOfMemory(this.#context, places);
  }

  async *itemsWithin(prefix: readonly string[]): AsyncGenerator<Item | MovedMemory> {
    for await (const { address } of memoriesWithin<StoredRoot>(this.#roots, prefix, "address")) {
      yield* (await unlessElsewhere(() => allItemsOf(this.#context, address))) ?? [{ moved: address }];
    }
  }

  deleteEmptyDirectory(address: CheckedAddress, path: string): Promise<void> {
    const call = this.#context.call ?? createUnlimitedCall();
    return deleteEmptyDirectory(new FilesStorage(this.#context, address), path, call);
  }

  async checkChanges(
    address: CheckedAddress,
    options: Required<MemoryOptions>,
    changes: readonly PlannedChange[],
  ): Promise<void> {
    planChanges(await this.#reads(address).kinds(changes), changes, options);
  }

  async *facts(address?: CheckedAddress): AsyncGenerator<MemoryFacts | MovedMemory> {
    const filter = address === undefined ? { scope: { $in: memoryScopes } } : { ...address };
    const found = this.#context.collection.find<StoredRoot>(filter, {
      projection: { nodeId: 1, scope: 1, threadId: 1, userId: 1 },
      ...asPlainValues,
    });
    for await (const { _id, ...stored } of streaming(found)) {
      const known = addressOrNull(stored);
      const counts = known === null ? null : await countsOf(this.#context, memoryKeyOf(known));
      if (known !== null && counts === "moved") yield { moved: known };
      else yield { address: known, sizeBytes: counts === "moved" ? 0 : (counts?.sizeBytes ?? 0), outdated: false };
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
    const removed = await removeMemories(this.#context, range, versionIds);
    if (!keepsOthers) await vectorsInCall(this.#context).remove(range);
    return { ...removed, proposals };
  }

  /** All its changes are versions. */
  unname(): Promise<void> {
    return Promise.resolve();
  }

  async versionIds(range: AddressRange): Promise<string[]> {
    const filter = { ...rangeFilter(range), kind: "dir" };
    const found = await reading(() =>
      this.#context.collection
        .find<Pick<StoredRoot, "history">>(filter, { projection: { "history.id": 1 }, ...asPlainValues })
        .toArray(),
    );
    return found.map(({ history }) => history?.id ?? "");
  }

  async marks(range: AddressRange): Promise<CheckedAddress[]> {
    const found = await reading(() =>
      this.#context.collection
        .find<StoredRoot>({ ...rangeFilter(range), kind: "moved" }, { ...asPlainValues })
        .toArray(),
    );
    return found.flatMap((mark) => addressOrNull(storedAddress(mark)) ?? []);
  }

  archived(address: CheckedAddress): Promise<ArchivedMemory | null> {
    return archivedMemory(this.#context, address);
  }

  restore(address: CheckedAddress, tree: ArchivedTree, history: ArchivedHistory, key: string): Promise<boolean> {
    return restoreMemory(this.#context, { address, tree, history, key });
  }

  async upgrade(): Promise<boolean> {
    return false;
  }

  async beforeMove(address: CheckedAddress): Promise<void> {
    await this.#context.ready();
    const life = new FilesExpiry(this.#context, address);
    await unlessElsewhere(async () => {
      if (!(await life.isPresent())) await life.remove();
    });
  }

  leave(address: CheckedAddress, session: ClientSession, maxBytes: number): Promise<MovingMemory | null> {
    return leaveFiles(this.#context, address, session, maxBytes);
  }

  arrive(address: CheckedAddress, memory: MovingMemory, session: ClientSession): Promise<void> {
    return arriveInFiles(this.#context, address, memory, session);
  }

  lookFor(address: CheckedAddress, session: ClientSession): Promise<"memory" | "mark" | "nothing"> {
    return lookForFiles(this.#context, address, session);
  }

  async removeMark(address: CheckedAddress, session: ClientSession): Promise<void> {
    await this.#context.collection.deleteOne({ _id: rootIdOf(memoryKeyOf(address)), kind: "moved" }, { session });
  }

  /** The documents that say which memories there are. */
  get #roots(): AddressedDocuments<StoredRoot> {
    const { collection, ready, expiry } = this.#context;
    const deadline = (scope: MemoryScope): Date | null => laggingDeadline(expiry, scope);
    // Only a root has the ids that are looked for.
    return { collection: collection as unknown as ExactCollection<StoredRoot>, ready, expiry: { deadline } };
  }

  #reads(address: CheckedAddress): FileReads {
    return new FileReads(this.#context, address);
  }
}

/** Null where another layout keeps the memory. */
async function unlessElsewhere<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (reasonToFollow(error) === null) throw error;
    return null;
  }
}

/** @throws MemoryError EIO */
function refuseStandalone(topology: Topology): void {
  if (topology !== "standalone") return;
  const reason = "MongoDB has no transactions on a standalone server";
  throw new MemoryError(
    "EIO",
    `EIO: the layout "files" needs a replica set or a sharded cluster, as ${reason}; make it a replica set of one (--replSet, rs.initiate()), or use the layout "document"`,
  );
}

/** The ids of documents would be equal that are not. @throws MemoryError EIO */
async function refuseCollation(list: () => Promise<unknown[]>, name: string): Promise<void> {
  let found: unknown[];
  try {
    found = await list();
  } catch (error) {
    // Who may not list collections may still have made none with a collation.
    if (isUnauthorized(error)) return;
    throw storageError(error, "read", null);
  }
  if (found.length > 0)
    throw new MemoryError(
      "EIO",
      `EIO: the collection ${name} has a default collation, which its ids go by; the layout "files" needs a collection without one: name another with the option memoriesCollection`,
    );
}

/** By its first field. The type is for partial indexes. */
function exampleFor({ key, expireAfterSeconds }: LayoutIndex["description"]): LayoutIndex["example"] {
  const scope = memoryScopes.find((each) => key === addressKeys[each]);
  if (scope !== undefined) return { ...addressFor("a", scope, "a") };
  const [field = ""] = Object.keys(key);
  if (field === "_id") return { _id: rangeOfMemory("g") };
  return { [field]: expireAfterSeconds === undefined ? { $eq: "a", $type: "string" } : { $lte: new Date(0) } };
}
