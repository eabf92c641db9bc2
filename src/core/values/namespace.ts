import { addressOrNull, type CheckedAddress, isMemoryScope, ownerFields, getOwner } from "./address.js";

/** First label of every memory's namespace in a BaseStore (specification section 6). */
export const memoryRootLabel = "memory";

/**
 * Returns the namespace of a memory's items in a BaseStore. `.` and `:` are percent-encoded, because LangGraph refuses
 * them in labels.
 */
export function getMemoryNamespace(address: CheckedAddress): string[] {
  const owner = getOwner(address);
  return [memoryRootLabel, encodeLabel(address.nodeId), address.scope, ...(owner === null ? [] : [encodeLabel(owner)])];
}

/** Returns the address of the memory whose items have exactly this namespace, or null if no memory has it. */
export function parseMemoryNamespace(namespace: readonly string[]): CheckedAddress | null {
  if (namespace[0] !== memoryRootLabel || namespace.length > 4) return null;
  const [, node, scope, label] = namespace;
  if (node === undefined || !isMemoryScope(scope)) return null;
  const nodeId = decodeLabel(node);
  if (nodeId === null) return null;
  const field = ownerFields[scope];
  if (field === null) return label === undefined ? addressOrNull({ nodeId, scope }) : null;
  const owner = label === undefined ? null : decodeLabel(label);
  return owner === null ? null : addressOrNull({ nodeId, scope, [field]: owner });
}

function encodeLabel(id: string): string {
  return id.replaceAll("%", "%25").replaceAll(".", "%2E").replaceAll(":", "%3A");
}

/** Returns null for a label that `encodeLabel` never creates, so that each memory has only one namespace. */
function decodeLabel(label: string): string | null {
  const id = label.replaceAll("%2E", ".").replaceAll("%3A", ":").replaceAll("%25", "%");
  return encodeLabel(id) === label ? id : null;
}
