import type { Document } from "mongodb";
import type { CallContext } from "../../../core/runtime/call.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { ExactCollection } from "../../driver/exact-collection.js";
import { reading } from "../../driver/reads.js";
import { versionsCollectionName } from "../../history/version-collection.js";
import type { MemoriesContext } from "../memory-context.js";
import { addressProjection } from "./found-memories.js";
import { type FoundOwner, listAddresses, lookUpOwners } from "./found-owners.js";

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
