import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Answers } from "../../answers.js";
import type { Address } from "./types.js";
import { memoryHref, type Query } from "./route.js";
import { type Loaded, useData } from "./use-data.js";

/** The memory that is shown. */
export interface ShownMemory {
  address: Address;
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
export function useMemoryData<Path extends keyof Answers>(
  path: Path | null,
  query: Query = {},
  version?: string,
): Loaded<Answers[Path]> {
  const memory = useContext(MemoryContext);
  return useData(path, { ...memory.address, ...query }, version ?? memory.version);
}
