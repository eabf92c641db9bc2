import type { Item } from "@langchain/langgraph-checkpoint";
import { memoryDefaults } from "../../core/memory-options.js";
import type { CallContext } from "../../core/runtime/call.js";
import { groupedByMemory, type MemoryLocation } from "../operations/memory-location.js";
import type { MemoryLayout } from "./contract/layout.js";

/**
 * Reads the files and directories at these places as items, null if there is none. One command for each hundred of a
 * memory.
 */
export async function readFileItems(
  layout: MemoryLayout,
  places: readonly MemoryLocation[],
  call: CallContext,
): Promise<(Item | null)[]> {
  const found = new Map<MemoryLocation, Item | null>();
  const readMemory = async (ofMemory: readonly MemoryLocation[]): Promise<void> => {
    const [first] = ofMemory;
    if (first === undefined) return;
    const items = await layout.open(first.address, memoryDefaults).items(ofMemory, call);
    ofMemory.forEach((place, index) => found.set(place, items[index] ?? null));
  };
  await Promise.all(Array.from(groupedByMemory(places).values(), readMemory));
  return places.map((place) => found.get(place) ?? null);
}
