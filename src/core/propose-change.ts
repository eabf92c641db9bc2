import type { ApprovalRequester } from "./access/approval-requester.js";
import { bindMemory } from "./bind-memory.js";
import type { Memory } from "./memory.js";
import type { MemoryActor, ChangeOrigin } from "./values/actor.js";
import { baseChanged, MemoryError } from "./values/errors.js";

/** A proposal of a program. */
export interface ProgramProposal {
  /** No other change has this id. If a proposal of this id exists, whatever became of it, no second one is made. */
  id: string;
  actor: MemoryActor;
  origin?: ChangeOrigin;
  /** Only checks the change, and stores nothing. */
  isCheck?: boolean;
}

/**
 * Proposes a change of a memory instead of making it. The memory's own policies apply, but no other person is asked.
 * @param change makes one change
 * @returns the id of the proposal, or null if the change would change nothing
 * @throws the refusals of the memory
 */
export async function proposeChange(
  memory: Memory,
  { id, actor, origin, isCheck }: ProgramProposal,
  change: (memory: Memory) => Promise<unknown>,
): Promise<string | null> {
  const requester: ApprovalRequester = {
    onAsk: "propose",
    isOfProgram: true,
    actor,
    createRequest: () => ({ id, origin, isCheck, canWait: false, toolName: "", answer: () => Promise.resolve(null) }),
  };
  try {
    await change(bindMemory(memory, { policies: [{ access: "ask", rules: [], requester }] }));
    return null;
  } catch (error) {
    if (MemoryError.isInstance(error) && error.proposal !== undefined) return error.proposal;
    throw error;
  }
}

/** Replaces the text of a file that has not changed since it was read. @throws MemoryError ECONFLICT, and as `edit` */
export function editUnchanged(memory: Memory, path: string, before: string | null, after: string): Promise<unknown> {
  return memory.edit(path, (text) => {
    if (text !== before) throw baseChanged();
    return after;
  });
}
