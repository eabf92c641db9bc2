import type { CheckedAddress } from "../../core/values/address.js";
import { invalid } from "../../core/values/errors.js";
import { preview } from "../../core/values/preview.js";
import { parseMemoryNamespace } from "../../core/values/namespace.js";
import { normalizePath, ROOT } from "../../core/values/paths.js";
import { utf8Bytes } from "../../core/values/text.js";
import { type ItemFilter, parseFilter } from "./filters.js";
import { checkItemSize, describeType, encodeValue, maxItemBytes } from "./values.js";
import { checkLabels, checkNamespace, storedNamespace, storedId } from "./namespaces.js";
import { isObject } from "../../core/values/unknown-values.js";

/** One item of the items collection. */
export interface ItemLocation {
  namespace: string[];
  key: string;
  /** The same in one string. */
  id: string;
}

/** A file or directory of a memory; the path is null where no memory can have it. */
export interface MemoryLocation {
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

export interface ItemSearch extends Page {
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

/** As `put` takes it: which paths of a value are ranked by; false for none, undefined for those of the store. */
export type PutIndex = false | readonly string[] | undefined;

/** What an item is ranked by. */
export interface TextIndexing {
  /** @param roomBytes what the item's document may still grow by */
  selectTexts(value: Record<string, unknown>, index: PutIndex, roomBytes: number): string[];
  /** What the texts add to the item's document. */
  sizeBytes(texts: readonly string[]): number;
}

/** An operation after checking; what each carries is ours, so later changes of the caller's objects do nothing. */
export type CheckedOperation =
  | { kind: "getItem"; location: ItemLocation }
  | { kind: "getMemory"; location: MemoryLocation }
  | { kind: "putItem"; location: ItemLocation; value: Record<string, unknown>; texts: string[] }
  | { kind: "deleteItem"; location: ItemLocation }
  | { kind: "putMemory"; location: MemoryLocation; content: string }
  | { kind: "deleteMemory"; location: MemoryLocation }
  | { kind: "search"; search: ItemSearch }
  | { kind: "listNamespaces"; listing: NamespaceListing };

/**
 * Everything that can be refused without asking the database is refused here, before anything is read or written.
 * LangGraph's wrapper calls `batch` only, so all checks are made for it.
 * @throws InvalidNamespaceError, MemoryError EINVAL, EFBIG, TypeError
 */
export function checkOperation(operation: unknown, indexing?: TextIndexing): CheckedOperation {
  if (!isObject(operation)) {
    throw new TypeError(`an operation must be an object (given ${describeType(operation)})`);
  }
  const fields = operation;
  if ("namespacePrefix" in fields) return checkSearch(fields);
  if (!("namespace" in fields)) return checkListing(fields);
  const namespace = checkNamespace(fields["namespace"]);
  const key = checkKey(fields["key"]);
  const address = parseMemoryNamespace(namespace);
  if (address !== null) {
    const location = { address, namespace, key, ...parseMemoryKey(key) };
    return "value" in fields ? checkMemoryWrite(location, fields["value"]) : { kind: "getMemory", location };
  }
  const location = { namespace, key, id: storedId(namespace, key) };
  if (!("value" in fields)) return { kind: "getItem", location };
  if (fields["value"] === null) return { kind: "deleteItem", location };
  return checkPut(location, fields["value"], checkIndex(fields["index"]), indexing);
}

function checkPut(
  location: ItemLocation,
  given: unknown,
  index: PutIndex,
  indexing: TextIndexing | undefined,
): CheckedOperation {
  const { id, namespace, key } = location;
  const otherBytes = utf8Bytes(id) + utf8Bytes(storedNamespace(namespace)) + utf8Bytes(key);
  // Checked before its texts are selected, which relies on plain data without cycles.
  const { value, sizeBytes } = encodeValue(given, otherBytes);
  // `encodeValue` takes plain objects only.
  const texts = indexing?.selectTexts(given as Record<string, unknown>, index, maxItemBytes - sizeBytes) ?? [];
  if (indexing !== undefined && texts.length > 0) checkItemSize(sizeBytes + indexing.sizeBytes(texts));
  return { kind: "putItem", location, value, texts };
}

function checkIndex(index: unknown): PutIndex {
  if (index === undefined || index === null) return undefined;
  if (index === false) return false;
  // A copy, as `every` passes over the holes of a sparse array.
  const paths: unknown[] = Array.isArray(index) ? Array.from(index) : [null];
  if (paths.every((path): path is string => typeof path === "string")) return paths;
  throw new TypeError(`put: index must be false or an array of paths (given ${describeType(index)})`);
}

/** By their namespaces, as each memory has one. */
export function groupedByMemory<T extends { namespace: string[] }>(elements: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const element of elements) {
    const id = JSON.stringify(element.namespace);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [element]);
    else group.push(element);
  }
  return groups;
}

function checkKey(key: unknown): string {
  if (typeof key !== "string") throw invalid(`an item's key must be a string (given ${describeType(key)})`);
  if (!key.isWellFormed()) throw invalid("an item's key must be well-formed Unicode (it holds a lone surrogate)");
  return key;
}

function parseMemoryKey(key: string): Pick<MemoryLocation, "path" | "kind"> {
  const kind = key.endsWith("/") ? "dir" : "file";
  const path = kind === "dir" ? key.slice(0, -1) : key;
  try {
    return { kind, path: path !== ROOT && normalizePath(path) === path ? path : null };
  } catch {
    return { kind, path: null };
  }
}

function checkMemoryWrite(location: MemoryLocation, value: unknown): CheckedOperation {
  if (value === null) return { kind: "deleteMemory", location };
  const { content, ...others } = encodeValue(value, 0).value;
  if (typeof content !== "string" || Object.keys(others).length > 0) {
    throw invalid("an item of a memory is a text file: its value must be { content: string }");
  }
  if (location.path === null || location.kind === "dir") {
    throw invalid('the key of a memory\'s file must be its normalised absolute path, such as "/notes/today"');
  }
  return { kind: "putMemory", location, content };
}

function checkSearch(fields: Record<string, unknown>): CheckedOperation {
  const { namespacePrefix, filter, limit, offset, query } = fields;
  if (query !== undefined && query !== null && typeof query !== "string") {
    throw new TypeError(`search: query must be a string (given ${describeType(query)})`);
  }
  const prefix = checkNamespace(namespacePrefix, { allowEmpty: true });
  const page = checkPage("search", limit ?? 10, offset);
  return { kind: "search", search: { prefix, filter: parseFilter(filter), query: query ?? "", ...page } };
}

const listingFields = new Set(["matchConditions", "maxDepth", "limit", "offset"]);

function checkListing(fields: Record<string, unknown>): CheckedOperation {
  // As in every operation unknown fields are ignored; but an object of unknown fields alone is no operation.
  const names = Object.keys(fields);
  if (names.length > 0 && !names.some((name) => listingFields.has(name))) {
    throw new TypeError(`not an operation of a store: unknown field ${preview(names[0])}`);
  }
  const { matchConditions, maxDepth, limit, offset } = fields;
  if (maxDepth !== undefined && maxDepth !== null && !isCount(maxDepth, 1)) {
    throw new TypeError(
      `listNamespaces: maxDepth must be a whole number of at least 1 (given ${describeNumber(maxDepth)})`,
    );
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
    const { matchType, path } = isObject(condition) ? condition : {};
    if (matchType !== "prefix" && matchType !== "suffix") {
      throw new TypeError(`listNamespaces: matchType must be "prefix" or "suffix" (given ${describeType(matchType)})`);
    }
    return { matchType, path: checkLabels(path) };
  });
}

function checkPage(operation: string, limit: unknown, offset: unknown): Page {
  const start = offset ?? 0;
  const expected = "must be a whole number of at least 0";
  if (!isCount(limit, 0)) throw new TypeError(`${operation}: limit ${expected} (given ${describeNumber(limit)})`);
  if (!isCount(start, 0)) throw new TypeError(`${operation}: offset ${expected} (given ${describeNumber(start)})`);
  return { limit, offset: start };
}

function isCount(value: unknown, least: number): value is number {
  return typeof value === "number" && value >= least && (Number.isInteger(value) || value === Infinity);
}

function describeNumber(value: unknown): string {
  return typeof value === "number" ? String(value) : describeType(value);
}
