import { type CheckedAddress, type MemoryScope, getOwner } from "../../../core/values/address.js";
import { ROOT } from "../../../core/values/paths.js";
import type { MemorySnapshot } from "../../../core/tree/snapshot.js";

/*
 * The `_id` of a document is `<memory> NUL <parent directory> NUL <name>`; the `_id` of the root of a memory is
 * `<memory> NUL`. So the children of a directory are adjacent, and so are all documents of a memory. Neither ids nor
 * paths contain control characters, so no escapes are needed.
 */

const separator = "\0";
/** The next character after the separator in every sort order. */
const afterSeparator = "\u0001";

const scopeLetters = { global: "g", perThread: "t", perUser: "u" } as const satisfies Record<MemoryScope, string>;

/** A range of ids that includes the first id and excludes the second. */
export interface IdRange {
  $gte: string;
  $lt: string;
}

/**
 * Returns the first part of the ids of all documents of a memory. It is unique for each memory, and never the start of
 * the key of another memory.
 */
export function getMemoryKey(address: CheckedAddress): string {
  const owner = getOwner(address);
  return [scopeLetters[address.scope], address.nodeId, ...(owner === null ? [] : [owner])].join(afterSeparator);
}

/** Returns the `_id` of a file or a directory. */
export function idOfPath(memoryKey: string, path: string): string {
  if (path === ROOT) return getRootId(memoryKey);
  const end = path.lastIndexOf("/");
  return memoryKey + separator + path.slice(0, end) + separator + path.slice(end + 1);
}

/**
 * Returns the fields of a file document that depend on its path. In `pathText`, spaces replace `_`, because MongoDB
 * treats words joined by `_` as one word.
 */
export function placeOfFile(memoryKey: string, path: string): Pick<StoredFile, "_id" | "memory" | "pathText"> {
  return { _id: idOfPath(memoryKey, path), memory: memoryKey, pathText: path.replaceAll("_", " ") };
}

/** Returns the document with another path. */
export function movedDocument(memoryKey: string, document: StoredDocument, path: string): StoredDocument {
  return document.kind === "file"
    ? { ...document, ...placeOfFile(memoryKey, path) }
    : { ...document, _id: idOfPath(memoryKey, path) };
}

/** Returns the `_id` of the root directory, which is also the document of the memory itself. */
export function getRootId(memoryKey: string): string {
  return memoryKey + separator;
}

export function pathOfId(memoryKey: string, id: string): string {
  const place = id.slice(memoryKey.length + separator.length);
  return place === "" ? ROOT : place.replace(separator, "/");
}

/** Returns the first part of an `_id`, which says to which memory a document belongs. */
export function memoryKeyOfId(id: string): string {
  return id.slice(0, id.indexOf(separator));
}

/** Returns the range of ids of the immediate children of a directory. */
export function getChildRange(memoryKey: string, directory: string): IdRange {
  const start = memoryKey + separator + parentText(directory);
  return { $gte: start + separator, $lt: start + afterSeparator };
}

/** Returns the ranges of ids of everything below a directory, at most two. */
export function rangesBelow(memoryKey: string, directory: string): IdRange[] {
  if (directory === ROOT) return [{ $gte: memoryKey + separator + separator, $lt: memoryKey + afterSeparator }];
  const start = memoryKey + separator + directory;
  // "0" is the character after "/".
  return [getChildRange(memoryKey, directory), { $gte: `${start}/`, $lt: `${start}0` }];
}

/** Returns the range of ids of all documents of a memory. */
export function rangeOfMemory(memoryKey: string): IdRange {
  return { $gte: memoryKey + separator, $lt: memoryKey + afterSeparator };
}

/** Returns the part of the ids of children that stands for their directory. */
function parentText(directory: string): string {
  return directory === ROOT ? "" : directory;
}

/**
 * A document of the layout: a file or a directory. Forwarding records exist only in place of a root; readers check the
 * root and never return them.
 */
export type StoredDocument = StoredFile | StoredDirectory;

/**
 * The forwarding record in place of the root of a memory that has moved to another layout. It is not a directory, so
 * that nothing is created in it.
 */
export type StoredMark = Pick<StoredRoot, "_id" | "nodeId" | "scope" | "threadId" | "userId"> & { kind: "moved" };

export function isMark(document: { kind?: string | undefined } | null | undefined): boolean {
  return document?.kind === "moved";
}

export interface StoredFile {
  _id: string;
  kind: "file";
  text: string;
  /** A new id for each change of the text; no other text ever has the same. A moved file keeps the id. */
  textId: string;
  /**
   * The first part of the id, and the words of the path. The text index needs both as fields, because it cannot use
   * ranges of ids. Every process writes them, even without the index.
   */
  memory: string;
  pathText: string;
  /** Size of the text in bytes of UTF-8. */
  sizeBytes: number;
  createdAt: Date;
  updatedAt: Date;
  /** The receipt of the last replacement (ADR 0020). */
  lastChange?: { id: string; replaced: number };
  /** The last version of the file, and the id that all its versions share. Present if the memory has a history. */
  head?: { id: string; file: string };
}

export interface StoredDirectory {
  _id: string;
  kind: "dir";
  /**
   * How often something was created in the directory. Each creation writes this field, so that nobody can delete the
   * directory at the same time.
   */
  made: number;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * The root directory of a memory and the document of the memory itself. Only this document contains the ids of the
 * address, and is found by them.
 */
export interface StoredRoot extends StoredDirectory {
  nodeId: string;
  scope: MemoryScope;
  threadId?: string;
  userId?: string;
  /** The ids of approved changes that were made, until their records say so. */
  applied?: Record<string, true>;
  /** For a memory that has moved here: how many changes it had before. */
  formerRevision?: number;
  /** Present if the store keeps a history (ADR 0023). */
  history?: RootHistory;
}

/** @param documents of one memory by path */
export function findRoot(documents: ReadonlyMap<string, object>): StoredRoot | undefined {
  // Only the root has the path of the root.
  return documents.get(ROOT) as StoredRoot | undefined;
}

/** The state of the versions of a memory, which its root records. */
export interface RootHistory {
  /** The first part of the ids of the versions. New for each memory, even at an address that had a memory before. */
  id: string;
  /** How many changes have made versions. */
  revision: number;
  /** How long an unchanged memory is kept, for programs that continue a history and do not know the lifetime. */
  lifetimeMs?: number;
  /** When the first of the versions expires. */
  expiresAt?: Date;
}

/** The fields of a document that a listing reads, from the index alone. A directory has no size. */
export interface IndexedDocument {
  _id: string;
  kind: "file" | "dir";
  sizeBytes?: number;
  updatedAt: Date;
}

/**
 * The fields that show which texts have changed, from the index alone. A directory has no text. A document of another
 * program may lack the text id.
 */
export interface TextIdDocument {
  _id: string;
  kind: "file" | "dir";
  textId?: string | null;
}

/** Returns everything except the root. @param documents by path */
export function createSnapshot(documents: ReadonlyMap<string, StoredDocument>): MemorySnapshot {
  const snapshot: MemorySnapshot = { files: [], directories: [], revision: null };
  for (const [path, document] of documents) {
    if (document.kind === "file") {
      const { kind, text: content, sizeBytes, createdAt, updatedAt } = document;
      snapshot.files.push({ path, kind, content, sizeBytes, createdAt, updatedAt });
    } else if (path !== ROOT) snapshot.directories.push(path);
  }
  return snapshot;
}

/*
 * The server sorts ids by code points; a listing is sorted by UTF-16 units. The only difference: by UTF-16 units,
 * characters from U+E000 to U+FFFF come after all characters above U+FFFF.
 */

const firstPrivate = "\u{E000}";
const firstAstral = "\u{10000}";
/** Greater than every possible rest of a name. */
const lastInName = "\u{10FFFF}".repeat(128);

/** Returns the ranges of ids of children of a directory whose names come before `bound` by UTF-16 units. */
export function childrenBefore({ $gte: start }: IdRange, bound: string): IdRange[] {
  const ranges: IdRange[] = [];
  let from = start;
  let same = start;
  for (const character of bound) {
    if (character >= firstPrivate) ranges.push({ $gte: same + firstAstral, $lt: same + lastInName });
    else if (character.length > 1) {
      ranges.push({ $gte: from, $lt: same + firstPrivate });
      from = same + firstAstral;
    }
    same += character;
  }
  return [...ranges, { $gte: from, $lt: same }];
}

/** Returns the part of a range after an id. May be empty. */
export function rangeAfter({ $gte, $lt }: IdRange, id: string): IdRange {
  return { $gte: isBefore(id, $gte) ? $gte : `${id}\0`, $lt };
}

/** Whether the server sorts one id before another. */
export function isBefore(id: string, other: string): boolean {
  return Buffer.compare(Buffer.from(id), Buffer.from(other)) < 0;
}
