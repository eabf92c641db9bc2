import { type CheckedAddress, type MemoryScope, getOwner } from "../../../core/values/address.js";
import { ROOT } from "../../../core/values/paths.js";
import type { MemorySnapshot } from "../../../core/tree/snapshot.js";

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
export function getMemoryKey(address: CheckedAddress): string {
  const owner = getOwner(address);
  return [scopeLetters[address.scope], address.nodeId, ...(owner === null ? [] : [owner])].join(afterSeparator);
}

/** The `_id` of a file or a directory. */
export function idOfPath(memoryKey: string, path: string): string {
  if (path === ROOT) return getRootId(memoryKey);
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
export function getRootId(memoryKey: string): string {
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
export function getChildRange(memoryKey: string, directory: string): IdRange {
  const start = memoryKey + separator + parentText(directory);
  return { $gte: start + separator, $lt: start + afterSeparator };
}

/** All that lies below a directory, in two ranges at most. */
export function rangesBelow(memoryKey: string, directory: string): IdRange[] {
  if (directory === ROOT) return [{ $gte: memoryKey + separator + separator, $lt: memoryKey + afterSeparator }];
  const start = memoryKey + separator + directory;
  // "0" is what comes right after "/".
  return [getChildRange(memoryKey, directory), { $gte: `${start}/`, $lt: `${start}0` }];
}

/** All documents of a memory. */
export function rangeOfMemory(memoryKey: string): IdRange {
  return { $gte: memoryKey + separator, $lt: memoryKey + afterSeparator };
}

/** The text by which the children of a directory name it. */
function parentText(directory: string): string {
  return directory === ROOT ? "" : directory;
}

/**
 * A document of the layout: a file, or a directory. A mark is met in the place of a root alone, and never passed on.
 */
export type StoredDocument = StoredFile | StoredDirectory;

/**
 * Stands in the place of the root of a memory that has moved to another layout. It is no directory, so that nothing is
 * made in it.
 */
export type StoredMark = Pick<StoredRoot, "_id" | "nodeId" | "scope" | "threadId" | "userId"> & { kind: "moved" };

export function isMark(document: { kind?: string | undefined } | null | undefined): boolean {
  return document?.kind === "moved";
}

export interface StoredFile {
  _id: string;
  kind: "file";
  text: string;
  /** Each change of the text gives another one, which no other text ever has. It goes with a file that is moved. */
  textId: string;
  /**
   * What its id begins with, and the words of its path. A text index has both: it takes no range of ids. Every process
   * writes them, also one without the index.
   */
  memory: string;
  pathText: string;
  /** Bytes of UTF-8 of the text. */
  sizeBytes: number;
  createdAt: Date;
  updatedAt: Date;
  /** The receipt of the last replacement (ADR 0020). */
  lastChange?: { id: string; replaced: number };
  /** The last version of the file, and the id that its versions have in common. Kept where the memory has a history. */
  head?: { id: string; file: string };
}

export interface StoredDirectory {
  _id: string;
  kind: "dir";
  /**
   * How often something was made in it. Whoever makes something writes it, so that nobody can delete the directory
   * meanwhile.
   */
  made: number;
  createdAt: Date;
  updatedAt: Date;
}

/** The memory's own document, which is its root directory. Only it has the ids, and so is found by them. */
export interface StoredRoot extends StoredDirectory {
  nodeId: string;
  scope: MemoryScope;
  threadId?: string;
  userId?: string;
  /** The ids of approved changes that were made, until their records say so. */
  applied?: Record<string, true>;
  /** Of a memory that has moved here: how many changes it had had. */
  formerRevision?: number;
  /** Kept where the store has a history (ADR 0023). */
  history?: RootHistory;
}

/** @param documents of one memory by path */
export function findRoot(documents: ReadonlyMap<string, object>): StoredRoot | undefined {
  // No other document lies at the path of the root.
  return documents.get(ROOT) as StoredRoot | undefined;
}

/** What the root knows of the versions of its memory. */
export interface RootHistory {
  /** What the ids of the versions begin with. New for each memory, also of an address that had one before. */
  id: string;
  /** How many changes have made versions. */
  revision: number;
  /** How long the memory is kept that nobody changes, for programs that go on with a history and do not know. */
  lifetimeMs?: number;
  /** The first of the versions to be deleted is deleted then. */
  expiresAt?: Date;
}

/** What a listing reads of each document, from the index alone. A directory has no size. */
export interface IndexedDocument {
  _id: string;
  kind: "file" | "dir";
  sizeBytes?: number;
  updatedAt: Date;
}

/**
 * What tells from the index alone which texts have changed. A directory has no text, and the document of another
 * program no id of it.
 */
export interface TextIdDocument {
  _id: string;
  kind: "file" | "dir";
  textId?: string | null;
}

/** Everything but the root. @param documents by path */
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
 * The server sorts ids by code points, and a listing is sorted by UTF-16 units. These differ in one thing: the units of
 * U+E000 to U+FFFF come last, after those of the characters beyond them.
 */

const firstPrivate = "\u{E000}";
const firstAstral = "\u{10000}";
/** After all that the rest of a name can be. */
const lastInName = "\u{10FFFF}".repeat(128);

/** Where the ids of the children of a directory lie whose names come before `bound` by UTF-16 units. */
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

/** What of a range comes after an id. It may be empty. */
export function rangeAfter({ $gte, $lt }: IdRange, id: string): IdRange {
  return { $gte: isBefore(id, $gte) ? $gte : `${id}\0`, $lt };
}

/** Whether one id comes before another on the server. */
export function isBefore(id: string, other: string): boolean {
  return Buffer.compare(Buffer.from(id), Buffer.from(other)) < 0;
}
