import { type CheckedAddress, getOwner } from "../core/values/address.js";
import { compareCodeUnits } from "../core/values/text.js";
import { sortInTimeSlices } from "../core/runtime/sort-in-steps.js";
import { RecentMap } from "../core/runtime/recent-map.js";
import type { MemoryFilter, MemorySummary } from "../mongodb/memories/addresses/memory-filter.js";
import { maxMemoriesOffset } from "./fields.js";

/** The orders of a list: by the last change, by the size of the texts, or by the name of the node. */
export const memorySorts = ["changed", "size", "name"] as const;

export type MemorySort = (typeof memorySorts)[number];

interface Listing {
  listMemories(filter: MemoryFilter): AsyncIterable<MemorySummary>;
}

interface Listed {
  memories: readonly MemorySummary[];
  /** False if there are more, which were not read. */
  isAll: boolean;
}

/** A list stops reading this long after its first memory. */
const maxReadMs = 2000;
/** A list is reused for its reading time multiplied by this number. */
const usedTimes = 10;
const maxKept = 10;

/**
 * Caches whole lists of memories, because the database cannot sort them in the order that a person chooses. Browsers
 * request a list every few seconds, so a long list is reused for a while.
 */
export class MemoryLists {
  readonly #lists = new RecentMap<{ list: Promise<Listed>; endsMs: number }>(maxKept);
  readonly #memories: Listing;

  constructor(memories: Listing) {
    this.#memories = memories;
  }

  /** Reads as many memories as time permits, in the order of the store. */
  async read(filter: MemoryFilter): Promise<Listed> {
    const key = JSON.stringify(filter);
    const known = this.#lists.get(key);
    if (known !== undefined && performance.now() < known.endsMs) return known.list;
    const startMs = performance.now();
    const kept = { list: this.#readAll(filter), endsMs: Infinity };
    this.#lists.set(key, kept);
    try {
      const listed = await kept.list;
      kept.endsMs = performance.now() + usedTimes * (performance.now() - startMs);
      return listed;
    } catch (error) {
      this.#lists.delete(key);
      throw error;
    }
  }

  /** Reads the memories of a filter whose ids contain a text, in any case. */
  async find(filter: MemoryFilter, named: string | undefined): Promise<Listed> {
    const { memories, isAll } = await this.read(filter);
    if (named === undefined) return { memories, isAll };
    const found = memories.filter(({ address }) => isNamed(address, named));
    const { nodeId, threadId, userId, scope } = filter;
    if (isAll || (nodeId ?? threadId ?? userId) !== undefined) return { memories: found, isAll };
    // More memories exist than were read. A MongoDB index finds those whose id equals the text.
    const lists = await Promise.all(
      [{ nodeId: named }, { threadId: named }, { userId: named }].map((id) => this.read(id)),
    );
    const exact = lists.flatMap((list) =>
      list.memories.filter(({ address }) => address.scope === (scope ?? address.scope)),
    );
    const unique = new Map([...found, ...exact].map((memory) => [JSON.stringify(memory.address), memory]));
    return { memories: [...unique.values()], isAll };
  }

  async #readAll(filter: MemoryFilter): Promise<Listed> {
    const memories: MemorySummary[] = [];
    let endMs = Infinity;
    for await (const memory of this.#memories.listMemories(filter)) {
      // The time before the first memory is the time of the database.
      if (memories.length === 0) endMs = performance.now() + maxReadMs;
      if (memories.length >= maxMemoriesOffset || performance.now() > endMs) return { memories, isAll: false };
      memories.push(memory);
    }
    return { memories, isAll: true };
  }
}

function isNamed(address: CheckedAddress, text: string): boolean {
  return [address.nodeId, getOwner(address) ?? ""].some((id) => id.toLowerCase().includes(text.toLowerCase()));
}

type Compare = (a: MemorySummary, b: MemorySummary) => number;

const compare: Record<MemorySort, Compare> = {
  changed: (a, b) => b.updatedAt.getTime() - a.updatedAt.getTime(),
  size: (a, b) => b.textBytes - a.textBytes,
  name: (a, b) => compareCodeUnits(a.address.nodeId, b.address.nodeId),
};

/**
 * Sorts memories, the newest or largest first. Equal ones stay in the order of the store. The memories of a node follow
 * the first of them.
 * @returns the memories by node
 */
export async function sortMemories(
  memories: readonly MemorySummary[],
  sort: MemorySort,
  signal: AbortSignal,
): Promise<Map<string, MemorySummary[]>> {
  const nodes = new Map<string, MemorySummary[]>();
  for (const memory of await sortInTimeSlices(memories, compare[sort], signal)) {
    const { nodeId } = memory.address;
    const sameNode = nodes.get(nodeId);
    if (sameNode === undefined) nodes.set(nodeId, [memory]);
    else sameNode.push(memory);
  }
  return nodes;
}
