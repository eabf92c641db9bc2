import type { Expiry } from "./expiry.js";
import type { ItemOperation, RankedFields } from "./item-document.js";
import { storedNamespace } from "../places/namespaces.js";
import type { CheckedOperation } from "../places/operations.js";

export type ItemPut = Extract<CheckedOperation, { kind: "putItem" }>;
export type ItemWrite = ItemPut | Extract<CheckedOperation, { kind: "deleteItem" }>;

/** The filter is the id alone: so a racing first put is retried by the server, never refused. */
export function bulkOperation(
  write: ItemWrite,
  ranked: RankedFields | undefined,
  expiry: Expiry,
  now: Date,
): ItemOperation {
  const filter = { _id: write.place.id };
  if (write.kind === "deleteItem") return { deleteOne: { filter } };
  if (!expiry.configured) return { updateOne: { filter, update: plainUpdate(write, ranked, now), upsert: true } };
  const expiresAt = expiry.expiresAt(write.place.namespace, now);
  return { updateOne: { filter, update: updateOfExpiring(write, ranked, expiresAt, now), upsert: true } };
}

/** What only some configurations store. */
const optionalFields = { expiresAt: "", embedded: "", text: "" };

/** What an earlier configuration stored beside the old value goes with it. */
function plainUpdate({ place, value }: ItemPut, ranked: RankedFields | undefined, now: Date): object {
  const stale =
    ranked === undefined
      ? optionalFields
      : Object.fromEntries(Object.entries(optionalFields).filter(([field]) => !Object.hasOwn(ranked, field)));
  return {
    $set: { value, updatedAt: now, ...ranked },
    $setOnInsert: { ns: storedNamespace(place.namespace), key: place.key, createdAt: now },
    $unset: stale,
  };
}

/** What it replaces may have expired and be there still; then this is a new item. */
function updateOfExpiring(
  { place, value }: ItemPut,
  ranked: RankedFields | undefined,
  expiresAt: Date | undefined,
  now: Date,
): object[] {
  const expired = { $and: [{ $eq: [{ $type: "$expiresAt" }, "date"] }, { $lte: ["$expiresAt", now] }] };
  const isNew = { $or: [{ $eq: [{ $type: "$createdAt" }, "missing"] }, expired] };
  const given = { ns: storedNamespace(place.namespace), key: place.key, value, updatedAt: now, ...ranked };
  const fields = Object.entries(expiresAt === undefined ? given : { ...given, expiresAt });
  return [
    {
      $replaceWith: {
        _id: "$_id",
        createdAt: { $cond: [isNew, now, "$createdAt"] },
        ...Object.fromEntries(fields.map(([name, field]) => [name, { $literal: field }])),
      },
    },
  ];
}
