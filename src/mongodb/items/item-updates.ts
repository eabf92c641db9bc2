import type { Expiry } from "./expiry.js";
import type { ItemOperation, RankedFields } from "./item-document.js";
import type { CheckedOperation } from "../operations/checked-operation.js";

export type ItemPut = Extract<CheckedOperation, { kind: "putItem" }>;
export type ItemWrite = ItemPut | Extract<CheckedOperation, { kind: "deleteItem" }>;

/** The filter is the id alone, so that the server retries a racing first put instead of refusing it. */
export function createOperation(write: ItemWrite, ranked: RankedFields, expiry: Expiry, now: Date): ItemOperation {
  const filter = { _id: write.location.id };
  if (write.kind === "deleteItem") return { deleteOne: { filter } };
  const { namespace, key } = write.location;
  const identity = { ns: write.ns, key };
  const changed = { value: write.value, updatedAt: now, ...ranked };
  if (!expiry.configured) return { updateOne: { filter, update: plainUpdate(identity, changed), upsert: true } };
  const expiresAt = expiry.expiresAt(namespace, now);
  const fields = { ...identity, ...changed, ...(expiresAt !== undefined && { expiresAt }) };
  return { updateOne: { filter, update: expiringUpdate(fields, now), upsert: true } };
}

/** Removes fields that an earlier configuration of the store may have written. */
function plainUpdate(identity: object, changed: RankedFields & { updatedAt: Date }): object {
  const stale: Record<string, ""> = { expiresAt: "" };
  if (changed.embedded === undefined) stale["embedded"] = "";
  if (changed.text === undefined) stale["text"] = "";
  return { $set: changed, $setOnInsert: { ...identity, createdAt: changed.updatedAt }, $unset: stale };
}

/** Replaces an expired item that is still stored by a new one. */
function expiringUpdate(fields: object, now: Date): object[] {
  const expired = { $and: [{ $eq: [{ $type: "$expiresAt" }, "date"] }, { $lte: ["$expiresAt", now] }] };
  const isNew = { $or: [{ $eq: [{ $type: "$createdAt" }, "missing"] }, expired] };
  const createdAt = { $cond: [isNew, now, "$createdAt"] };
  return [{ $replaceWith: { _id: "$_id", createdAt, ...literals(fields) } }];
}

/** Returns literal values for an aggregation, in which a text that begins with a dollar would name a field. */
export function literals(fields: object): Record<string, object> {
  return Object.fromEntries(Object.entries<unknown>({ ...fields }).map(([name, $literal]) => [name, { $literal }]));
}
