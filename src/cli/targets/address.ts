import type { CheckedAddress, MemoryAddress } from "../../core/values/address.js";

/** The owner of a node's memory. If thread and user are missing, all share the memory. */
export interface TargetOwner {
  thread?: string | undefined;
  user?: string | undefined;
}

export function createAddress(nodeId: string, { thread, user }: TargetOwner): MemoryAddress {
  if (user !== undefined) return { nodeId, scope: "perUser", userId: user };
  return thread === undefined ? { nodeId } : { nodeId, scope: "perThread", threadId: thread };
}

/** Returns the name of a memory in messages. */
export function formatAddress(address: CheckedAddress): string {
  const node = `node ${JSON.stringify(address.nodeId)}`;
  if (address.scope === "global") return node;
  return address.scope === "perThread"
    ? `${node}, thread ${JSON.stringify(address.threadId)}`
    : `${node}, user ${JSON.stringify(address.userId)}`;
}
