import { addressOrNull, type CheckedAddress, ownerFields } from "../../../core/values/address.js";
import { ROOT } from "../../../core/values/paths.js";
import { hashSha256 } from "../../../core/values/sha256.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { newChangeId } from "../change-id.js";

/*
 * The order of pages. `/` sorts before every other character, so a directory is followed by everything below it. No
 * path and no id contains these two characters.
 */
const separator = "\0";
const afterSeparator = "\u0001";

/** Returns the position of a path in the order of pages. The root is the first. */
export function getOrderKey(path: string): string {
  return path.slice(1).replaceAll("/", separator);
}

export function getPathAt(orderKey: string): string {
  return ROOT + orderKey.replaceAll(separator, "/");
}

/** Returns the first position below a directory. */
export function getStartBelow(path: string): string {
  return path === ROOT ? "" : getOrderKey(path) + separator;
}

/** Returns the first position after everything below a directory. Null: nothing follows. */
export function getEndBelow(path: string): string | null {
  return path === ROOT ? null : getOrderKey(path) + afterSeparator;
}

/** Compares as MongoDB compares texts, by UTF-8 bytes. */
export function compareKeys(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export function isBefore(a: string, b: string): boolean {
  return compareKeys(a, b) < 0;
}

/**
 * Returns the `_id` of the head of a memory. The owner comes first, so that the memories of a node lie on many shards.
 * The hash keeps addresses apart in a collection whose own collation takes `ACME` for `acme`: the index of `_id` always
 * has that collation.
 */
export function getHeadId(address: CheckedAddress): string {
  return getAddressPrefix(address) + separator;
}

/** Creates the `_id` of another page. It contains the incarnation, so no page is taken for one of a later memory. */
export function createPageId(headId: string, incarnation: string): string {
  return headId + incarnation + separator + newChangeId();
}

/** All pages of a memory except the head, by `_id`. */
export function getPagesRange(headId: string, incarnation: string): { $gte: string; $lt: string } {
  const prefix = headId + incarnation;
  return { $gte: prefix + separator, $lt: prefix + afterSeparator };
}

/** All documents of an address by `_id`, of every incarnation. */
export function getAddressRange(address: CheckedAddress): { $gte: string; $lt: string } {
  const prefix = getAddressPrefix(address);
  return { $gte: prefix + separator, $lt: prefix + afterSeparator };
}

/** All documents of a memory, or of a thread or user in all nodes, by `_id`. Null for other ranges. */
export function getIdRange(range: AddressRange): { $gte: string; $lt: string } | null {
  const { scope, nodeId } = range;
  const address = nodeId === undefined ? null : addressOrNull(range);
  if (address !== null) return getAddressRange(address);
  const field = ownerFields[scope];
  const owner = field === null ? undefined : range[field];
  if (nodeId !== undefined || owner === undefined) return null;
  const prefix = [owner, scope].join(afterSeparator);
  return { $gte: prefix + afterSeparator, $lt: prefix + String.fromCharCode(2) };
}

/** Returns the parts of the `_id` of a page that is not a head. */
export function parsePageId(id: string): { headId: string; incarnation: string } | null {
  const [address, incarnation, token] = id.split(separator, 3);
  if (address === undefined || incarnation === undefined || token === undefined) return null;
  return { headId: address + separator, incarnation };
}

const hashChars = 16;

function getAddressPrefix(address: CheckedAddress): string {
  const key = getAddressKey(address);
  return key + afterSeparator + hashSha256(key).slice(0, hashChars);
}

/** Returns a text that no other address has, for maps. */
export function getAddressKey(address: CheckedAddress): string {
  const field = ownerFields[address.scope];
  // The type of an address does not connect its scope with its owner.
  const owner = field === null ? "" : (address as Partial<Record<string, string>>)[field];
  return [owner ?? "", address.scope, address.nodeId].join(afterSeparator);
}
