import type { CallContext } from "../../../core/runtime/call.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import { storageError, transactionError } from "../../driver/errors.js";
import { reading } from "../../driver/reads.js";
import { inTransaction } from "../../driver/transactions.js";
import { type Expression, literal, where } from "../documents/expressions.js";
import { legacyChangedSince } from "./edit-parts.js";
import { findHead } from "../reading/load.js";
import { wholePage } from "../reading/load-scope.js";
import { asRecord, flatFields, type MemoryDocument, snapshotOfDocument } from "../documents/page-document.js";
import { hasTransactions, lookUpPresent, type PagedMemory, prepare } from "../memory-context.js";
import { getHeadId } from "../documents/page-ids.js";

/**
 * Rewrites a head of an earlier release in the present form: flat fields, and on a server with transactions the `_id`.
 * @returns whether the head was of an earlier release
 * @throws ECONFLICT, ENOSPC
 */
export async function upgradeHead(memory: PagedMemory, call: CallContext): Promise<boolean> {
  await prepare(memory);
  let isUpgraded = false;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const head = await reading(() => findHead(memory, { ...wholePage, revision: 1 }, call));
    if (head === null) return isUpgraded;
    const isLegacy = head.revision === undefined;
    if (!isLegacy && (typeof head._id === "string" || !(await hasTransactions(memory)))) return isUpgraded;
    if (isLegacy ? await rewriteLegacy(memory, head, call) : await rewriteHeadId(memory, head, call)) isUpgraded = true;
    else await pause(attempt);
  }
  throw lostRace();
}

/**
 * Rewrites a document of the earlier system with flat fields. Its content stays the same.
 * @returns false if the document was changed meanwhile
 */
export async function rewriteLegacy(
  memory: PagedMemory,
  document: MemoryDocument,
  call: CallContext,
): Promise<boolean> {
  const fields = literal({ ...flatFields(snapshotOfDocument(document)), revision: 0 });
  const changed: Expression = { $or: legacyChangedSince(document) };
  const pipeline = [{ $replaceWith: where(changed, "$$ROOT", { $mergeObjects: ["$$ROOT", fields] }) }];
  try {
    const filter = lookUpPresent(memory);
    return (await memory.collection.updateOne(filter, pipeline, call)).modifiedCount > 0;
  } catch (error) {
    throw storageError(error, "write", null);
  }
}

/**
 * Gives a head whose `_id` is an ObjectId the `_id` of its address, in a transaction. The ObjectId stays the
 * incarnation, to which its versions belong.
 * @returns false if the head was changed meanwhile
 */
export async function rewriteHeadId(
  { client, collection, address }: PagedMemory,
  { _id, revision = 0 }: MemoryDocument,
  call: CallContext,
): Promise<boolean> {
  if (typeof _id === "string") return false;
  try {
    return await inTransaction(client, call, async (session) => {
      const head = await collection.findOneAndDelete<MemoryDocument>({ _id, revision }, call, { session });
      if (head === null) return false;
      await collection.insertMany([{ ...withRecords(head), _id: getHeadId(address), key: _id }], call, { session });
      return true;
    });
  } catch (error) {
    throw transactionError(error);
  }
}

/** Converts the fields as a command needs them. Reason: a file may have the name `_bsontype`, and the driver treats an object with this key as another type. */
function withRecords(head: MemoryDocument): MemoryDocument {
  const entries = Object.entries(head).map(([field, value]) => [field, asRecord(value)]);
  // The fields are the same.
  return Object.fromEntries(entries) as MemoryDocument;
}
