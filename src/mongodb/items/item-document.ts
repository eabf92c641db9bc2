import type { Item, SearchItem } from "@langchain/langgraph-checkpoint";
import type { AggregateOptions, Binary, IndexDescription } from "mongodb";
import type { ExactWrite } from "../driver/exact-collection.js";
import { decodeValue } from "../operations/values.js";
import { parseStoredNamespace } from "../operations/namespaces.js";

/**
 * An item. The `_id` contains its namespace and key, so reads, ranges and upserts use the index that every collection
 * has.
 */
export interface ItemDocument extends RankedFields {
  /** Namespace and key, encoded to sort in the order of the store (`storedId`). */
  _id: string;
  /** The namespace alone, encoded in the same way (`storedNamespace`). */
  ns: string;
  key: string;
  value: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
  /** From this time on the item is gone, even if MongoDB has not deleted it yet. Absent: never. */
  expiresAt?: Date;
}

/** A write of one item, or of several items in the same way. */
export type ItemOperation = ExactWrite<ItemDocument>;

/** The fields for ranking an item. They are in its own document, so that one write changes both or neither. */
export interface RankedFields {
  embedded?: EmbeddedTexts;
  /** The text that the text index covers. */
  text?: string;
}

export interface EmbeddedTexts {
  /** Hashes of the texts in their order (`Embedder.hash`). */
  hashes: string[];
  /** The float32 vectors of BSON (`packVector`), by the `vectorField` of their position. */
  vectors: Record<string, Binary | Uint8Array>;
}

/** Returns a field name, because search indexes of MongoDB see no vectors inside arrays. */
export const vectorField = (position: number): string => `text${position}`;

/**
 * Reads values as JavaScript's own, whatever the defaults of the client are. Stored 64-bit integers were put as bigint.
 * The default of the driver for `fieldsAsRaw` is an ordinary object, in which the driver finds a field called
 * `constructor`.
 */
export const readOptions = {
  promoteValues: true,
  promoteLongs: true,
  promoteBuffers: true,
  useBigInt64: true,
  bsonRegExp: false,
  raw: false,
  // `Object.create` returns `any`.
  fieldsAsRaw: Object.create(null) as Record<string, boolean>,
} satisfies AggregateOptions;

export const defaultItemsCollection = "items";

/** Lists the namespaces with an item that has not expired. */
export const byNamespace = { name: "items_by_namespace", key: { ns: 1, expiresAt: 1 } } satisfies IndexDescription;

/** MongoDB deletes expired items, about once a minute. Sparse: items that never expire have no entry. */
export const byExpiry = {
  name: "items_by_expiry",
  key: { expiresAt: 1 },
  expireAfterSeconds: 0,
  sparse: true,
} satisfies IndexDescription;

export function parseItem({ ns, key, value, createdAt, updatedAt }: ItemDocument): Item {
  return { value: decodeValue(value), key, namespace: parseStoredNamespace(ns), createdAt, updatedAt };
}

/**
 * Returns the form of a search result without a ranking. The reference has the field `score`, undefined, which its own
 * type does not allow.
 */
export function withoutScore(item: Item): SearchItem {
  const searchItem: Item & { score: undefined } = Object.assign({}, item, { score: undefined });
  return searchItem as Item;
}
