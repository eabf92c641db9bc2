import type { CallContext } from "../../../core/runtime/call.js";
import { randomBytes } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { pendingVersions } from "../../history/flush.js";
import { literal } from "../expressions.js";
import type { MovingMemory } from "../contract/layout.js";
import { alreadyThere } from "../moves/moved-memory.js";
import { type DocumentContext, presentLookUp } from "./document-context.js";
import { type DocumentMark, flatFields, isMark, lookUp, type MemoryDocument, ofMark } from "./document.js";
import { presentMemory } from "./outbox/outbox-source.js";

const mark: DocumentMark = { revision: { moved: true } };

/**
 * One command reads the document and replaces it by the forwarding record. Changes that arrive later wait for the end
 * of the transaction. The record keeps the id: by this id, a concurrent move of recorded changes into the collection of
 * versions sees that the memory was not forgotten.
 */
export async function leaveDocument(
  context: DocumentContext,
  address: CheckedAddress,
  session: ClientSession,
  call: CallContext,
): Promise<MovingMemory | null> {
  const filter = { ...presentLookUp(context, address), revision: { $not: ofMark } };
  const update = [{ $replaceWith: { $mergeObjects: [literal({ ...address, ...mark }), { _id: "$_id" }] } }];
  const document = await context.collection.findOneAndUpdate<MemoryDocument>(
    filter,
    update,
    {
      session,
      ...asPlainValues,
    },
    call,
  );
  if (document === null) return null;
  const history = await readHistory(context, address, document, session, call);
  const createdAt = document.createdAt ?? document._id.getTimestamp();
  const { applied, revision = 0 } = document;
  // A memory without a time of the last change does not expire until it is changed. This move changes it.
  const updatedAt = document.updatedAt ?? context.clock();
  return {
    tree: presentMemory(document, address).tree,
    createdAt,
    updatedAt,
    ...(applied && { applied }),
    revision,
    history,
  };
}

/** Reads the history, and stores changes that have not become versions yet as versions in the same step. */
async function readHistory(
  context: DocumentContext,
  address: CheckedAddress,
  document: MemoryDocument,
  session: ClientSession,
  call: CallContext,
): Promise<MovingMemory["history"]> {
  const present = presentMemory(document, address);
  const { versions } = context;
  const { versionsExpireAt } = document;
  if (present.changes.length === 0)
    return document.hasVersions === true
      ? { id: present.memory, ...(versionsExpireAt && { expiresAt: versionsExpireAt }) }
      : null;
  const expiresAt = context.expiry.versionsExpireAt(address.scope, context.clock())?.expiresAt;
  const expiry = expiresAt && { expiresAt };
  const documents = (await pendingVersions(present, versions, call)).map((version) => ({ ...version, ...expiry }));
  await versions.insertMissingIn(
    session,
    [...(present.owner ? [{ ...present.owner, ...expiry }] : []), ...documents],
    call,
  );
  const first =
    expiresAt !== undefined && versionsExpireAt !== undefined && versionsExpireAt < expiresAt
      ? versionsExpireAt
      : expiresAt;
  return { id: present.memory, ...(first && { expiresAt: first }) };
}

/** Creates the document with a higher revision than the address ever had here, so that earlier reads are outdated. */
export async function arriveInDocument(
  { collection }: DocumentContext,
  address: CheckedAddress,
  memory: MovingMemory,
  session: ClientSession,
  call: CallContext,
): Promise<void> {
  const { tree, createdAt, updatedAt, applied, revision, history } = memory;
  const found = await collection.findOne<Pick<MemoryDocument, "_id" | "revision">>(
    lookUp(address),
    {
      projection: { revision: 1 },
      session,
      ...asPlainValues,
    },
    call,
  );
  if (found !== null && !isMark(found)) throw alreadyThere("document");
  const recorded = history && {
    outbox: [],
    hasVersions: true,
    ...(history.expiresAt && { versionsExpireAt: history.expiresAt }),
  };
  const document = {
    ...address,
    ...flatFields(tree),
    revision: revision + 1,
    createdAt,
    updatedAt,
    ...(applied && { applied }),
    ...recorded,
  };
  const kept = found === null ? undefined : String(found._id);
  // The versions contain this id. A new ObjectId is written as text, because its class would load the driver.
  const id = history?.id ?? kept ?? randomBytes(12).toString("hex");
  if (kept !== undefined && kept !== id) await collection.deleteOne({ _id: found?._id }, { session }, call);
  const update = [{ $replaceWith: { $mergeObjects: [literal(document), { _id: { $toObjectId: id } }] } }];
  await collection.findOneAndUpdate(lookUp(address), update, { upsert: true, projection: { _id: 1 }, session }, call);
}

/** Expired memories count as nothing. */
export async function lookForDocument(
  context: DocumentContext,
  address: CheckedAddress,
  session: ClientSession,
  call: CallContext,
): Promise<"memory" | "mark" | "nothing"> {
  const found = await context.collection.findOne<Pick<MemoryDocument, "revision">>(
    presentLookUp(context, address),
    {
      projection: { revision: 1 },
      session,
      ...asPlainValues,
    },
    call,
  );
  if (found === null) return "nothing";
  return isMark(found) ? "mark" : "memory";
}
