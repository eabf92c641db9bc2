import { checkPolicy, type MemoryPolicy } from "../../src/core/access/policy.js";
import { restricted } from "../../src/core/restrictable-memory.js";
import type { Memory } from "../../src/index.js";

/** Restricts a memory as a node does. */
export function restrict(memory: Memory, policy: MemoryPolicy): Memory {
  return restricted(memory, checkPolicy(policy));
}
