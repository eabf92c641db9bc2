import type { Expiry } from "./expiry.js";
import type { ItemOperation, RankedFields } from "./item-document.js";
import { storedNamespace } from "../operations/namespaces.js";
import type { CheckedOperation } from "../operations/checked-operation.js";

export type ItemPut = Extract<CheckedOperation, { kind: "putItem" }>;
export type ItemWrite = ItemPut | Extract<CheckedOperation, { kind: "deleteItem" }>;

/** The filter is the id alone: so a racing first put is retried by the server, never refused. */
export function createOperation(write: ItemWrite, ranked: RankedFields, expiry: Expiry, now: Date): ItemOperation {
  const filter = { _id: write.location.id };
  if (write.kind === "deleteItem") return { deleteOne: { filter } };
  const { namespace, key } = write.location;
  const identity = { ns: storedNamespace(namespace), key };
  const changed = { value: write.value, updatedAt: now, ...ranked };
  if (!expiry.configured) return { updateOne: { filter, update: plainUpdate(identity, changed), upsert: true } };
  const expiresAt = expiry.expiresAt(namespace, now);
  const fields = { ...identity, ...changed, ...(expiresAt !== undefined && { expiresAt }) };
  return { updateOne: { filter, update: expiringUpdate(fields, now), upsert: true } };
}

/** Fields that an earlier configuration may have stored are removed with the old value. */
function plainUpdate(identity: object, changed: RankedFields & { updatedAt: Date }): object {
  const optional = { expiresAt: "", embedded: "", text: "" };
  const stale = Object.entries(optional).filter(([field]) => !Object.hasOwn(changed, field));
  return {
    $set: changed,
    $setOnInsert: { ...identity, createdAt: changed.updatedAt },
    $unset: Object.fromEntries(stale),
  };
}

/** An expired item that is still stored is replaced by a new one. */
function expiringUpdate(fields: object, now: Date): object[] {
  const expired = { $and: [{ $eq: [{ $type: "$expiresAt" }, "date"] }, { $lte: ["$expiresAt", now] }] };
  const isNew = { $or: [{ $eq: [{ $type: "$createdAt" }, "missing"] }, expired] };
  const createdAt = { $cond: [isNew, now, "$createdAt"] };
  return [{ $replaceWith: { _id: "$_id", createdAt, ...literals(fields) } }];
}

/** The values of an aggregation, in which a text that begins with a dollar would name a field. */
export function literals(fields: object): Record<string, object> {
  return Object.fromEntries(Object.entries<unknown>({ ...fields }).map(([name, $literal]) => [name, { $literal }]));
}
