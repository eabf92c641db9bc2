import { compareCodeUnits } from "../core/values/text.js";
import { sortInTurns } from "../core/runtime/sort-in-turns.js";
import { RecentMap } from "../core/runtime/recent-map.js";
import type { MemoryFilter, MemorySummary } from "../mongodb/memories/addresses/memory-filter.js";
import { maxMemoriesOffset } from "./fields.js";

export const memorySorts = ["changed", "node", "owner", "files", "size"] as const;

export type MemorySort = (typeof memorySorts)[number];

interface Listing {
  listMemories(filter: MemoryFilter): AsyncIterable<MemorySummary>;
}

interface Listed {
  memories: readonly MemorySummary[];
  /** False if there are more, which were not read. */
  isAll: boolean;
}

/** After this time a list reads no further. */
const maxReadMs = 2000;
/** A list is used again for so many times as long as it took to read. */
const usedTimes = 10;
const maxKept = 10;

/**
 * The memories of filters, whole, because a database cannot sort them by what a person looks for. Browsers ask every
 * few seconds, so a long list is used again for a while.
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
    const kept = { list: this.#readAll(filter, startMs + maxReadMs), endsMs: Infinity };
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

  async #readAll(filter: MemoryFilter, endMs: number): Promise<Listed> {
    const memories: MemorySummary[] = [];
    for await (const memory of this.#memories.listMemories(filter)) {
      if (memories.length >= maxMemoriesOffset || performance.now() > endMs) return { memories, isAll: false };
      memories.push(memory);
    }
    return { memories, isAll: true };
  }
}

type Compare = (a: MemorySummary, b: MemorySummary) => number;

function getOwner({ address }: MemorySummary): string {
  if (address.scope === "perThread") return address.threadId;
  return address.scope === "perUser" ? address.userId : "";
}

const compare: Record<MemorySort, Compare> = {
  changed: (a, b) => a.updatedAt.getTime() - b.updatedAt.getTime(),
  node: (a, b) => compareCodeUnits(a.address.nodeId, b.address.nodeId),
  owner: (a, b) => compareCodeUnits(getOwner(a), getOwner(b)),
  files: (a, b) => a.files - b.files,
  size: (a, b) => a.sizeBytes - b.sizeBytes,
};

/** Sorts memories. Equal ones stay in the order of the store. */
export function sortMemories(
  memories: readonly MemorySummary[],
  sort: MemorySort,
  isDescending: boolean,
  signal: AbortSignal,
): Promise<MemorySummary[]> {
  const sign = isDescending ? -1 : 1;
  return sortInTurns(memories, (a, b) => sign * compare[sort](a, b), signal);
}
