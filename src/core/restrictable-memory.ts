import type { Memory } from "./memory.js";
import type { CheckedPolicy } from "./access/policy.js";

export const restrict: unique symbol = Symbol.for("langgraph-mongo-memory.restrict");

export const bookkeeping: unique symbol = Symbol.for("langgraph-mongo-memory.bookkeeping");

/**
 * Returns the same memory for the own files of a dialect, whose text no model chooses. Changes of these files need no
 * approval. The policies refuse everything else as before.
 */
export function forBookkeeping(memory: Memory): Memory {
  return isRestrictable(memory) ? memory[bookkeeping]() : memory;
}

/** A memory made by either build of this package. Policies add up: the narrower policy decides. */
export interface RestrictableMemory extends Memory {
  [restrict](policy: CheckedPolicy): Memory;
  /** Returns the same memory with policies that request no approval. */
  [bookkeeping](): Memory;
}

/** Returns the same memory under a policy. @throws TypeError for a memory that is not made by this package */
export function restricted(memory: Memory, policy: CheckedPolicy): Memory {
  if (isRestrictable(memory)) return memory[restrict](policy);
  throw new TypeError(
    "rules and a guard need a memory of this package: openMemory, store.memory, openDirectoryMemory, openMemoryOver",
  );
}

function isRestrictable(memory: Memory): memory is RestrictableMemory {
  return restrict in memory && bookkeeping in memory;
}
