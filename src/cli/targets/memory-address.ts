import type { MemoryAddress } from "../../core/values/address.js";

/** Whose memory of a node. Without a thread and a user, the one that all share. */
export interface TargetOwner {
  thread?: string | undefined;
  user?: string | undefined;
}

export function memoryAddress(nodeId: string, { thread, user }: TargetOwner): MemoryAddress {
  if (user !== undefined) return { nodeId, scope: "perUser", userId: user };
  return thread === undefined ? { nodeId } : { nodeId, scope: "perThread", threadId: thread };
}
