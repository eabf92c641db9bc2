import { invalid } from "../../core/values/errors.js";
import { callMethod, hasMethod, isRecord, toRecord } from "../../core/values/unknown-values.js";
import { createNote, type MoveInEntry, type MoveInNote, type MoveInSource } from "../entry.js";

/** An item of a store. */
export interface StoreItem {
  kind: "item";
  namespace: readonly string[];
  key: string;
  value: Record<string, unknown>;
  createdAt: unknown;
  updatedAt: unknown;
}

const pageSize = 500;

/**
 * Reads the items of a BaseStore, or of the collection of a MongoDBStore, whose namespaces begin with the given labels.
 * @throws MemoryError EINVAL for another source
 */
export async function* readItems(
  source: MoveInSource,
  namespace: readonly string[],
): AsyncGenerator<StoreItem | MoveInNote> {
  const labels = namespace.map((label, index) => [`namespace.${index}`, label] as const);
  const found = hasMethod(source, "batch")
    ? searchAll(source, namespace)
    : findDocuments(source, Object.fromEntries(labels));
  let number = 0;
  for await (const item of found) {
    number += 1;
    const read = toItem(item);
    // Some stores compare namespaces as texts: then "ada" begins "adam" too.
    if (read !== null && namespace.some((label, index) => read.namespace[index] !== label)) continue;
    yield read ?? createNote(`item ${number}`, "it is not an item of a store");
  }
}

async function* searchAll(store: MoveInSource, namespace: readonly string[]): AsyncGenerator {
  for (let offset = 0; ; offset += pageSize) {
    const items: unknown = await callMethod(store, "search", [...namespace], { limit: pageSize, offset });
    if (!Array.isArray(items)) return;
    yield* items;
    if (items.length < pageSize) return;
  }
}

/** A stream of bytes has a method of this name, too. */
export function isCollection(source: MoveInSource): boolean {
  return hasMethod(source, "find") && typeof source === "object" && !(Symbol.asyncIterator in source);
}

const withoutVectors = { projection: { embedding: 0 } };

/** Reads the documents of a collection, without their vectors. @throws MemoryError EINVAL for another source */
export function findDocuments(collection: MoveInSource, filter: object): AsyncIterable<unknown> {
  const cursor = isCollection(collection) ? callMethod(collection, "find", filter, withoutVectors) : null;
  if (typeof cursor === "object" && cursor !== null && Symbol.asyncIterator in cursor)
    return cursor as AsyncIterable<unknown>;
  throw invalid("the source must be a BaseStore or a collection of MongoDB");
}

function toItem(found: unknown): StoreItem | null {
  const { namespace, key, value, createdAt, updatedAt } = toRecord(found);
  const isItem =
    Array.isArray(namespace) && namespace.every((label) => typeof label === "string") && typeof key === "string";
  return isItem && isRecord(value) ? { kind: "item", namespace, key, value, createdAt, updatedAt } : null;
}

/** Items of a store belong to several users, and only the namespace that the program names says to whom. */
export function getOwner(namespace: readonly string[]): Pick<MoveInEntry, "userId"> {
  return namespace.length === 0 ? { userId: null } : {};
}
