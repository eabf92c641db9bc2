import type { ObjectId } from "mongodb";
import type { OlderText } from "../../../core/history/older-text.js";
import type { MemoryActor, VersionOrigin } from "../../../core/values/actor.js";
import type { MemoryScope } from "../../../core/values/address.js";
import type { MemorySnapshot, SnapshotFile } from "../../../core/memory.js";
import { ROOT } from "../../../core/values/paths.js";
import { utf8Bytes } from "../../../core/values/text.js";
import { createRecord } from "../../driver/records.js";
import { isPlainObject } from "../../operations/values.js";

/**
 * A page of a memory (specification section 5, ADR 0051): the files and directories whose positions are from `lo` up to
 * `hi`. The head is the page at the start. A memory is its head alone until it has grown too large for one page; only
 * the head has the fields from `nodeId` to `userId`, `hasVersions` and `applied`.
 */
export interface MemoryDocument {
  /** See `page-ids.ts`. */
  _id: string;
  nodeId: string;
  scope: MemoryScope;
  threadId?: string;
  userId?: string;
  /** The incarnation of the memory, to which versions and pages belong. */
  key?: ObjectId;
  /** The first position of the page. Absent while the memory is its head alone. */
  lo?: string;
  /** The first position after the page. Absent in the last page. */
  hi?: string;
  /** The size in bytes of a page of several, without its outbox. */
  sizeBytes?: number;
  /** The size from which on the page is split. Absent: the common size of pages. */
  splitAtBytes?: number;
  /** Text by stored key. */
  data?: Record<string, string>;
  dirs?: Record<string, true>;
  meta?: Record<string, FileMeta>;
  revision?: number;
  createdAt?: Date;
  /** The last change of this page. See `findLastChange`. */
  updatedAt?: Date;
  /** Changes of the page that are not in the collection of versions yet. Present, maybe empty, with a history. */
  outbox?: StoredTreeChange[];
  /** The number of changes in the outbox of a page of several. */
  recorded?: number;
  /** The revision of the last change in the order of versions, if the memory has or had several pages. */
  lastVersion?: number;
  /** Users and threads that may have made the changes in the outbox. */
  outboxActors?: string[];
  lastChange?: LastChange;
  /** Whether the collection of versions has an owner document for this memory. */
  hasVersions?: true;
  /** No version of the memory expires before this time, if the memory can expire. */
  versionsExpireAt?: Date;
  /** The ids of approved changes that were made, until their records say so. */
  applied?: Record<string, true>;
  /** Changes of the page that calls of tools have made, by their identities, oldest first (`made-calls.ts`). */
  calls?: Record<string, MadeCall>;
}

/** The result of a change, kept so that the same call of a tool does not make it again. */
export interface MadeCall {
  at: Date;
  replaced?: number;
  files?: number;
  dirs?: number;
  sizeBytes?: number;
  createdAt?: Date;
}

/** The receipt of the last command that wrote one. It proves which of its changes were made (architecture invariant 3). */
export interface LastChange {
  /** The id of the command, and the index of the last of its changes that was made. */
  id: string;
  /** The results of the changes: two numbers, and the creation time of the file if the change returns it. */
  made: [first: number, second: number, createdAt?: Date][];
}

/** A change in its page, with keys for paths, until it becomes a version. */
export interface StoredTreeChange {
  /** See `ChangeOrder`. */
  revision: number;
  at: Date;
  actor: MemoryActor | null;
  origin?: VersionOrigin;
  files: StoredFileChange[];
  directories?: StoredDirectories;
}

/** The previous text is stored whole, as its size in bytes if the change only appended, or as a difference. */
export interface StoredFileChange {
  key: string;
  from?: string;
  gone?: true;
  before?: string | null;
  beforeBytes?: number | null;
  older?: OlderText;
}

export interface StoredDirectories {
  /** Null for a directory that existed before. */
  added?: (string | null)[];
  removed?: string[];
  moved?: { from: string; to: string };
}

interface FileMeta {
  createdAt: Date;
  updatedAt: Date;
}

/**
 * Returns the stored key of a path: `/a/b` becomes the literal key `a.b`. Escapes what a dotted key cannot contain: `.`
 * (the separator), `%` (the escape) and `$` at the start of a segment (an operator in MongoDB). Paths of the name
 * rule `plain` contain none of these, so their keys have no escapes.
 */
export function keyOfPath(path: string): string {
  const plain = path.replaceAll("%", "%25").replaceAll(".", "%2E").replaceAll("/$", "/%24");
  return plain.slice(1).replaceAll("/", ".");
}

export function pathOfKey(key: string): string {
  const path = ROOT + key.replaceAll(".", "/");
  return key.includes("%") ? path.replaceAll(/%(?:2E|24|25)/g, unescape) : path;
}

function unescape(escaped: string): string {
  return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
}

/** Returns the keys of the directories above the file or directory `key`, nearest the root first. */
export function parentKeys(key: string): string[] {
  const parents: string[] = [];
  for (let end = key.indexOf("."); end !== -1; end = key.indexOf(".", end + 1)) parents.push(key.slice(0, end));
  return parents;
}

/** Returns the files and directories of a page. */
export function snapshotOfDocument(
  document: Pick<MemoryDocument, "data" | "dirs" | "meta" | "revision"> | null,
): MemorySnapshot {
  const files: SnapshotFile[] = [];
  const directoryKeys = new Set(Object.keys(document?.dirs ?? {}));
  for (const [key, content] of Object.entries(document?.data ?? {})) {
    const { createdAt, updatedAt } = ownValue(document?.meta, key) ?? unknownTimes;
    files.push({ path: pathOfKey(key), kind: "file", content, sizeBytes: utf8Bytes(content), createdAt, updatedAt });
    const parent = key.slice(0, Math.max(0, key.lastIndexOf(".")));
    if (parent !== "" && !directoryKeys.has(parent)) for (const each of parentKeys(key)) directoryKeys.add(each);
  }
  return { files, directories: Array.from(directoryKeys, pathOfKey), revision: document?.revision ?? 0 };
}

const unknownTimes: FileMeta = { createdAt: new Date(0), updatedAt: new Date(0) };

/** Returns the incarnation of the memory with this head. */
export function getIncarnation({ key }: Pick<MemoryDocument, "key">): string {
  return String(key);
}

/** Reads own keys only: a file may be called `constructor`. */
export function ownValue<T>(record: Record<string, T> | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Converts a value with keys of users, which may be any texts, into a form that the driver sends as it is. */
export function asRecord(value: unknown): unknown {
  return isPlainObject(value)
    ? createRecord(Object.entries(value).map(([name, field]) => [name, asRecord(field)]))
    : value;
}

/** Returns the fields of a page with this content. */
export function flatFields(
  snapshot: Pick<MemorySnapshot, "files" | "directories">,
): Record<"data" | "dirs" | "meta", ReadonlyMap<string, unknown>> {
  const files = snapshot.files.map((file) => ({ ...file, key: keyOfPath(file.path) }));
  return {
    data: createRecord(files.map(({ key, content }) => [key, content])),
    dirs: createRecord(snapshot.directories.map((path) => [keyOfPath(path), true])),
    meta: createRecord(files.map(({ key, createdAt, updatedAt }) => [key, { createdAt, updatedAt }])),
  };
}
