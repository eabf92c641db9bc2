import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { WireAddress } from "../../wire.js";
import { memoryHref, type Query } from "./route.js";
import { type Loaded, useData } from "./use-data.js";

/** The memory that is shown. */
export interface ShownMemory {
  address: WireAddress;
  /** Selects the shown part of the memory. */
  query: Query;
  /** Differs after each change of the memory. */
  version: string;
}

export const MemoryContext = createContext<ShownMemory>({
  address: { nodeId: "", scope: "global" },
  query: {},
  version: "",
});

/** Returns the memory for the views inside it. `href` creates the address of another view of this memory. */
export function useMemory(): ShownMemory & { href: (query?: Query) => string } {
  const memory = useContext(MemoryContext);
  return { ...memory, href: (query) => memoryHref(memory.address, query) };
}

/**
 * Loads data about the memory, and loads it again after each change. @param version replaces the memory's own version
 */
export function useMemoryData<T>(name: string | null, query: Query = {}, version?: string): Loaded<T> {
  const memory = useContext(MemoryContext);
  return useData<T>(name, { ...memory.address, ...query }, version ?? memory.version);
}
