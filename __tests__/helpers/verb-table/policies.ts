import {
  checkPolicy,
  type CheckedPolicy,
  type MemoryAccess,
  type MemoryPolicy,
} from "../../../src/core/access/policy.js";
import { bindMemory } from "../../../src/core/bind-memory.js";
import type { ApprovalRequester } from "../../../src/core/access/approval-requester.js";
import type { Memory } from "../../../src/index.js";

/** Restricts a memory as a node does, outside a run. */
export type Restrict = (memory: Memory) => Memory;

/** @param onAsk what happens if a person must approve. Outside a run, nobody can be interrupted */
function policy(
  { access = "write", ...settings }: MemoryPolicy & { access?: MemoryAccess },
  onAsk: ApprovalRequester["onAsk"] = "interrupt",
): Restrict {
  const requester: ApprovalRequester = { onAsk, actor: null, createRequest: () => null };
  const checked: CheckedPolicy = { ...checkPolicy(settings), access, actor: null, requester };
  return (memory) => bindMemory(memory, { policies: [checked] });
}

/** Restrictions of a memory, by their name in the table. */
export const policies: Record<string, Restrict> = {
  none: (memory) => memory,
  append: policy({ access: "append" }),
  read: policy({ access: "read" }),
  ask: policy({ access: "ask" }),
  propose: policy({ access: "ask" }, "propose"),
  "read below": policy({ rules: [{ path: "/docs/deep/**", access: "read" }] }),
  "append below": policy({ rules: [{ path: "/docs/a", access: "append" }] }),
  "ask below": policy({ rules: [{ path: "/docs/deep/**", access: "ask" }] }),
  "guard allows": policy({ guard: () => undefined }),
  "guard rewrites": policy({ guard: ({ command, content }) => `${command}: ${content}` }),
  "guard refuses": policy({
    guard: () => {
      throw new Error("not this");
    },
  }),
};
