import type { CheckedAddress } from "../../core/values/address.js";
import { invalid } from "../../core/values/errors.js";
import { preview } from "../../core/settings/options.js";
import { addressOfNamespace } from "../../core/values/namespace.js";
import { normalizePath, ROOT } from "../../core/values/paths.js";
import { utf8Bytes } from "../../core/values/text.js";
import { type ItemFilter, parseFilter } from "./filters.js";
import type { PutIndex, TextIndexing } from "./text-indexing.js";
import { checkItemSize, kindOf, maxItemBytes, sizedValue, storableValue } from "./values.js";
import { checkLabels, checkNamespace, storedNamespace, storedPlace } from "./namespaces.js";

/** One item of the items collection. */
export interface ItemPlace {
  namespace: string[];
  key: string;
  /** The same in one string. */
  id: string;
}

/** A file or directory of a memory; the path is null where no memory can have it. */
export interface MemoryPlace {
  address: CheckedAddress;
  namespace: string[];
  key: string;
  path: string | null;
  kind: "file" | "dir";
}

export interface Page {
  offset: number;
  limit: number;
}

export interface Search extends Page {
  prefix: string[];
  filter: ItemFilter;
  /** Empty: nothing is ranked. */
  query: string;
}

export interface NamespaceMatch {
  matchType: "prefix" | "suffix";
  path: string[];
}

export interface NamespaceListing extends Page {
  matches: NamespaceMatch[];
  maxDepth: number;
}

/** An operation after checking; what each carries is ours, so later changes of the caller's objects do nothing. */
export type CheckedOperation =
  | { kind: "getItem"; place: ItemPlace }
  | { kind: "getMemory"; place: MemoryPlace }
  | { kind: "putItem"; place: ItemPlace; value: Record<string, unknown>; texts: string[] }
  | { kind: "deleteItem"; place: ItemPlace }
  | { kind: "putMemory"; place: MemoryPlace; content: string }
  | { kind: "deleteMemory"; place: MemoryPlace }
  | { kind: "search"; search: Search }
  | { kind: "listNamespaces"; listing: NamespaceListing };

/**
 * Everything that can be refused without asking the database is refused here, before anything is read or written.
 * LangGraph's wrapper calls `batch` only, so all checks are made for it.
 * @throws InvalidNamespaceError, MemoryError EINVAL, EFBIG, TypeError
 */
export function checkOperation(operation: unknown, indexing?: TextIndexing): CheckedOperation {
  if (typeof operation !== "object" || operation === null) {
    throw new TypeError(`an operation must be an object (given ${kindOf(operation)})`);
  }
  const fields = operation as Record<string, unknown>;
  if ("namespacePrefix" in fields) return checkSearch(fields);
  if (!("namespace" in fields)) return checkListing(fields);
  const namespace = checkNamespace(fields["namespace"]);
  const key = checkKey(fields["key"]);
  const address = addressOfNamespace(namespace);
  if (address !== null) {
    const place = { address, namespace, key, ...memoryPath(key) };
    return "value" in fields ? checkMemoryWrite(place, fields["value"]) : { kind: "getMemory", place };
  }
  const place = { namespace, key, id: storedPlace(namespace, key) };
  if (!("value" in fields)) return { kind: "getItem", place };
  if (fields["value"] === null) return { kind: "deleteItem", place };
  return checkPut(place, fields["value"], checkIndex(fields["index"]), indexing);
}

function checkPut(
  place: ItemPlace,
  given: unknown,
  index: PutIndex,
  indexing: TextIndexing | undefined,
): CheckedOperation {
  const { id, namespace, key } = place;
  const otherBytes = utf8Bytes(id) + utf8Bytes(storedNamespace(namespace)) + utf8Bytes(key);
  // Checked before its texts are looked for, which relies on plain data without cycles.
  const { value, sizeBytes } = sizedValue(given, otherBytes);
  const texts = indexing?.textsOf(given as Record<string, unknown>, index, maxItemBytes - sizeBytes) ?? [];
  if (indexing !== undefined && texts.length > 0) checkItemSize(sizeBytes + indexing.sizeBytes(texts));
  return { kind: "putItem", place, value, texts };
}

function checkIndex(index: unknown): PutIndex {
  if (index === undefined || index === null) return undefined;
  if (index === false) return false;
  // A copy, as `every` passes over the holes of a sparse array.
  const paths: unknown[] = Array.isArray(index) ? Array.from(index as unknown[]) : [null];
  if (paths.every((path): path is string => typeof path === "string")) return paths;
  throw new TypeError(`put: index must be false or an array of paths (given ${kindOf(index)})`);
}

/** By their namespaces: places of one memory have one. */
export function groupedByMemory<Place extends { namespace: string[] }>(places: readonly Place[]): Map<string, Place[]> {
  const groups = new Map<string, Place[]>();
  for (const place of places) {
    const id = JSON.stringify(place.namespace);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [place]);
    else group.push(place);
  }
  return groups;
}

function checkKey(key: unknown): string {
  if (typeof key !== "string") throw invalid(`an item's key must be a string (given ${kindOf(key)})`);
  if (!key.isWellFormed()) throw invalid("an item's key must be well-formed Unicode (it holds a lone surrogate)");
  return key;
}

function memoryPath(key: string): Pick<MemoryPlace, "path" | "kind"> {
  const kind = key.endsWith("/") ? "dir" : "file";
  const path = kind === "dir" ? key.slice(0, -1) : key;
  try {
    return { kind, path: path !== ROOT && normalizePath(path) === path ? path : null };
  } catch {
    return { kind, path: null };
  }
}

function checkMemoryWrite(place: MemoryPlace, value: unknown): CheckedOperation {
  if (value === null) return { kind: "deleteMemory", place };
  const { content, ...others } = storableValue(value, 0);
  if (typeof content !== "string" || Object.keys(others).length > 0) {
    throw invalid("an item of a memory is a text file: its value must be { content: string }");
  }
  if (place.path === null || place.kind === "dir") {
    throw invalid('the key of a memory\'s file must be its normalised absolute path, such as "/notes/today"');
  }
  return { kind: "putMemory", place, content };
}

function checkSearch(fields: Record<string, unknown>): CheckedOperation {
  const { namespacePrefix, filter, limit, offset, query } = fields;
  if (query !== undefined && query !== null && typeof query !== "string") {
    throw new TypeError(`search: query must be a string (given ${kindOf(query)})`);
  }
  const prefix = checkNamespace(namespacePrefix, { allowEmpty: true });
  const page = checkPage("search", limit ?? 10, offset);
  return { kind: "search", search: { prefix, filter: parseFilter(filter), query: query ?? "", ...page } };
}

const listingFields = new Set(["matchConditions", "maxDepth", "limit", "offset"]);

function checkListing(fields: Record<string, unknown>): CheckedOperation {
  // A foreign field is passed over, as in every operation; but it alone, such as a misspelt `namespace`, asks for
  // nothing.
  const names = Object.keys(fields);
  if (names.length > 0 && !names.some((name) => listingFields.has(name))) {
    throw new TypeError(`not an operation of a store: unknown field ${preview(names[0])}`);
  }
  const { matchConditions, maxDepth, limit, offset } = fields;
  if (maxDepth !== undefined && maxDepth !== null && !isCount(maxDepth, 1)) {
    throw new TypeError(`listNamespaces: maxDepth must be a whole number of at least 1 (given ${shown(maxDepth)})`);
  }
  const listing = {
    matches: checkMatches(matchConditions ?? []),
    maxDepth: typeof maxDepth === "number" ? maxDepth : Infinity,
    ...checkPage("listNamespaces", limit ?? Infinity, offset),
  };
  return { kind: "listNamespaces", listing };
}

function checkMatches(conditions: unknown): NamespaceMatch[] {
  if (!Array.isArray(conditions)) throw new TypeError("listNamespaces: matchConditions must be an array");
  return conditions.map((condition: unknown) => {
    const { matchType, path } = (condition ?? {}) as Record<string, unknown>;
    if (matchType !== "prefix" && matchType !== "suffix") {
      throw new TypeError(`listNamespaces: matchType must be "prefix" or "suffix" (given ${kindOf(matchType)})`);
    }
    return { matchType, path: checkLabels(path) };
  });
}

function checkPage(operation: string, limit: unknown, offset: unknown): Page {
  const start = offset ?? 0;
  const expected = "must be a whole number of at least 0";
  if (!isCount(limit, 0)) throw new TypeError(`${operation}: limit ${expected} (given ${shown(limit)})`);
  if (!isCount(start, 0)) throw new TypeError(`${operation}: offset ${expected} (given ${shown(start)})`);
  return { limit, offset: start };
}

function isCount(value: unknown, least: number): value is number {
  return typeof value === "number" && value >= least && (Number.isInteger(value) || value === Infinity);
}

function shown(value: unknown): string {
  return typeof value === "number" ? String(value) : kindOf(value);
}
