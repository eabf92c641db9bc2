import type { CheckedAddress } from "../../src/custom-backend/index.js";
import type { MemoryAddress, MemoryScope } from "../../src/index.js";

export const memoryScopes: readonly MemoryScope[] = ["global", "perThread", "perUser"];

/** Creates the address of a node's memory for a thread or a user. */
export function createAddress(nodeId: string, scope: MemoryScope, owner: string): CheckedAddress {
  if (scope === "global") return { nodeId, scope };
  return scope === "perThread" ? { nodeId, scope, threadId: owner } : { nodeId, scope, userId: owner };
}

/** Creates the namespace of a memory's items, as specification section 6 says. */
export function createNamespace(address: MemoryAddress): string[] {
  const { nodeId, scope = "global", ...owner } = address;
  const ids = Object.values(owner).map(encodeLabel);
  return ["memory", encodeLabel(nodeId), scope, ...ids];
}

function encodeLabel(id: string): string {
  return id.replaceAll("%", "%25").replaceAll(".", "%2E").replaceAll(":", "%3A");
}
