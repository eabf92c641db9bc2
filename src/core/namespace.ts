import { addressOrNull, type CheckedAddress } from "./address.js";

/** First label of every memory's namespace in a BaseStore (specification section 6). */
export const memoryRootLabel = "memory";

/** Where a memory's items lie in a BaseStore. `.` and `:` are percent-encoded because LangGraph refuses them in labels. */
export function namespaceOfMemory(address: CheckedAddress): string[] {
  const node = [memoryRootLabel, encodeLabel(address.nodeId), address.scope];
  return address.scope === "perThread" ? [...node, encodeLabel(address.threadId)] : node;
}

/** The memory whose items lie in exactly this namespace, or null where no memory has it. */
export function addressOfNamespace(namespace: readonly string[]): CheckedAddress | null {
  const [root, node, scope, thread, ...rest] = namespace;
  if (root !== memoryRootLabel || node === undefined || rest.length > 0) return null;
  const nodeId = decodeLabel(node);
  if (nodeId === null) return null;
  if (scope === "global" && thread === undefined) return addressOrNull({ nodeId, scope });
  if (scope !== "perThread" || thread === undefined) return null;
  const threadId = decodeLabel(thread);
  return threadId === null ? null : addressOrNull({ nodeId, scope, threadId });
}

export function encodeLabel(id: string): string {
  return id.replaceAll("%", "%25").replaceAll(".", "%2E").replaceAll(":", "%3A");
}

/** Null for what `encodeLabel` never makes, so that each memory has one namespace only. */
function decodeLabel(label: string): string | null {
  const id = label.replaceAll("%2E", ".").replaceAll("%3A", ":").replaceAll("%25", "%");
  return encodeLabel(id) === label ? id : null;
}
