import type { ClientSession, ObjectId } from "mongodb";
import { type CallContext, createUnlimitedCall } from "../../../core/runtime/call.js";
import { retryLostRace } from "../../../core/runtime/lost-race.js";
import { memoryScopes, ownerFields } from "../../../core/values/address.js";
import { MemoryError } from "../../../core/values/errors.js";
import { getField } from "../../../core/values/unknown-values.js";
import { isPlainObject } from "../../operations/values.js";
import { storageError, transactionError } from "../../driver/errors.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import { reading } from "../../driver/reads.js";
import { createRecord } from "../../driver/records.js";
import { inTransaction } from "../../driver/transactions.js";
import { hasTransactions, type PagedMemory } from "../memory-context.js";
import { type Expression, literal } from "./expressions.js";
import { asRecord, flatFields, type MemoryDocument, snapshotOfDocument } from "./page-document.js";
import { getHeadId } from "./page-ids.js";

/*
 * Heads of earlier forms have an ObjectId as `_id`. Those of the earlier system also have nested objects in `data`, and
 * no `revision`. Commands find heads by their present `_id` only, so a store refuses a collection with an earlier head.
 */

type EarlierDocument = Omit<MemoryDocument, "_id" | "data" | "dirs"> & { _id: ObjectId } & Partial<
    Record<"data" | "dirs", object>
  >;

/** Matches heads of earlier forms. */
const isEarlier = { _id: { $type: "objectId" }, nodeId: { $exists: true } };

/** True for a head that must be rewritten. One without an address is a copy that an interrupted rewrite has left. */
export const isOutdated: Expression = {
  $or: [{ $eq: [{ $type: "$_id" }, "objectId"] }, { $eq: [{ $type: "$nodeId" }, "missing"] }],
};

const mostLookedAt = 20;

/** Looks at the documents with the highest ids that are no texts. @throws MemoryError EIO */
export async function refuseEarlierDocuments(collection: ExactCollection<MemoryDocument>): Promise<void> {
  const anyText = { $type: "string" };
  const hasAddress = memoryScopes.map((scope) => {
    const ownerField = ownerFields[scope];
    return { scope, nodeId: anyText, ...(ownerField !== null && { [ownerField]: anyText }) };
  });
  const pipeline = [
    { $match: { _id: isEarlier._id } },
    { $sort: { _id: -1 } },
    { $limit: mostLookedAt },
    { $match: { $or: hasAddress } },
    { $project: { _id: 1 } },
  ];
  const found = await reading(() => collection.aggregate(pipeline, createUnlimitedCall()).toArray());
  if (found.length > 0) throw earlierFormat(collection);
}

/**
 * Refuses to create a head beside an earlier one of the same address.
 * @param duplicate the error of the attempt. If the `_id` was there already, the head is of the present form
 * @throws MemoryError EIO
 */
export async function refuseEarlierHead(
  { collection, address }: PagedMemory,
  duplicate: unknown,
  call: CallContext,
): Promise<void> {
  if (getField(getField(duplicate, "keyPattern"), "_id") !== undefined) return;
  const found = await reading(() => collection.findOne({ ...isEarlier, ...address }, call, { projection: { _id: 1 } }));
  if (found !== null) throw earlierFormat(collection);
}

function earlierFormat({ name }: ExactCollection<MemoryDocument>): MemoryError {
  return new MemoryError(
    "EIO",
    `EIO: the collection ${name} contains memories of an earlier format; rewrite them with the command ` +
      "`langgraph-mongo-memory migrate earlier-format`",
  );
}

/**
 * Rewrites the head of a memory in the present form. Its ObjectId becomes the incarnation, to which its versions belong.
 * In a transaction where there are some. Elsewhere a copy without an address comes first, so that no crash loses a text.
 * @returns whether the head was of an earlier form
 * @throws ECONFLICT, ENOSPC
 */
export async function rewriteEarlierHead(memory: PagedMemory, call: CallContext): Promise<boolean> {
  try {
    if (await hasTransactions(memory))
      return await inTransaction(
        memory.client,
        call,
        async (session) => (await rewriteHead(memory, call, session)) === "made",
      );
    return await retryLostRace(async () => {
      const outcome = await rewriteHead(memory, call);
      return outcome === "lost" ? undefined : outcome === "made";
    });
  } catch (error) {
    throw (await hasTransactions(memory)) ? transactionError(error) : storageError(error, "write", null);
  }
}

async function rewriteHead(
  { collection, address, clock }: PagedMemory,
  call: CallContext,
  session?: ClientSession,
): Promise<"made" | "present" | "lost"> {
  const options = session === undefined ? {} : { session };
  const copy = { _id: getHeadId(address), nodeId: null };
  const nameOwner = async (): Promise<"made" | "present"> =>
    (await collection.updateOne(copy, { $set: address }, call, options)).modifiedCount > 0 ? "made" : "present";
  const earlier = await collection.findOne<EarlierDocument>({ ...isEarlier, ...address }, call, options);
  if (earlier === null) return nameOwner();
  const fields = literal(toPresentFields(earlier, clock()));
  await collection.updateOne(copy, [{ $replaceWith: fields }], call, { ...options, upsert: true });
  const { _id, revision } = earlier;
  const same = revision === undefined ? { _id, $expr: hasContent(earlier) } : { _id, revision };
  return (await collection.deleteMany(same, call, options)) === 0 ? "lost" : nameOwner();
}

/** A document of the earlier system has no revision to compare. */
function hasContent({ data, dirs }: EarlierDocument): Expression {
  const isSame = (field: string, value: unknown): Expression =>
    value === undefined ? { $eq: [{ $type: field }, "missing"] } : { $eq: [field, literal(asRecord(value))] };
  return { $and: [isSame("$revision", undefined), isSame("$data", data), isSame("$dirs", dirs)] };
}

/** Returns the present form of a document, without its address. */
function toPresentFields(earlier: EarlierDocument, now: Date): ReadonlyMap<string, unknown> {
  const { nodeId: _nodeId, scope: _scope, threadId: _threadId, userId: _userId, _id: key, ...fields } = earlier;
  const { revision = 0, createdAt = key.getTimestamp(), updatedAt } = earlier;
  const { data, dirs, meta } = flatten(earlier, { createdAt, updatedAt: updatedAt ?? createdAt });
  const own = { ...fields, key, data, dirs, meta, revision, createdAt, updatedAt: updatedAt ?? now };
  return createRecord(Object.entries(own).map(([name, value]) => [name, asRecord(value)]));
}

/** Converts nested objects, each of which is a directory. */
function flatten(
  { data, dirs, meta = {} }: EarlierDocument,
  times: Record<"createdAt" | "updatedAt", Date>,
): ReturnType<typeof flatFields> {
  const texts: [string, string][] = [];
  const directories: [string, true][] = [];
  const visit = (record: object, prefix: string): void => {
    for (const [name, value] of Object.entries<unknown>({ ...record })) {
      const key = prefix + name;
      if (typeof value === "string") texts.push([key, value]);
      else directories.push([key, true]);
      if (isPlainObject(value)) visit(value, `${key}.`);
    }
  };
  visit(dirs ?? {}, "");
  visit(data ?? {}, "");
  const known = new Map(Object.entries<Partial<typeof times>>(meta));
  return flatFields(
    snapshotOfDocument({
      data: Object.fromEntries(texts),
      dirs: Object.fromEntries(directories),
      meta: Object.fromEntries(texts.map(([key]) => [key, { ...times, ...known.get(key) }])),
    }),
  );
}
