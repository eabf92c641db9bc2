import { isMemoryScope, type MemoryScope, memoryScopes, ownerFields } from "../../../core/values/address.js";
import { parseMemoryNamespace, memoryRootLabel } from "../../../core/values/namespace.js";

/** The memories of one scope, in all nodes or in one, of all threads or users or of one. */
export interface AddressRange {
  scope: MemoryScope;
  nodeId?: string;
  threadId?: string;
  userId?: string;
}

/** Returns the ranges of memories whose namespaces can be at or below `prefix`: none, or one for each scope. */
export function addressRangesWithin(prefix: readonly string[]): AddressRange[] {
  const [root, node, scope, ...rest] = prefix;
  if (root !== undefined && root !== memoryRootLabel) return [];
  const exact = parseMemoryNamespace(prefix);
  if (exact !== null) return [{ ...exact }];
  if (node === undefined) return memoryScopes.map((each) => ({ scope: each }));
  const ofNode = parseMemoryNamespace([memoryRootLabel, node, "global"]);
  if (ofNode === null || rest.length > 0) return [];
  const { nodeId } = ofNode;
  if (scope === undefined) return memoryScopes.map((each) => ({ nodeId, scope: each }));
  return isMemoryScope(scope) && ownerFields[scope] !== null ? [{ nodeId, scope }] : [];
}

/** Whether the namespace of a memory can be at or below `prefix`. */
export function mayHoldMemories(prefix: readonly string[]): boolean {
  return addressRangesWithin(prefix).length > 0;
}
