import { checkPolicy, type MemoryAccess, type MemoryPolicy } from "../../src/core/access/policy.js";
import { bindMemory } from "../../src/core/bind-memory.js";
import type { Memory } from "../../src/index.js";

/** Restricts a memory as a node does by its rules, or as a tree does by the access of a mount. */
export function restrict(memory: Memory, policy: MemoryPolicy & { access?: MemoryAccess }): Memory {
  const { access = "write", ...checked } = policy;
  return bindMemory(memory, { policies: [{ ...checkPolicy(checked), access }] });
}
