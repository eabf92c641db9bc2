import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import type { Memory } from "../../src/core/memory.js";
import type { MemoryOptions } from "../../src/core/memory-options.js";
import { openMemory } from "../../src/open-memory.js";
import { freshAddress } from "./memory-case.js";

/** A memory in a store of its own. */
export function freshMemory(options?: MemoryOptions): Memory {
  return openMemory(new InMemoryStore(), freshAddress(), options);
}

export async function pathsIn(memory: Memory): Promise<string[]> {
  return (await memory.snapshot()).files.map(({ path }) => path);
}
