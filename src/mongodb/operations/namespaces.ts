import { compareCodeUnits } from "../../core/values/text.js";

const separator = "\0";
/** The character after the separator: the upper bound for namespaces that begin with the same labels. */
const afterSeparator = "\u0001";

/** Returns namespace and key in one string, unique for each item. Its code units sort by namespace, then by key. */
export function sortKey(namespace: readonly string[], key: string): string {
  return namespace.join(separator) + separator + separator + key;
}

export function compareNamespaces(a: readonly string[], b: readonly string[]): number {
  return compareCodeUnits(a.join(separator), b.join(separator));
}

/** Returns the `_id` of an item: its sort key, encoded so that the server sorts it by code units. */
export function createItemId(namespace: readonly string[], key: string): string {
  return encodeSortable(sortKey(namespace, key));
}

/** Returns the namespace in one string, encoded in the same way. */
export function storedNamespace(namespace: readonly string[]): string {
  return encodeSortable(namespace.join(separator));
}

export function parseStoredNamespace(stored: string): string[] {
  return decodeSortable(stored).split(separator);
}

/** Bounds of stored strings for a query on the server. */
export interface StoredRange {
  $gt?: string;
  $gte?: string;
  $lt?: string;
}

/** Returns the range of the ids of all items at or below a namespace. */
export function idsWithin(prefix: readonly string[]): StoredRange {
  const { $gte, $lt } = namespacesWithin(prefix);
  return $gte === undefined || $lt === undefined ? {} : { $gte: $gte + separator, $lt };
}

/** Returns the range of the namespace and all namespaces below it. */
export function namespacesWithin(prefix: readonly string[]): StoredRange {
  if (prefix.length === 0) return {};
  const stored = storedNamespace(prefix);
  return { $gte: stored, $lt: stored + afterSeparator };
}

/**
 * MongoDB sorts strings by UTF-8 bytes, this store by UTF-16 code units. The only difference: in bytes, astral
 * characters, which are surrogate pairs in UTF-16, come after U+E000-U+FFFF. So these characters are prefixed with the
 * last astral character, and that character itself is followed by a 0.
 */
const lastCharacter = "\u{10FFFF}";
const lastCharacterItself = `${lastCharacter}0`;

function encodeSortable(text: string): string {
  if (!hasLateCharacter(text)) return text;
  return text.replace(/[\uE000-\uFFFF\u{10FFFF}]/gu, (character) =>
    character === lastCharacter ? lastCharacterItself : lastCharacter + character,
  );
}

/** Whether a character may need a prefix. Reason: for a short text the loop takes a tenth of the expression. */
function hasLateCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) >= 0xdbff) return true;
  return false;
}

function decodeSortable(stored: string): string {
  if (!stored.includes(lastCharacter)) return stored;
  return stored.replace(/\u{10FFFF}([0\uE000-\uFFFF])/gu, (_, marked: string) =>
    marked === "0" ? lastCharacter : marked,
  );
}
