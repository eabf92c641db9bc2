import type { ObjectId } from "mongodb";
import type { OlderText } from "../../../core/history/older-text.js";
import type { MemoryActor } from "../../../core/values/actor.js";
import type { CheckedAddress, MemoryScope } from "../../../core/values/address.js";
import type { MemorySnapshot, SnapshotFile } from "../../../core/memory.js";
import { ROOT } from "../../../core/values/paths.js";
import { utf8Bytes } from "../../../core/values/text.js";
import { createRecord } from "../../driver/records.js";
import { isPlainObject } from "../../operations/values.js";

/** One memory: the layout of specification section 5 (ADR 0002). */
export interface MemoryDocument {
  _id: ObjectId;
  nodeId: string;
  scope: MemoryScope;
  threadId?: string;
  userId?: string;
  /** Text by stored key. */
  data?: Record<string, string>;
  dirs?: Record<string, true>;
  meta?: Record<string, FileMeta>;
  /** Absent in documents of the earlier system, whose `data` may hold nested objects. */
  revision?: number;
  createdAt?: Date;
  updatedAt?: Date;
  /** Changes that are not in the collection of versions yet. There, maybe empty, in memories that have a history. */
  outbox?: StoredTreeChange[];
  /** Users and threads who may have made them. */
  outboxActors?: string[];
  /** The receipt of the last change that left one. */
  lastChange?: LastChange;
  /** Whether the collection has an owner's document for this memory. */
  hasVersions?: true;
  /** When the first of its versions goes, where the memory can expire. */
  versionsExpireAt?: Date;
  /** The ids of approved changes that were made, until their records say so. */
  applied?: Record<string, true>;
}

/** How a change tells that it was made: it leaves its id in the document (ADR 0020). */
export interface LastChange {
  id: string;
  /** What it answers. */
  counts: [first: number, second: number];
}

/** A change as the document of its memory holds it until it is a version, by keys. */
export interface StoredTreeChange {
  revision: number;
  at: Date;
  actor: MemoryActor | null;
  files: StoredFileChange[];
  directories?: StoredDirectories;
}

/** Of the text before there is the whole, its bytes if the change only added to it, or how it differs. */
export interface StoredFileChange {
  key: string;
  from?: string;
  gone?: true;
  before?: string | null;
  beforeBytes?: number | null;
  older?: OlderText;
}

export interface StoredDirectories {
  /** Null for one that was there. */
  added?: (string | null)[];
  removed?: string[];
  moved?: { from: string; to: string };
}

/**
 * Stands in the place of a document whose memory has moved to another layout: every change refuses it as it does one of
 * the earlier system.
 */
export interface DocumentMark {
  revision: { moved: true };
}

/** In a filter on the revision. */
export const ofMark = { $type: "object" } as const;

export function isMark(document: { revision?: unknown } | null): boolean {
  return typeof document?.revision === "object" && document.revision !== null;
}

interface FileMeta {
  createdAt: Date;
  updatedAt: Date;
}

/**
 * `/a/b` is the literal key `a.b`. Escaped is what the dotted form cannot carry: `.` (the separator), `%` (the escape)
 * and `$` at the start of a segment (an operator to MongoDB). ADR paths have none of them and keep their keys.
 */
export function keyOfPath(path: string): string {
  const plain = /[%.$]/.test(path) ? path.split("/").map(escape).join("/") : path;
  return plain.slice(1).replaceAll("/", ".");
}

export function pathOfKey(key: string): string {
  const path = ROOT + key.replaceAll(".", "/");
  return key.includes("%") ? path.replaceAll(/%(?:2E|24|25)/g, unescape) : path;
}

function escape(segment: string): string {
  return segment.replaceAll("%", "%25").replaceAll(".", "%2E").replace(/^\$/, "%24");
}

function unescape(escaped: string): string {
  return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
}

/** The keys of the directories above the file or directory `key`, nearest the root first. */
export function parentKeys(key: string): string[] {
  const parents: string[] = [];
  for (let end = key.indexOf("."); end !== -1; end = key.indexOf(".", end + 1)) parents.push(key.slice(0, end));
  return parents;
}

/** Exactly the fields of the unique index, in equality: only then does the server retry a racing upsert by itself. */
export function lookUp(address: CheckedAddress): { nodeId: string; scope: string; threadId?: string; userId?: string } {
  return { ...address };
}

/*
 * Bytes of BSON. A field takes a byte for its type and one that ends its name, beside both; so an entry of `dirs` takes
 * three with its value, and one of `data` and one of `meta` 52 beside their names and the text.
 */

/** What a new file takes beside its text: its key and times, and the parents that may be new. */
export function newFileBytes(path: string): number {
  const key = keyOfPath(path);
  return 2 * utf8Bytes(key) + 52 + parentKeys(key).reduce((sum, parent) => sum + directoryKeyBytes(parent), 0);
}

export function directoryKeyBytes(key: string): number {
  return utf8Bytes(key) + 3;
}

/**
 * The document that a first write makes, without the file: its own fields, and each part of the address with its name.
 */
export function emptyDocumentBytes(address: CheckedAddress): number {
  const ids = Object.entries(lookUp(address)).reduce((sum, [name, id]) => sum + name.length + utf8Bytes(id) + 7, 0);
  return 176 + ids;
}

/** The files and directories of a document in today's layout or the earlier one, in which any object is a directory. */
export function snapshotOfDocument(document: MemoryDocument | null): MemorySnapshot {
  const files: SnapshotFile[] = [];
  const directoryKeys = new Set<string>();
  const fallback = document?.createdAt ?? document?._id?.getTimestamp() ?? new Date(0);
  const visitDirectory = (key: string): void => void directoryKeys.add(key);
  const visitFile = (key: string, content: string): void => {
    const meta = ownValue(document?.meta, key);
    const createdAt = meta?.createdAt ?? fallback;
    const updatedAt = meta?.updatedAt ?? document?.updatedAt ?? fallback;
    files.push({ path: pathOfKey(key), kind: "file", content, sizeBytes: utf8Bytes(content), createdAt, updatedAt });
    const parent = key.slice(0, Math.max(0, key.lastIndexOf(".")));
    if (parent !== "" && !directoryKeys.has(parent)) parentKeys(key).forEach(visitDirectory);
  };
  visit(document?.dirs, "", () => undefined, visitDirectory);
  visit(document?.data, "", visitFile, visitDirectory);
  return { files, directories: Array.from(directoryKeys, pathOfKey), revision: document?.revision ?? 0 };
}

function visit(
  record: object | undefined,
  prefix: string,
  onText: (key: string, text: string) => void,
  onDirectory: (key: string) => void,
): void {
  for (const [name, value] of Object.entries<unknown>({ ...record })) {
    const key = prefix + name;
    if (typeof value === "string") {
      onText(key, value);
    } else {
      onDirectory(key);
      if (typeof value === "object" && value !== null) visit(value, `${key}.`, onText, onDirectory);
    }
  }
}

/** `record[key]` for own keys only: a file may be called `constructor`. */
export function ownValue<T>(record: Record<string, T> | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** What was read of the earlier layout, to compare with. */
export function asRecord(value: unknown): unknown {
  return isPlainObject(value)
    ? createRecord(Object.entries(value).map(([name, field]) => [name, asRecord(field)]))
    : value;
}

/** The fields of today's layout for what `snapshotOfDocument` read from the earlier one. */
export function flatFields(
  snapshot: Pick<MemorySnapshot, "files" | "directories">,
): Record<"data" | "dirs" | "meta", ReadonlyMap<string, unknown>> {
  return {
    data: createRecord(snapshot.files.map((file) => [keyOfPath(file.path), file.content])),
    dirs: createRecord(snapshot.directories.map((path) => [keyOfPath(path), true])),
    meta: createRecord(
      snapshot.files.map(({ path, createdAt, updatedAt }) => [keyOfPath(path), { createdAt, updatedAt }]),
    ),
  };
}
