import type { Item } from "@langchain/langgraph-checkpoint";
import type { CallContext } from "../../../core/runtime/call.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { ROOT } from "../../../core/values/paths.js";
import { reading } from "../../driver/reads.js";
import { groupedByMemory, type MemoryLocation } from "../../operations/memory-location.js";
import { snapshotOfDocument } from "../documents/page-document.js";
import { type FoundMemory, memoriesWithin } from "../listing/found-memories.js";
import { type MemoriesContext, openContext } from "../memory-context.js";
import { fileItems } from "../reading/file-items.js";
import { isExpired } from "../reading/known-pages.js";
import { loadPages } from "../reading/load.js";
import { getMemoryTimes, readItems } from "../reading/page-reads.js";

/**
 * Reads every memory at or below a namespace, except empty ones, in the order of the namespaces. Keeps at most one
 * batch in memory.
 */
export async function* addressesWithin(
  memories: MemoriesContext,
  prefix: readonly string[],
  call: CallContext,
): AsyncGenerator<CheckedAddress> {
  for await (const { address, document } of memoriesWithin(memories, prefix, "address", call)) {
    if (!(await reading(() => isExpired(openContext(memories, address), document, call)))) yield address;
  }
}

/** Reads the items of every memory at or below a namespace, in the order of the store: by namespace, then by key. */
export async function* itemsWithin(
  memories: MemoriesContext,
  prefix: readonly string[],
  call: CallContext,
): AsyncGenerator<Item> {
  for await (const found of memoriesWithin(memories, prefix, "all", call))
    yield* await readAllItems(memories, found, call);
}

/** Returns every item of one memory, in the order of their keys. */
async function readAllItems(
  memories: MemoriesContext,
  { address, namespace, document }: FoundMemory,
  call: CallContext,
): Promise<Item[]> {
  if (document.hi === undefined)
    return fileItems(namespace, snapshotOfDocument(document), getMemoryTimes(document, []));
  const scope = { paths: [], below: [ROOT], want: "pages" } as const;
  const { tree, pages } = await loadPages(openContext(memories, address), scope, call);
  return fileItems(namespace, tree.snapshot(), getMemoryTimes(document, pages));
}

/**
 * Reads the files and directories at these places as items, null if there is none. One command for each hundred of a
 * memory.
 */
export async function itemsAt(
  memories: MemoriesContext,
  places: readonly MemoryLocation[],
  call: CallContext,
): Promise<(Item | null)[]> {
  const found = new Map<MemoryLocation, Item | null>();
  const readMemory = async (ofMemory: readonly MemoryLocation[]): Promise<void> => {
    const [first] = ofMemory;
    if (first === undefined) return;
    const items = await readItems(openContext(memories, first.address), ofMemory, call);
    ofMemory.forEach((place, index) => found.set(place, items[index] ?? null));
  };
  await Promise.all(Array.from(groupedByMemory(places).values(), readMemory));
  return places.map((place) => found.get(place) ?? null);
}
