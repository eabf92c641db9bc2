import type { MemoryAddress } from "../../core/values/address.js";

/** The owner of a node's memory. If thread and user are missing, all share the memory. */
export interface TargetOwner {
  thread?: string | undefined;
  user?: string | undefined;
}

export function memoryAddress(nodeId: string, { thread, user }: TargetOwner): MemoryAddress {
  if (user !== undefined) return { nodeId, scope: "perUser", userId: user };
  return thread === undefined ? { nodeId } : { nodeId, scope: "perThread", threadId: thread };
}
