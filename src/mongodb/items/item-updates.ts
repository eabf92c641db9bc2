import type { Expiry } from "./expiry.js";
import type { ItemOperation, RankedFields } from "./item-document.js";
import { literals } from "../driver/records.js";
import type { CheckedOperation } from "../operations/checked-operation.js";

export type ItemPut = Extract<CheckedOperation, { kind: "putItem" }>;
export type ItemWrite = ItemPut | Extract<CheckedOperation, { kind: "deleteItem" }>;

/** The filter is the id alone, so that the server retries a racing first put instead of refusing it. */
export function createOperation(write: ItemWrite, ranked: RankedFields, expiry: Expiry, now: Date): ItemOperation {
  const filter = { _id: write.location.id };
  if (write.kind === "deleteItem") return { deleteOne: { filter } };
  const { ns, value, location } = write;
  const { namespace, key } = location;
  if (!expiry.configured) {
    const update = {
      $set: { value, updatedAt: now, ...ranked },
      $setOnInsert: { ns, key, createdAt: now },
      $unset: staleFields(ranked),
    };
    return { updateOne: { filter, update, upsert: true } };
  }
  const expiresAt = expiry.expiresAt(namespace, now);
  const fields = { ns, key, value, updatedAt: now, ...ranked, ...(expiresAt !== undefined && { expiresAt }) };
  return { updateOne: { filter, update: expiringUpdate(fields, now), upsert: true } };
}

/** Names the fields that an earlier configuration of the store may have written. */
function staleFields({ embedded, text }: RankedFields): Record<string, ""> {
  const stale: Record<string, ""> = { expiresAt: "" };
  if (embedded === undefined) stale["embedded"] = "";
  if (text === undefined) stale["text"] = "";
  return stale;
}

/** Replaces an expired item that is still stored by a new one. */
function expiringUpdate(fields: object, now: Date): object[] {
  const expired = { $and: [{ $eq: [{ $type: "$expiresAt" }, "date"] }, { $lte: ["$expiresAt", now] }] };
  const isNew = { $or: [{ $eq: [{ $type: "$createdAt" }, "missing"] }, expired] };
  const createdAt = { $cond: [isNew, now, "$createdAt"] };
  return [{ $replaceWith: { _id: "$_id", createdAt, ...literals(fields) } }];
}
