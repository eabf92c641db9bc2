import type { Change } from "../../../core/tree/change.js";
import { type Expression, literal, where } from "../documents/expressions.js";
import type { PageForm } from "./change-pipeline.js";
import { type LoadedPage, isHead } from "../reading/load.js";
import { lookUp, type MemoryDocument } from "../documents/page-document.js";
import { type KnownPage, lookUpPresent, type PagedMemory } from "../memory-context.js";
import { getEndBelow, getOrderKey } from "../documents/page-order.js";
import { getHeadId, createObjectId } from "../documents/page-ids.js";

/** The page that a command changes. */
export interface PageTarget extends PageForm {
  filter: object;
  isHead: boolean;
}

const isSeveral: Expression = { $gt: ["$hi", null] };

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
  const { _id, key } = page;
  const filter = { ...lookUpPresent(memory), ...(key === undefined ? { _id } : { key }) };
  return { filter, unless: [isSeveral], isAlone: true, isHead: true };
}

/**
 * Returns the fields of a new head: its `_id`, its incarnation, and on a sharded collection its address. Elsewhere the
 * filter of the upsert has set the address.
 */
export function createdFields({ server, clock, address }: PagedMemory): Expression {
  const key = { $toObjectId: createObjectId(clock()) };
  return server.isSharded
    ? where(isMissing("$nodeId"), { $mergeObjects: [literal(lookUp(address)), { key }] }, {})
    : where(isMissing("$_id"), { _id: literal(getHeadId(address)), key }, {});
}

function isMissing(field: string): Expression {
  return { $eq: [{ $type: field }, "missing"] };
}

/** A condition that finds one incarnation of a memory. */
export function lookUpIncarnation({ _id, key }: Pick<MemoryDocument, "_id" | "key">): object {
  return key === undefined ? { _id } : { _id, key };
}
