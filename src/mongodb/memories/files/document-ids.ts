import { type CheckedAddress, type MemoryScope, ownerOf } from "../../../core/values/address.js";
import { ROOT } from "../../../core/values/paths.js";
import type { StoredDocument, StoredFile } from "./stored-document.js";

/*
 * The `_id` of a document is `<memory> NUL <parent directory> NUL <name>`; that of a memory's root is `<memory> NUL`.
 * So the children of a directory lie side by side, and all of a memory does. Neither ids nor paths hold control
 * characters, so nothing needs an escape.
 */

const separator = "\0";
/** What comes right after the separator in every order, and after nothing else of ours. */
const afterSeparator = "\u0001";

const scopeLetters = { global: "g", perThread: "t", perUser: "u" } as const satisfies Record<MemoryScope, string>;

/** A range of ids: from the first, up to the second and without it. */
export interface IdRange {
  $gte: string;
  $lt: string;
}

/**
 * What the ids of all documents of a memory begin with. No two memories have the same, and none begins with that of
 * another.
 */
export function memoryKeyOf(address: CheckedAddress): string {
  const owner = ownerOf(address);
  return [scopeLetters[address.scope], address.nodeId, ...(owner === null ? [] : [owner])].join(afterSeparator);
}

/** The `_id` of a file or a directory. */
export function idOfPath(memoryKey: string, path: string): string {
  if (path === ROOT) return rootIdOf(memoryKey);
  const end = path.lastIndexOf("/");
  return memoryKey + separator + path.slice(0, end) + separator + path.slice(end + 1);
}

/** Where a file lies, as its document has it. MongoDB takes what `_` joins for one word. */
export function placeOfFile(memoryKey: string, path: string): Pick<StoredFile, "_id" | "memory" | "pathText"> {
  return { _id: idOfPath(memoryKey, path), memory: memoryKey, pathText: path.replaceAll("_", " ") };
}

/** The same document at another path. */
export function movedDocument(memoryKey: string, document: StoredDocument, path: string): StoredDocument {
  return document.kind === "file"
    ? { ...document, ...placeOfFile(memoryKey, path) }
    : { ...document, _id: idOfPath(memoryKey, path) };
}

/** The `_id` of the memory's own document, which is its root directory. */
export function rootIdOf(memoryKey: string): string {
  return memoryKey + separator;
}

export function pathOfId(memoryKey: string, id: string): string {
  const place = id.slice(memoryKey.length + separator.length);
  return place === "" ? ROOT : place.replace(separator, "/");
}

/** What an `_id` begins with, to tell the memories of a longer range apart. */
export function memoryKeyOfId(id: string): string {
  return id.slice(0, id.indexOf(separator));
}

/** The immediate children of a directory. */
export function childrenOf(memoryKey: string, directory: string): IdRange {
  const start = memoryKey + separator + parentText(directory);
  return { $gte: start + separator, $lt: start + afterSeparator };
}

/** All that lies below a directory, in two ranges at most. */
export function rangesBelow(memoryKey: string, directory: string): IdRange[] {
  if (directory === ROOT) return [{ $gte: memoryKey + separator + separator, $lt: memoryKey + afterSeparator }];
  const start = memoryKey + separator + directory;
  // "0" is what comes right after "/".
  return [childrenOf(memoryKey, directory), { $gte: `${start}/`, $lt: `${start}0` }];
}

/** All documents of a memory. */
export function rangeOfMemory(memoryKey: string): IdRange {
  return { $gte: memoryKey + separator, $lt: memoryKey + afterSeparator };
}

/** The text by which the children of a directory name it. */
function parentText(directory: string): string {
  return directory === ROOT ? "" : directory;
}
