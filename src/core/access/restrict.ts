import type { Memory } from "../memory.js";
import type { CheckedPolicy } from "./policy.js";

export const restrict: unique symbol = Symbol.for("langgraph-mongo-memory.restrict");

/** A memory of this package, of either build. Policies add up: the narrower one decides. */
export interface RestrictableMemory extends Memory {
  [restrict](policy: CheckedPolicy): Memory;
}

/** The same memory under a policy. @throws TypeError for a memory that is not made by this package */
export function restricted(memory: Memory, policy: CheckedPolicy): Memory {
  const { [restrict]: method } = memory as Partial<RestrictableMemory>;
  if (typeof method === "function") return method.call(memory, policy);
  throw new TypeError(
    "rules and a guard need a memory of this package: openMemory, store.memory, openDirectoryMemory, openMemoryOver",
  );
}
