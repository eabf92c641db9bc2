import type { Item } from "@langchain/langgraph-checkpoint";
import type { Db } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { ArchivedHistory, ArchivedTree } from "../../../core/history/archived-version.js";
import type { BackendLimits, MemoryBackend } from "../../../core/contract/backend.js";
import { MemoryError } from "../../../core/values/errors.js";
import { namespaceOfMemory } from "../../../core/values/namespace.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { memoryBytesCeiling, type MemoryOptions } from "../../../core/memory-options.js";
import { storageError } from "../../driver/errors.js";
import { presentCollections } from "../../driver/present-collections.js";
import { groupedByMemory, type MemoryLocation } from "../../operations/checked-operation.js";
import { isAddress, ownerOfAnyNode } from "../addresses/address-keys.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { followMemory } from "./followed-memory.js";
import type { Following } from "./following.js";
import type {
  KeptLayout,
  LayoutIndex,
  MemoriesBeside,
  MemoryFacts,
  MemoryLimits,
  MovableLayout,
  MovedMemory,
  NodeFacts,
  PlannedChange,
} from "../contract/layout.js";
import type { ForgottenCounts, MemorySummary } from "../addresses/memory-filter.js";
import type { ArchivedMemory } from "../memory-moment.js";
import { movedAway } from "./moved-memory.js";
import type { PageEnd, SummaryPage } from "../addresses/summary-pages.js";
import { isTooMuch } from "../transaction-errors.js";

/** How many memories that have moved are summarised at a time. */
const summarisedAtOnce = 8;

/**
 * The memories of a store: those of its own layout, and those that have moved to the other one, each where it is (ADR
 * 0025).
 */
export class FollowingLayout implements MovableLayout {
  readonly #following: Following;
  readonly #homeName: string;
  readonly #db: Db;

  constructor(following: Following, homeName: string, db: Db) {
    this.#following = following;
    this.#homeName = homeName;
    this.#db = db;
  }

  get limitsByDefault(): boolean {
    return this.#home.limitsByDefault;
  }

  get indexes(): readonly LayoutIndex[] {
    const own = this.#home.indexes;
    const names = new Set(own.map(nameOf));
    return [...own, ...this.#following.other.indexes.filter((index) => !names.has(nameOf(index)))];
  }

  get collectionNames(): readonly string[] {
    return [...new Set([...this.#home.collectionNames, ...this.#following.other.collectionNames])];
  }

  forCall(call: CallContext): MovableLayout {
    return new FollowingLayout(this.#following.forCall(call), this.#homeName, this.#db);
  }

  ready(): Promise<void> {
    return this.#home.ready();
  }

  backend(address: CheckedAddress, limits: MemoryLimits, clock?: () => Date): MemoryBackend {
    return followMemory(this.#following, address, (layout) => layout.backend(address, limits, clock));
  }

  async *memories(prefix: readonly string[]): AsyncGenerator<CheckedAddress> {
    for await (const found of this.#home.memories(prefix)) {
      if (isMoved(found)) yield* await this.#listOf(found, (layout) => layout.memories(namespaceOfMemory(found.moved)));
      else yield found;
    }
  }

  async itemsAt(places: readonly MemoryLocation[]): Promise<(Item | null)[]> {
    const found = new Map<MemoryLocation, Item | null>();
    await Promise.all(
      Array.from(groupedByMemory(places).values(), async (ofMemory) => {
        const [first] = ofMemory;
        if (first === undefined) return;
        const items = await this.#read(first.address, (layout) => layout.itemsAt(ofMemory));
        ofMemory.forEach((place, index) => found.set(place, items[index] ?? null));
      }),
    );
    return places.map((place) => found.get(place) ?? null);
  }

  async *itemsWithin(prefix: readonly string[]): AsyncGenerator<Item> {
    for await (const found of this.#home.itemsWithin(prefix)) {
      if (isMoved(found))
        yield* await this.#listOf(found, (layout) => layout.itemsWithin(namespaceOfMemory(found.moved)));
      else yield found;
    }
  }

  deleteEmptyDirectory(address: CheckedAddress, path: string): Promise<void> {
    return this.#change(address, (layout) => layout.deleteEmptyDirectory(address, path));
  }

  checkChanges(
    address: CheckedAddress,
    options: Required<MemoryOptions>,
    changes: readonly PlannedChange[],
  ): Promise<void> {
    return this.#read(address, (layout) => layout.checkChanges(address, options, changes));
  }

  async *facts(address?: CheckedAddress): AsyncGenerator<MemoryFacts> {
    for await (const found of this.#home.facts(address)) {
      if (isMoved(found)) yield* await this.#listOf(found, (layout) => layout.facts(found.moved));
      else yield found;
    }
  }

  nodes(limit: number): AsyncIterable<NodeFacts> {
    return this.#home.nodes(limit);
  }

  async summaries(range: AddressRange, after: PageEnd | null): Promise<SummaryPage> {
    const { summaries: found, end } = await this.#home.summaries(range, after);
    const summaries: MemorySummary[] = [];
    for (let start = 0; start < found.length; start += summarisedAtOnce) {
      const some = found.slice(start, start + summarisedAtOnce);
      summaries.push(
        ...(
          await Promise.all(some.map((each) => (isMoved(each) ? this.#summaryOf(each) : Promise.resolve([each]))))
        ).flat(),
      );
    }
    return { summaries, end };
  }

  async #summaryOf({ moved }: MovedMemory): Promise<MemorySummary[]> {
    return this.#read(moved, async (layout) => {
      const { summaries } = await layout.summaries({ ...moved }, null);
      return summaries.map(unlessMoved);
    });
  }

  /**
   * Those that have moved too, each with its mark; no others of the other layout. Marks go last, by which a removal
   * that was broken off is finished.
   */
  async remove(range: AddressRange): Promise<ForgottenCounts> {
    const { home, other } = this.#following;
    const [collection = ""] = other.collectionNames;
    if (!(await presentCollections(this.#db, [collection])).has(collection)) return home.remove(range, nothingBeside);
    const moved = await home.marks(range);
    const counts = [await home.remove(range, await besideOf(other, range, moved.length > 0))];
    if (ownerOfAnyNode(range) !== null) await other.unname(range);
    for (const address of [
      ...moved,
      ...(await home.marks(range)).filter((each) => !moved.some((known) => isSame(known, each))),
    ]) {
      counts.push(await other.remove({ ...address }, await besideOf(home, { ...address }, true)));
      // It has moved back meanwhile.
      if ((await this.#following.removeMark(address, [home, other])) === "memory")
        counts.push(await home.remove({ ...address }, nothingBeside));
    }
    for (const address of await other.marks(range)) await this.#following.removeMark(address, [other, home]);
    return sumOf(counts);
  }

  archived(address: CheckedAddress): Promise<ArchivedMemory | null> {
    return this.#read(address, (layout) => layout.archived(address));
  }

  restore(address: CheckedAddress, tree: ArchivedTree, history: ArchivedHistory, key: string): Promise<boolean> {
    return this.#change(address, (layout) => layout.restore(address, tree, history, key));
  }

  upgrade(address: CheckedAddress, limits: BackendLimits): Promise<boolean> {
    return this.#read(address, (layout) => layout.upgrade(address, limits));
  }

  async move(address: CheckedAddress, to: string): Promise<boolean> {
    const { home, other } = this.#following;
    try {
      return await this.#following.move(address, to === this.#homeName ? [other, home] : [home, other]);
    } catch (error) {
      throw isTooMuch(error) ? tooMuchToMove(error) : storageError(error, "write", memoryBytesCeiling);
    }
  }

  get #home(): KeptLayout {
    return this.#following.home;
  }

  #read<T>(address: CheckedAddress, run: (layout: KeptLayout) => Promise<T>): Promise<T> {
    return this.#following.run(address, "read", (place) => run(this.#following.at(place)));
  }

  #change<T>(address: CheckedAddress, run: (layout: KeptLayout) => Promise<T>): Promise<T> {
    return this.#following.run(address, "change", (place) => run(this.#following.at(place)));
  }

  /** What a list has of one memory that has moved, from where it is now. */
  #listOf<Listed extends object>(
    { moved }: MovedMemory,
    list: (layout: KeptLayout) => AsyncIterable<Listed | MovedMemory>,
  ): Promise<Listed[]> {
    return this.#read(moved, async (layout) => {
      const all: Listed[] = [];
      for await (const each of list(layout)) all.push(unlessMoved(each));
      return all;
    });
  }
}

const nothingBeside: MemoriesBeside = { versionIds: [], keepsOthers: false };

/** A memory of the other layout that has not come from this one, such as a copy, keeps what is its own. */
async function besideOf(layout: KeptLayout, range: AddressRange, belongsHere: boolean): Promise<MemoriesBeside> {
  const versionIds = await layout.versionIds(range);
  return { versionIds, keepsOthers: !belongsHere && isAddress(range) && versionIds.length > 0 };
}

function isSame(one: CheckedAddress, other: CheckedAddress): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function sumOf(counts: readonly ForgottenCounts[]): ForgottenCounts {
  const sum = (name: keyof ForgottenCounts): number => counts.reduce((total, each) => total + each[name], 0);
  return { memories: sum("memories"), files: sum("files"), versions: sum("versions"), proposals: sum("proposals") };
}

function tooMuchToMove(cause: unknown): MemoryError {
  const message =
    "ENOSPC: the memory is more than this MongoDB server moves in one transaction (transactionLifetimeLimitSeconds, 60 by default, and the size of its cache); nothing was moved";
  return new MemoryError("ENOSPC", message, { cause });
}

function isMoved(listed: object): listed is MovedMemory {
  return "moved" in listed;
}

function unlessMoved<Listed extends object>(listed: Listed | MovedMemory): Listed {
  if (isMoved(listed)) throw movedAway();
  return listed;
}

function nameOf({ collection, description }: LayoutIndex): string {
  return `${collection.collectionName} ${description.name}`;
}
