import type { Memory } from "./memory.js";
import type { CheckedPolicy } from "./access/policy.js";

export const restrict: unique symbol = Symbol.for("langgraph-mongo-memory.restrict");

export const bookkeeping: unique symbol = Symbol.for("langgraph-mongo-memory.bookkeeping");

/**
 * The same memory, for files that a dialect keeps for itself, and whose text no model chooses. No person is asked about
 * them. Everything else that the policies refuse is refused.
 */
export function forBookkeeping(memory: Memory): Memory {
  return isRestrictable(memory) ? memory[bookkeeping]() : memory;
}

/** A memory of this package, of either build. Policies add up: the narrower one decides. */
export interface RestrictableMemory extends Memory {
  [restrict](policy: CheckedPolicy): Memory;
  /** The same memory, whose policies ask no person. */
  [bookkeeping](): Memory;
}

/** The same memory under a policy. @throws TypeError for a memory that is not made by this package */
export function restricted(memory: Memory, policy: CheckedPolicy): Memory {
  if (isRestrictable(memory)) return memory[restrict](policy);
  throw new TypeError(
    "rules and a guard need a memory of this package: openMemory, store.memory, openDirectoryMemory, openMemoryOver",
  );
}

function isRestrictable(memory: Memory): memory is RestrictableMemory {
  return restrict in memory && bookkeeping in memory;
}
