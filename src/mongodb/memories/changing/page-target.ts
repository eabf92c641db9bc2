import type { Change } from "../../../core/tree/change.js";
import { type Expression, literal, where, isPresent } from "../documents/expressions.js";
import type { PageForm } from "./change-pipeline.js";
import { type LoadedPage, isHead } from "../reading/load.js";
import type { MemoryDocument } from "../documents/page-document.js";
import { type KnownPage, lookUpPresent, type PagedMemory } from "../memory-context.js";
import { getEndBelow, getOrderKey } from "../documents/page-order.js";
import { createObjectId } from "../documents/page-ids.js";

/** The page that a command changes. */
export interface PageTarget extends PageForm {
  filter: object;
  isHead: boolean;
}

const isSeveral: Expression = isPresent("$hi");

/** The head of a memory that has no other page, as far as this process knows. An upsert may create it. */
export function targetHeadAlone(memory: PagedMemory): PageTarget {
  return {
    filter: lookUpPresent(memory),
    unless: [isSeveral],
    isAlone: true,
    isHead: true,
  };
}

/** A known page that covers the path of a change. */
export function targetKnownPage({ _id, lo }: KnownPage, change: Change): PageTarget {
  const end = change.type === "delete" ? getEndBelow(change.path) : null;
  const endsBefore: Expression =
    end === null ? { $lte: ["$hi", literal(getOrderKey(change.path))] } : { $lt: ["$hi", literal(end)] };
  const isRoot = change.type === "delete" && end === null;
  const unless: Expression = isRoot ? isSeveral : { $and: [isSeveral, endsBefore] };
  return { filter: { _id }, unless: [unless], isAlone: false, isHead: isHead({ lo }) };
}

/**
 * A page that was loaded, of the same incarnation of the memory. The change must check that nobody has changed it
 * since.
 * @param isPaged whether it is one of several
 */
export function targetLoadedPage(memory: PagedMemory, page: LoadedPage, isPaged: boolean): PageTarget {
  if (isPaged) return { filter: lookUpIncarnation(page), unless: [], isAlone: false, isHead: isHead(page) };
  const { key } = page;
  const filter = { ...lookUpPresent(memory), key };
  return { filter, unless: [isSeveral], isAlone: true, isHead: true };
}

/** Returns the address of a new head and its incarnation. The filter of the upsert has set its `_id`. */
export function createdFields({ clock, address }: PagedMemory): Expression {
  const key = { $toObjectId: createObjectId(clock()) };
  return where(isPresent("$nodeId"), {}, { $mergeObjects: [literal({ ...address }), { key }] });
}

/** A condition that finds one incarnation of a memory. */
export function lookUpIncarnation({ _id, key }: Pick<MemoryDocument, "_id" | "key">): object {
  return key === undefined ? { _id } : { _id, key };
}
