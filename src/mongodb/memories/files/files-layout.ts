import type { StoredMemory } from "../contract/stored-memory.js";
import { createExample, describeSharedCollections } from "../shared-collections.js";
import { type RemovableMemories, type RemovedMemories, removeRange, unnameVersions } from "../removal.js";
import type {
  KeptLayout,
  LayoutIndex,
  MemoriesBeside,
  MemoryFacts,
  MemoryLimits,
  MovedMemory,
  MovingMemory,
  NodeFacts,
  PlacedMemory,
} from "../contract/layout.js";
import type { LayoutContext } from "../contract/layout-context.js";
import { countFiles, getRoots, readAllItems, readSummaries, removeMemories } from "./files-listing.js";
import { addressKeys, rangeFilter } from "../addresses/address-keys.js";
import { listNodes } from "../addresses/nodes.js";
import type { Item } from "@langchain/langgraph-checkpoint";
import type { ClientSession } from "mongodb";
import { addressFor, addressOrNull, type CheckedAddress, memoryScopes } from "../../../core/values/address.js";
import { MemoryError } from "../../../core/values/errors.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { ChangeStreams } from "../../driver/change-streams.js";
import { createIndexes } from "../../driver/create-indexes.js";
import { ExactCollection } from "../../driver/exact-collection.js";
import { refuseForeignDocuments } from "../../driver/foreign-documents.js";
import { isUnauthorized, storageError } from "../../driver/errors.js";
import { once } from "../../driver/once.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { findTopology, type Topology } from "../../driver/topology.js";
import { streaming } from "../../driver/reads.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { addressProjection, memoriesWithin, storedAddress } from "../addresses/found-memories.js";
import type { ForgottenCounts, MemorySummary } from "../addresses/memory-filter.js";
import { reasonToFollow } from "../moves/moved-memory.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";
import { FileReads } from "./file-reads.js";
import { ChangeQueue } from "./changes/queue.js";
import { StoredFiles } from "./stored-files.js";
import { getMemoryKey, rangeOfMemory, getRootId, type StoredDocument, type StoredRoot } from "./documents.js";
import { expiryIndex, listingIndex, makeWordsIndex, rootIndexes, toldWordsIndex } from "./file-indexes.js";
import { ChangeTimes, type FilesContext } from "./files-context.js";
import { FilesExpiry } from "./files-expiry.js";
import { sweepFiles } from "./files-sweep.js";
import { arriveInFiles, leaveFiles, lookForFiles } from "./files-move.js";

const own = {
  filter: { kind: { $in: ["file", "dir", "moved"] }, _id: { $type: "string" } },
  option: "memoriesCollection",
};

const placeProjection = { ...addressProjection, "history.id": 1 } as const;

/** The collection is always separate from the collection of the other layout. */
function nameCollection(memoriesCollection: string): string {
  return `${memoriesCollection}_files`;
}

/** One document for each file and directory, in one collection (ADR 0021). */
export class FilesLayout implements KeptLayout, RemovableMemories {
  readonly limitsByDefault = false;
  readonly maxArrivingBytes = Infinity;
  readonly indexes: readonly LayoutIndex[];
  readonly collectionNames: readonly string[];
  readonly #context: FilesContext;

  private constructor(context: FilesContext, described: Pick<KeptLayout, "indexes" | "collectionNames">) {
    this.#context = context;
    this.indexes = described.indexes;
    this.collectionNames = described.collectionNames;
  }

  static open(context: LayoutContext): FilesLayout {
    const { db, client, writeConcern, connect, clock, expireMs, makesIndexes, narrowsAbove, history } = context;
    const name = nameCollection(context.collectionName);
    const collection = new ExactCollection(db.collection<StoredDocument>(name, { writeConcern }));
    const { shared, expiry, isGuest } = context;
    const prepare = once(async () => {
      refuseStandalone(await findTopology(db));
      if (!makesIndexes) return;
      await refuseForeignDocuments(collection, own);
      await refuseCollation(() => db.listCollections({ name, "options.collation": { $exists: true } }).toArray(), name);
      await createIndexes(collection, [listingIndex, ...rootIndexes], "a memory", own.option);
      if (Object.keys(expireMs).length > 0) await createIndexes(collection, [expiryIndex], "a memory", own.option);
      if (narrowsAbove !== undefined) await makeWordsIndex(collection, own.option);
      if (history?.begins === true) await shared.versions.makeIndexes(own.option);
    });
    return new FilesLayout(
      {
        ...shared,
        collection,
        ready: () => connect()?.then(prepare) ?? prepare(),
        transactions: { client, writeConcern },
        clock,
        expiry,
        changeTimes: new ChangeTimes(),
        history,
        changes: new ChangeQueue(),
        isReader: !makesIndexes,
        streams: new ChangeStreams(db, name),
        narrowsAbove,
        isGuest,
      },
      describeCollections(context),
    );
  }

  async ready(): Promise<void> {
    await this.#context.ready();
  }

  open(address: CheckedAddress, limits: MemoryLimits, clock?: () => Date): StoredMemory {
    const { isLimited = false, maxMemoryBytes } = limits;
    const context = { ...this.#context, ...(clock && { fileClock: clock }), ...(isLimited && { maxMemoryBytes }) };
    return new StoredFiles(context, address);
  }

  async *memories(prefix: readonly string[], call: CallContext): AsyncGenerator<CheckedAddress | MovedMemory> {
    for await (const { address } of memoriesWithin<StoredRoot>(getRoots(this.#context), prefix, "address", call)) {
      const isEmpty = await unlessElsewhere(() => this.#reads(address).isEmpty(call));
      if (isEmpty === null) yield { moved: address };
      else if (!isEmpty) yield address;
    }
  }

  async *itemsWithin(prefix: readonly string[], call: CallContext): AsyncGenerator<Item | MovedMemory> {
    for await (const { address } of memoriesWithin<StoredRoot>(getRoots(this.#context), prefix, "address", call)) {
      yield* (await unlessElsewhere(() => readAllItems(this.#context, address, call))) ?? [{ moved: address }];
    }
  }

  async *facts(address: CheckedAddress | null, call: CallContext): AsyncGenerator<MemoryFacts | MovedMemory> {
    const filter = address === null ? { scope: { $in: memoryScopes } } : { ...address };
    const found = this.#context.collection.find<StoredRoot>(
      filter,
      {
        projection: addressProjection,
        ...asPlainValues,
      },
      call,
    );
    for await (const { _id, ...stored } of streaming(found)) {
      const known = addressOrNull(stored);
      const counts = known === null ? null : await countFiles(this.#context, getMemoryKey(known), call);
      if (known !== null && counts === "moved") yield { moved: known };
      else yield { address: known, sizeBytes: counts === "moved" ? 0 : (counts?.sizeBytes ?? 0), outdated: false };
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
    return unnameVersions(this.#context, range, call);
  }

  async *sweep(call: CallContext): AsyncGenerator<CheckedAddress | null> {
    await this.#context.ready();
    for await (const { address, isRemoved } of sweepFiles(this.#context, call)) if (isRemoved) yield address;
  }

  /** All changes are versions already. */
  unname(): Promise<void> {
    return Promise.resolve();
  }

  async *placed(range: AddressRange, kind: "memory" | "mark", call: CallContext): AsyncGenerator<PlacedMemory> {
    const filter = { ...rangeFilter(range), kind: kind === "mark" ? "moved" : "dir" };
    const options = { projection: placeProjection, ...asPlainValues };
    for await (const root of streaming(this.#context.collection.find<StoredRoot>(filter, options, call)))
      yield { address: addressOrNull(storedAddress(root)), versionsId: root.history?.id ?? "" };
  }

  async beforeMove(address: CheckedAddress, call: CallContext): Promise<void> {
    await this.#context.ready();
    const life = new FilesExpiry(this.#context, address);
    await unlessElsewhere(async () => {
      if (!(await life.isPresent(call))) await life.remove(call);
    });
  }

  leave(
    address: CheckedAddress,
    session: ClientSession,
    maxBytes: number,
    call: CallContext,
  ): Promise<MovingMemory | null> {
    return leaveFiles(this.#context, address, session, maxBytes, call);
  }

  arrive(address: CheckedAddress, memory: MovingMemory, session: ClientSession, call: CallContext): Promise<void> {
    return arriveInFiles(this.#context, address, memory, session, call);
  }

  lookFor(address: CheckedAddress, session: ClientSession, call: CallContext): Promise<"memory" | "mark" | "nothing"> {
    return lookForFiles(this.#context, address, session, call);
  }

  async removeMark(address: CheckedAddress, session: ClientSession, call: CallContext): Promise<void> {
    await this.#context.collection.deleteOne(
      { _id: getRootId(getMemoryKey(address)), kind: "moved" },
      { session },
      call,
    );
  }

  #reads(address: CheckedAddress): FileReads {
    return new FileReads(this.#context, address);
  }
}

/** Returns null if another layout keeps the memory. */
async function unlessElsewhere<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (reasonToFollow(error) === null) throw error;
    return null;
  }
}

function refuseStandalone(topology: Topology): void {
  if (topology !== "standalone") return;
  const reason = "MongoDB has no transactions on a standalone server";
  throw new MemoryError(
    "EIO",
    `EIO: the layout "files" needs a replica set or a sharded cluster, as ${reason}; make it a replica set of one ` +
      `(--replSet, rs.initiate()), or use the layout "document"`,
  );
}

/** Refuses a collection with a collation: the server would treat different ids as equal. @throws MemoryError EIO */
async function refuseCollation(list: () => Promise<unknown[]>, name: string): Promise<void> {
  let found: unknown[];
  try {
    found = await list();
  } catch (error) {
    // A user without the right to list collections can still use a collection without a collation.
    if (isUnauthorized(error)) return;
    throw storageError(error, "read", null);
  }
  if (found.length > 0)
    throw new MemoryError(
      "EIO",
      `EIO: the collection ${name} has a default collation, which its ids go by; the layout "files" needs a ` +
        "collection without one: name another with the option memoriesCollection",
    );
}

function describeCollections(context: LayoutContext): Pick<KeptLayout, "indexes" | "collectionNames"> {
  const name = nameCollection(context.collectionName);
  const { indexes, collectionNames } = describeSharedCollections(context);
  const collection = context.db.collection(name);
  const describe = (description: LayoutIndex["description"], example = createExample(description)): LayoutIndex => ({
    collection,
    description,
    example,
    madeWith: name,
  });
  return {
    indexes: [
      { ...describe(listingIndex, { _id: rangeOfMemory("g") }), isNamed: true },
      { ...describe(toldWordsIndex, { memory: "g", $text: { $search: "a" } }), isOptional: true },
      ...rootIndexes.map((index) => {
        const scope = memoryScopes.find((each) => index.key === addressKeys[each]);
        return describe(index, scope && { ...addressFor("a", scope, "a") });
      }),
      ...indexes,
    ],
    collectionNames: [name, ...collectionNames],
  };
}
