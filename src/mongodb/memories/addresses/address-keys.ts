import { type MemoryScope, type OwnerField, ownerFields } from "../../../core/values/address.js";
import type { AddressRange } from "./address-ranges.js";

/** The keys of the index that finds a memory by its address, for each scope. */
export const addressKeys = {
  global: { nodeId: 1, scope: 1 },
  perThread: { nodeId: 1, scope: 1, threadId: 1 },
  perUser: { nodeId: 1, scope: 1, userId: 1 },
} as const satisfies Record<MemoryScope, Record<string, 1>>;

/**
 * The keys of the indexes that find the memories of a thread or a user in all nodes. They contain texts
 * only.
 */
export const ownerKeys = {
  threadId: { threadId: 1, nodeId: 1 },
  userId: { userId: 1, nodeId: 1 },
} as const satisfies Record<OwnerField, Record<string, 1>>;

/** The thread or user of a range of memories. */
export interface RangeOwner {
  field: OwnerField;
  id: string;
}

/** The index of owners contains texts only, and the server uses it only if the filter requires a text too. */
export function rangeFilter(range: AddressRange): Record<string, unknown> {
  const owner = ownerOfAnyNode(range);
  return owner === null ? { ...range } : { ...range, [owner.field]: { $eq: owner.id, $type: "string" } };
}

/** Returns the thread or user whose memories of all nodes are in the range. Null if the range is of another kind. */
export function ownerOfAnyNode(range: AddressRange): RangeOwner | null {
  const field = ownerFields[range.scope];
  const id = field === null ? undefined : range[field];
  return field === null || id === undefined || range.nodeId !== undefined ? null : { field, id };
}
