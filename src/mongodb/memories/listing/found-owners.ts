import type { Document } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import { compareCodeUnits } from "../../../core/values/text.js";
import { getAddressKey } from "../documents/page-ids.js";
import { parseAddress } from "./found-memories.js";

/** A page of a memory, or the document that names the owner of versions. */
export type FoundOwner = Partial<Record<"nodeId" | "scope" | "threadId" | "userId", string>> & {
  _id: unknown;
  /** The document that names the owner of versions. */
  owner?: Omit<FoundOwner, "owner">;
};

/** Replaces versions by the owners of their memories. */
export function lookUpOwners(versionsName: string): Document[] {
  return [
    { $group: { _id: { $first: { $split: ["$_id", "."] } } } },
    { $lookup: { from: versionsName, localField: "_id", foreignField: "_id", as: "owner" } },
    { $project: { owner: { $first: "$owner" } } },
  ];
}

/** Returns the addresses, each once and in the order of their keys. */
export function listAddresses(found: readonly FoundOwner[]): CheckedAddress[] {
  const addresses = new Map<string, CheckedAddress>();
  for (const each of found) {
    const address = parseAddress(each.owner ?? each);
    if (address !== null) addresses.set(getAddressKey(address), address);
  }
  return [...addresses].toSorted(([a], [b]) => compareCodeUnits(a, b)).map(([, address]) => address);
}
