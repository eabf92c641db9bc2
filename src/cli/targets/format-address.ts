import type { CheckedAddress } from "../../core/values/address.js";

/** Returns the name of a memory in messages. */
export function formatAddress(address: CheckedAddress): string {
  const node = `node ${JSON.stringify(address.nodeId)}`;
  if (address.scope === "global") return node;
  return address.scope === "perThread"
    ? `${node}, thread ${JSON.stringify(address.threadId)}`
    : `${node}, user ${JSON.stringify(address.userId)}`;
}
