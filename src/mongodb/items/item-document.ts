import type { Item, SearchItem } from "@langchain/langgraph-checkpoint";
import type { AggregateOptions, Binary, IndexDescription } from "mongodb";
import type { ExactWrite } from "../driver/exact-collection.js";
import { decodeValue } from "../operations/values.js";
import { parseStoredNamespace } from "../operations/namespaces.js";

/** An item. Its namespace and key are its `_id`, so reads, ranges and upserts use the index that every collection has. */
export interface ItemDocument extends RankedFields {
  /** Namespace and key, sorted as the store sorts (`storedId`). */
  _id: string;
  /** The namespace alone, likewise (`storedNamespace`). */
  ns: string;
  key: string;
  value: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
  /** From this time on the item is gone, swept or not. Missing: never. */
  expiresAt?: Date;
}

/** A write of one item, or of several alike. */
export type ItemOperation = ExactWrite<ItemDocument>;

/** What an item is ranked by; in its own document, so that one write changes both or neither. */
export interface RankedFields {
  embedded?: EmbeddedTexts;
  /** What the text index covers. */
  text?: string;
}

export interface EmbeddedTexts {
  /** Of the texts in their order (`Embedder.hash`). */
  hashes: string[];
  /** By `vectorField` of the same position; float32 vectors of BSON (`packVector`). */
  vectors: Record<string, Binary | Uint8Array>;
}

/** A name rather than an array's position: search indexes of MongoDB see no vectors inside arrays. */
export const vectorField = (position: number): string => `text${position}`;

/**
 * Values as JavaScript's own, whatever the client's defaults are; stored 64-bit integers are the ones put as bigint.
 * The driver's default of `fieldsAsRaw` is an ordinary object, in which it finds a field called `constructor`.
 */
export const readOptions = {
  promoteValues: true,
  promoteLongs: true,
  promoteBuffers: true,
  useBigInt64: true,
  bsonRegExp: false,
  raw: false,
  // It has no type of its own.
  fieldsAsRaw: Object.create(null) as Record<string, boolean>,
} satisfies AggregateOptions;

export const defaultItemsCollection = "items";

/** Lists the namespaces that hold an item which has not expired. */
export const byNamespace = { name: "items_by_namespace", key: { ns: 1, expiresAt: 1 } } satisfies IndexDescription;

/** MongoDB deletes what expired, about once a minute. Sparse: items without an end have no entry. */
export const byExpiry = {
  name: "items_by_expiry",
  key: { expiresAt: 1 },
  expireAfterSeconds: 0,
  sparse: true,
} satisfies IndexDescription;

export function parseItem({ ns, key, value, createdAt, updatedAt }: ItemDocument): Item {
  return { value: decodeValue(value), key, namespace: parseStoredNamespace(ns), createdAt, updatedAt };
}

/** As a search without a ranking answers: the reference has the field, undefined, which its own type does not allow. */
export function withoutScore(item: Item): SearchItem {
  const searchItem: Item & { score: undefined } = Object.assign({}, item, { score: undefined });
  return searchItem as Item;
}
