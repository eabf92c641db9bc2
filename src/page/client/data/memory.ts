import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { WireAddress } from "../../wire.js";
import { memoryHref, type Query } from "./route.js";
import { type Loaded, useData } from "./use-data.js";

/** The memory that is shown. */
export interface ShownMemory {
  address: WireAddress;
  /** What of it is shown. */
  query: Query;
  /** Another after each change of the memory. */
  version: string;
}

export const MemoryContext = createContext<ShownMemory>({
  address: { nodeId: "", scope: "global" },
  query: {},
  version: "",
});

/** For the views of a memory. `href` leads to another view of it. */
export function useMemory(): ShownMemory & { href: (query?: Query) => string } {
  const memory = useContext(MemoryContext);
  return { ...memory, href: (query) => memoryHref(memory.address, query) };
}

/** What the page answers about the memory; requested again after each change of it. @param version instead of its own */
export function useMemoryData<T>(name: string | null, query: Query = {}, version?: string): Loaded<T> {
  const memory = useContext(MemoryContext);
  return useData<T>(name, { ...memory.address, ...query }, version ?? memory.version);
}
