import { MongoMemory, type MongoMemoryContext } from "../mongo-memory.js";
import type { StoredMemory } from "../contract/stored-memory.js";
import type {
  KeptLayout,
  LayoutIndex,
  MemoriesBeside,
  MemoryFacts,
  MemoryLimits,
  MemoryLayout,
  MovedMemory,
  NodeFacts,
} from "../contract/layout.js";
import type { LayoutContext } from "../contract/layout-context.js";
import { findVersionIds } from "../removal.js";
import type { Item } from "@langchain/langgraph-checkpoint";
import type { Db } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { MemoryBackend } from "../../../core/contract/backend.js";
import { MemoryError } from "../../../core/values/errors.js";
import { getMemoryNamespace } from "../../../core/values/namespace.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { memoryBytesCeiling } from "../../../core/memory-options.js";
import { storageError } from "../../driver/errors.js";
import { presentCollections } from "../../driver/present-collections.js";
import { isAddress, ownerOfAnyNode } from "../addresses/address-keys.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { followMemory } from "./followed-memory.js";
import type { Following } from "./following.js";
import type { ProposalPage, ProposalPageEnd } from "../../proposals/record-collection.js";
import type { ForgottenCounts, MemorySummary, ProposalRange } from "../addresses/memory-filter.js";
import { movedAway } from "./moved-memory.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";
import { isTooMuch } from "../transaction-errors.js";

/** How many moved memories are summarised at a time. */
const summarisedAtOnce = 8;

/** All memories of a store: those of its own layout, and those that have moved to the other layout (ADR 0025). */
export class FollowingLayout implements MemoryLayout {
  readonly #following: Following;
  readonly #homeName: string;
  readonly #db: Db;
  readonly #shared: MongoMemoryContext;

  constructor(following: Following, homeName: string, context: LayoutContext) {
    this.#following = following;
    this.#homeName = homeName;
    this.#db = context.db;
    const { clock, expiry, shared, makesIndexes } = context;
    this.#shared = { ...shared, storage: this, clock, expiry, isReader: !makesIndexes };
  }

  get limitsByDefault(): boolean {
    return this.#home.limitsByDefault;
  }

  get indexes(): readonly LayoutIndex[] {
    const own = this.#home.indexes;
    const names = new Set(own.map(nameIndex));
    return [...own, ...this.#following.other.indexes.filter((index) => !names.has(nameIndex(index)))];
  }

  get collectionNames(): readonly string[] {
    return [...new Set([...this.#home.collectionNames, ...this.#following.other.collectionNames])];
  }

  ready(): Promise<void> {
    return this.#home.ready();
  }

  backend(address: CheckedAddress, limits: MemoryLimits, clock?: () => Date): MemoryBackend {
    return new MongoMemory({ ...this.#shared, fileClock: clock }, address, this.open(address, limits, clock), limits);
  }

  open(address: CheckedAddress, limits: MemoryLimits, clock?: () => Date): StoredMemory {
    return followMemory(this.#following, address, (layout) => layout.open(address, limits, clock));
  }

  async *memories(prefix: readonly string[], call: CallContext): AsyncGenerator<CheckedAddress> {
    for await (const found of this.#home.memories(prefix, call)) {
      if (isMoved(found))
        yield* await this.#list(found, (layout) => layout.memories(getMemoryNamespace(found.moved), call), call);
      else yield found;
    }
  }

  async *itemsWithin(prefix: readonly string[], call: CallContext): AsyncGenerator<Item> {
    for await (const found of this.#home.itemsWithin(prefix, call)) {
      if (isMoved(found))
        yield* await this.#list(found, (layout) => layout.itemsWithin(getMemoryNamespace(found.moved), call), call);
      else yield found;
    }
  }

  async *facts(address: CheckedAddress | null, call: CallContext): AsyncGenerator<MemoryFacts> {
    for await (const found of this.#home.facts(address, call)) {
      if (isMoved(found)) yield* await this.#list(found, (layout) => layout.facts(found.moved, call), call);
      else yield found;
    }
  }

  nodes(limit: number, call: CallContext): AsyncIterable<NodeFacts> {
    return this.#home.nodes(limit, call);
  }

  async summaries(range: AddressRange, after: PageEnd | null, call: CallContext): Promise<SummaryPage> {
    const { summaries: found, end } = await this.#home.summaries(range, after, call);
    const summaries: MemorySummary[] = [];
    for (let start = 0; start < found.length; start += summarisedAtOnce) {
      const some = found.slice(start, start + summarisedAtOnce);
      const settled = some.map((each) => (isMoved(each) ? this.#summarise(each, call) : Promise.resolve([each])));
      summaries.push(...(await Promise.all(settled)).flat());
    }
    return { summaries, end };
  }

  proposals(
    { memories, statuses }: ProposalRange,
    after: ProposalPageEnd | null,
    call: CallContext,
  ): Promise<ProposalPage> {
    return this.#shared.records.summaries(memories, statuses, after, call);
  }

  #summarise({ moved }: MovedMemory, call: CallContext): Promise<MemorySummary[]> {
    const read = async (layout: KeptLayout): Promise<MemorySummary[]> =>
      (await layout.summaries({ ...moved }, null, call)).summaries.map(unlessMoved);
    return this.#read(moved, read, call);
  }

  /**
   * Removes the memories of a range, including moved ones with their forwarding records. Keeps other memories of the
   * other layout. Forwarding records are removed last, so that the next removal can complete an interrupted one.
   */
  async remove(range: AddressRange, call: CallContext): Promise<ForgottenCounts> {
    const { home, other } = this.#following;
    const [collection = ""] = other.collectionNames;
    if (!(await presentCollections(this.#db, [collection])).has(collection))
      return home.remove(range, nothingBeside, call);
    const moved = await findMoved(home, range, call);
    const counts = [await home.remove(range, await findBeside(other, range, moved.length > 0, call), call)];
    if (ownerOfAnyNode(range) !== null) await other.unname(range, call);
    for (const address of [
      ...moved,
      ...(await findMoved(home, range, call)).filter((each) => !moved.some((known) => isSame(known, each))),
    ]) {
      counts.push(await other.remove({ ...address }, await findBeside(home, { ...address }, true, call), call));
      // The memory has moved back meanwhile.
      if ((await this.#following.removeMark(address, [home, other], call)) === "memory")
        counts.push(await home.remove({ ...address }, nothingBeside, call));
    }
    for (const address of await findMoved(other, range, call))
      await this.#following.removeMark(address, [other, home], call);
    return addCounts(counts);
  }

  /** Sweeps both layouts. Removes the forwarding record of a moved memory with the memory. */
  async *sweep(call: CallContext): AsyncGenerator<void> {
    const { home, other } = this.#following;
    await home.ready();
    const [collection = ""] = other.collectionNames;
    const hasOther = (await presentCollections(this.#db, [collection])).has(collection);
    for (const [layout, beside] of [[home, other] as const, ...(hasOther ? [[other, home] as const] : [])]) {
      for await (const address of layout.sweep(call)) {
        if (hasOther && address !== null && (await findMoved(beside, { ...address }, call)).length > 0)
          await this.#following.removeMark(address, [beside, layout], call);
        yield;
      }
    }
  }

  async move(address: CheckedAddress, to: string, call: CallContext): Promise<boolean> {
    const { home, other } = this.#following;
    try {
      return await this.#following.move(address, to === this.#homeName ? [other, home] : [home, other], call);
    } catch (error) {
      throw isTooMuch(error) ? tooMuchToMove(error) : storageError(error, "write", memoryBytesCeiling);
    }
  }

  get #home(): KeptLayout {
    return this.#following.home;
  }

  #read<T>(address: CheckedAddress, read: (layout: KeptLayout) => Promise<T>, call: CallContext): Promise<T> {
    return this.#following.run(address, "read", (place) => read(this.#following.at(place)), call);
  }

  /** Lists one moved memory from its present layout. */
  #list<Listed extends object>(
    { moved }: MovedMemory,
    list: (layout: KeptLayout) => AsyncIterable<Listed | MovedMemory>,
    call: CallContext,
  ): Promise<Listed[]> {
    const read = async (layout: KeptLayout): Promise<Listed[]> => {
      const all: Listed[] = [];
      for await (const each of list(layout)) all.push(unlessMoved(each));
      return all;
    };
    return this.#read(moved, read, call);
  }
}

const nothingBeside: MemoriesBeside = { versionIds: [], keepsOthers: false };

/**
 * A memory of the other layout that has not moved from this one, such as a copy, keeps its versions, proposals and
 * vectors.
 */
async function findBeside(
  layout: KeptLayout,
  range: AddressRange,
  belongsHere: boolean,
  call: CallContext,
): Promise<MemoriesBeside> {
  const versionIds = await findVersionIds(layout, range, call);
  return { versionIds, keepsOthers: !belongsHere && isAddress(range) && versionIds.length > 0 };
}

/** Finds the memories of a range that have moved away from a layout. */
async function findMoved(layout: KeptLayout, range: AddressRange, call: CallContext): Promise<CheckedAddress[]> {
  const moved: CheckedAddress[] = [];
  for await (const { address } of layout.placed(range, "mark", call)) if (address !== null) moved.push(address);
  return moved;
}

function isSame(one: CheckedAddress, other: CheckedAddress): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function addCounts(counts: readonly ForgottenCounts[]): ForgottenCounts {
  const sum = (name: keyof ForgottenCounts): number => counts.reduce((total, each) => total + each[name], 0);
  return { memories: sum("memories"), files: sum("files"), versions: sum("versions"), proposals: sum("proposals") };
}

function tooMuchToMove(cause: unknown): MemoryError {
  const message =
    "ENOSPC: the memory is more than this MongoDB server moves in one transaction (transactionLifetimeLimitSeconds, " +
    "60 by default, and the size of its cache); nothing was moved";
  return new MemoryError("ENOSPC", message, { cause });
}

function isMoved(listed: object): listed is MovedMemory {
  return "moved" in listed;
}

function unlessMoved<Listed extends object>(listed: Listed | MovedMemory): Listed {
  if (isMoved(listed)) throw movedAway();
  return listed;
}

function nameIndex({ collection, description }: LayoutIndex): string {
  return `${collection.collectionName} ${description.name}`;
}
