import type { Item } from "@langchain/langgraph-checkpoint";
import type { AggregateOptions, Binary } from "mongodb";
import type { ExactWrite } from "../driver/exact-collection.js";
import { restoredValue } from "../places/values.js";
import { namespaceFrom } from "../places/namespaces.js";

/** An item; its place is in `_id`, so reads, ranges and upserts all go by the index that every collection has. */
export interface ItemDocument extends RankedFields {
  /** Namespace and key, sorted as the store sorts (`storedPlace`). */
  _id: string;
  /** The namespace alone, likewise (`storedNamespace`). */
  ns: string;
  key: string;
  value: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
  /** From this moment on the item is gone, swept or not. Missing: never. */
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
  /** Of the texts in their order (`Embedder.hashOf`). */
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
  fieldsAsRaw: Object.create(null) as Record<string, boolean>,
} satisfies AggregateOptions;

export function itemFromDocument({ ns, key, value, createdAt, updatedAt }: ItemDocument): Item {
  return { value: restoredValue(value), key, namespace: namespaceFrom(ns), createdAt, updatedAt };
}
