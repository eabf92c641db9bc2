import { randomUUID } from "node:crypto";
import { addressOrNull, type CheckedAddress, ownerFields } from "../../../core/values/address.js";
import { hashSha256 } from "../../../core/values/sha256.js";
import type { AddressRange } from "../addresses/address-ranges.js";
import { afterSeparator, separator } from "./page-order.js";

/**
 * Returns the `_id` of the head of a memory. The owner comes first, so that the memories of a node are on many shards.
 * The hash keeps addresses apart in a collection whose own collation takes `ACME` for `acme`: the index of `_id` always
 * has that collation.
 */
export function getHeadId(address: CheckedAddress): string {
  return getAddressPrefix(address) + separator;
}

/** Creates the `_id` of another page. It contains the incarnation, so no page is taken for one of a later memory. */
export function createPageId(headId: string, incarnation: string): string {
  return headId + incarnation + separator + createToken();
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
  const address = addressOrNull(range);
  if (address !== null) return getAddressRange(address);
  const field = ownerFields[scope];
  const owner = field === null ? undefined : range[field];
  if (nodeId !== undefined || owner === undefined) return null;
  const prefix = [owner, scope].join(afterSeparator);
  return { $gte: prefix + afterSeparator, $lt: prefix + String.fromCharCode(2) };
}

/** Returns the parts of the `_id` of a page that is not a head. */
export function parsePageId(id: string): { headId: string; incarnation: string; token: string } | null {
  const [address, incarnation, token] = id.split(separator, 3);
  if (address === undefined || incarnation === undefined || token === undefined) return null;
  return { headId: address + separator, incarnation, token };
}

/** Returns the address in the `_id` of any page. Null for other ids. */
export function parseHeadId(id: unknown): CheckedAddress | null {
  const [owner, scope, nodeId] = typeof id === "string" ? id.split(afterSeparator) : [];
  if (scope === "global") return addressOrNull({ nodeId, scope });
  return addressOrNull({ nodeId, scope, [scope === "perUser" ? "userId" : "threadId"]: owner });
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

const hexDigitsOfTime = 8;

/** Creates the digits of an ObjectId without the driver, which this package does not load. */
export function createObjectId(time: Date): string {
  const seconds = Math.max(0, Math.floor(time.getTime() / 1000)) % 2 ** 32;
  return seconds.toString(16).padStart(hexDigitsOfTime, "0") + createToken();
}

/**
 * Creates a text that is unique, for a change or a page. Random, because times repeat: clients have different clocks,
 * and two changes can be made in one millisecond. No ObjectId, because this package would then load the driver. Node
 * makes UUIDs in advance; other random bytes take ten times as long. These 64 bits of a UUID are all random.
 */
export function createToken(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(28);
}
