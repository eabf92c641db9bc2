import { checkPolicy, type CheckedPolicy, type MemoryPolicy, restricted } from "../../../src/core/access/access.js";
import type { Asking } from "../../../src/core/approval/asking.js";
import type { Memory } from "../../../src/core/memory.js";

/** A memory as a node hands it out, in no run. */
export type Restrict = (memory: Memory) => Memory;

/** @param onAsk what happens where a person must approve. In no run, nobody can be interrupted */
function policy(settings: MemoryPolicy, onAsk: Asking["onAsk"] = "interrupt"): Restrict {
  const asking: Asking = { onAsk, actor: null, question: () => null };
  const checked: CheckedPolicy = { ...checkPolicy(settings), actor: null, asking };
  return (memory) => restricted(memory, checked);
}

/** What may restrict a memory, by the name that the table gives it. */
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
