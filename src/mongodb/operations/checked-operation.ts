import { wrongArgument } from "../../core/settings/wrong-argument.js";
import { invalid } from "../../core/values/errors.js";
import { parseMemoryNamespace } from "../../core/values/namespace.js";
import { normalizePath, ROOT } from "../../core/values/paths.js";
import { preview, utf8Bytes } from "../../core/values/text.js";
import { type ItemFilter, parseFilter } from "./filters.js";
import { checkItemSize, describeType, encodeValue, maxItemBytes } from "./values.js";
import { checkLabels, checkNamespace } from "./check-namespace.js";
import type { MemoryLocation } from "./memory-location.js";
import { storedNamespace, createItemId } from "./namespaces.js";
import { isObject } from "../../core/values/unknown-values.js";

/** One item of the items collection. */
export interface ItemLocation {
  namespace: string[];
  key: string;
  /** Namespace and key in one string. */
  id: string;
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

/** The argument of `put`: which paths of a value are ranked. False for none, undefined for the paths of the store. */
export type PutIndex = false | readonly string[] | undefined;

/** Selects the texts for ranking an item. */
export interface TextIndexing {
  /** @param roomBytes by how many bytes the document of the item may still grow */
  selectTexts(value: Record<string, unknown>, index: PutIndex, roomBytes: number): string[];
  /** Returns by how many bytes the texts enlarge the document of the item. */
  sizeBytes(texts: readonly string[]): number;
}

export interface CheckedPut {
  location: ItemLocation;
  /** The namespace in one string. */
  ns: string;
  value: Record<string, unknown>;
  texts: string[];
}

/** A checked operation. It contains copies, so that later changes to the caller's objects have no effect. */
export type CheckedOperation =
  | { kind: "getItem"; location: ItemLocation }
  | { kind: "getMemory"; location: MemoryLocation }
  | ({ kind: "putItem" } & CheckedPut)
  | { kind: "deleteItem"; location: ItemLocation }
  | { kind: "putMemory"; location: MemoryLocation; content: string }
  | { kind: "deleteMemory"; location: MemoryLocation }
  | { kind: "search"; search: ItemSearch }
  | { kind: "listNamespaces"; listing: NamespaceListing };

/**
 * Makes all checks that need no database, before anything is read or written. LangGraph's wrapper calls only `batch`,
 * so `batch` makes all checks.
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
  const location = { namespace, key, id: createItemId(namespace, key) };
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
  const ns = storedNamespace(namespace);
  const otherBytes = utf8Bytes(id) + utf8Bytes(ns) + utf8Bytes(key);
  // The value is checked before its texts are selected, because the selection relies on plain data without cycles.
  const { value, sizeBytes } = encodeValue(given, otherBytes);
  // `encodeValue` accepts plain objects only.
  const texts = indexing?.selectTexts(given as Record<string, unknown>, index, maxItemBytes - sizeBytes) ?? [];
  if (indexing !== undefined && texts.length > 0) checkItemSize(sizeBytes + indexing.sizeBytes(texts));
  return { kind: "putItem", location, ns, value, texts };
}

function checkIndex(index: unknown): PutIndex {
  if (index === undefined || index === null) return undefined;
  if (index === false) return false;
  // A copy, because `every` skips the holes of a sparse array.
  const paths: unknown[] = Array.isArray(index) ? Array.from(index) : [null];
  if (paths.every((path): path is string => typeof path === "string")) return paths;
  throw new TypeError(`put: index must be false or an array of paths (given ${describeType(index)})`);
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
  const prefix = checkNamespace(namespacePrefix, { allowEmpty: true });
  if (query !== undefined && query !== null && typeof query !== "string") {
    throw new TypeError(`search: query must be a string (given ${describeType(query)})`);
  }
  const page = checkPage("search", limit ?? 10, offset);
  return { kind: "search", search: { prefix, filter: parseFilter(filter), query: query ?? "", ...page } };
}

const listingFields = new Set(["matchConditions", "maxDepth", "limit", "offset"]);

function checkListing(fields: Record<string, unknown>): CheckedOperation {
  // Unknown fields are ignored in every operation. An object of unknown fields only is not an operation.
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
  if (!Array.isArray(conditions)) throw wrongArgument("listNamespaces: matchConditions", "an array", conditions);
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
