import { type MemoryScope, type OwnerField, ownerFields } from "../../../core/values/address.js";
import type { AddressRange } from "./address-ranges.js";
import type { PageEnd } from "./summary-pages.js";

/** By which a layout indexes the documents that say whose a memory is, for each scope. */
export const addressKeys = {
  global: { nodeId: 1, scope: 1 },
  perThread: { nodeId: 1, scope: 1, threadId: 1 },
  perUser: { nodeId: 1, scope: 1, userId: 1 },
} as const satisfies Record<MemoryScope, Record<string, 1>>;

/** By which it finds those of a thread or a user, across nodes. The index holds texts only. */
export const ownerKeys = {
  threadId: { threadId: 1, nodeId: 1 },
  userId: { userId: 1, nodeId: 1 },
} as const satisfies Record<OwnerField, Record<string, 1>>;

/** Whether the range is one memory. */
export function isAddress(range: AddressRange): boolean {
  const ownerField = ownerFields[range.scope];
  return range.nodeId !== undefined && (ownerField === null || range[ownerField] !== undefined);
}

/** The index of owners holds texts only, and serves a filter that says so too. */
export function rangeFilter(range: AddressRange): Record<string, unknown> {
  const ownerField = ownerOfAnyNode(range);
  return ownerField === null ? { ...range } : { ...range, [ownerField]: { $eq: range[ownerField], $type: "string" } };
}

/** The thread or user whose memories of all nodes are meant; null where none is. */
export function ownerOfAnyNode(range: AddressRange): OwnerField | null {
  const ownerField = ownerFields[range.scope];
  return range.nodeId === undefined && ownerField !== null && range[ownerField] !== undefined ? ownerField : null;
}

/** The order of the index that serves a range. */
export function getIndexOrder(range: AddressRange): Record<string, 1> {
  const ownerField = ownerOfAnyNode(range);
  return ownerField === null ? addressKeys[range.scope] : ownerKeys[ownerField];
}

/**
 * What comes after in the order of the index, as parts of it that each lie in one piece. Ids that are no texts are none
 * of ours.
 */
export function filtersAfter(range: AddressRange, after: PageEnd | null): Record<string, unknown>[] {
  const ownerField = ownerFields[range.scope];
  const filter = rangeFilter(range);
  const openOwner = ownerField !== null && range[ownerField] === undefined ? ownerField : null;
  const anyOwner = openOwner === null ? {} : { [openOwner]: { $gt: "" } };
  const ofOtherNodes = { ...filter, nodeId: { $gt: after?.nodeId ?? "" }, ...anyOwner };
  if (openOwner === null) return range.nodeId === undefined ? [ofOtherNodes] : after === null ? [filter] : [];
  const ofSameNode = {
    ...filter,
    nodeId: after?.nodeId ?? range.nodeId,
    [openOwner]: { $gt: after?.[openOwner] ?? "" },
  };
  if (range.nodeId !== undefined) return [ofSameNode];
  return after === null ? [ofOtherNodes] : [ofSameNode, ofOtherNodes];
}
