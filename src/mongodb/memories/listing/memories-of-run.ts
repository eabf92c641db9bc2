import type { Document } from "mongodb";
import type { CallContext } from "../../../core/runtime/call.js";
import { addressOrNull, type CheckedAddress } from "../../../core/values/address.js";
import { compareCodeUnits } from "../../../core/values/text.js";
import { ExactCollection } from "../../driver/exact-collection.js";
import { reading } from "../../driver/reads.js";
import { versionsCollectionName } from "../../history/version-collection.js";
import { getAddressKey, parseHeadId } from "../documents/page-ids.js";
import type { MemoriesContext } from "../memory-context.js";
import { addressProjection, storedAddress } from "./found-memories.js";

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
  for (const { _id, owner, ...fields } of found) {
    // Only the first page of a memory has the fields of the address, but the ids of all pages begin with it.
    const address = addressOrNull(storedAddress(owner ?? fields)) ?? parseHeadId(_id);
    if (address !== null) addresses.set(getAddressKey(address), address);
  }
  return [...addresses].toSorted(([a], [b]) => compareCodeUnits(a, b)).map(([, address]) => address);
}

/**
 * Finds the memories whose history has versions of a run. An index finds the versions in their collection. For those
 * that have not left their pages, the server reads all pages: an index would cost each change.
 */
export async function findMemoriesOfRun(
  { db, collection: { name } }: MemoriesContext,
  runId: string,
  call: CallContext,
): Promise<CheckedAddress[]> {
  const versionsName = versionsCollectionName(name);
  const find = (collectionName: string, pipeline: Document[]): Promise<FoundOwner[]> =>
    reading(() => new ExactCollection(db.collection(collectionName)).aggregate<FoundOwner>(pipeline, call).toArray());
  const pages = await find(name, [{ $match: { "outbox.actor.runId": runId } }, { $project: addressProjection }]);
  const versions = await find(versionsName, [{ $match: { "actor.runId": runId } }, ...lookUpOwners(versionsName)]);
  return listAddresses([...pages, ...versions]);
}
