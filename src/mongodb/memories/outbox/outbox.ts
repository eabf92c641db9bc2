import { encodeOlderText } from "../../../core/history/older-text.js";
import type { Steps } from "../../../core/runtime/time-slices.js";
import type { MemoryTree } from "../../../core/tree/memory-tree.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { type MemoryActor, pickVersionOrigin } from "../../../core/values/actor.js";
import type { RecordedChange, RecordedFile } from "../../history/outbox.js";
import type { RecordedEdits } from "../../history/record-edits.js";
import { type DirectoryChange, revisionsPerMs } from "../../history/version-document.js";
import { type Expression, isOfSeveral, literal, where, isPresent } from "../documents/expressions.js";
import {
  keyOfPath,
  pathOfKey,
  type StoredDirectories,
  type StoredFileChange,
  type StoredTreeChange,
} from "../documents/page-document.js";

/** The record of a change for the history, as expressions that give `StoredFileChange`s and `StoredDirectories`. */
export interface RecordedParts {
  files: Expression;
  directories: Expression;
}

/** Whether, by whom and when a change is recorded in its document, in the same step as the change (ADR 0015). */
export interface Recording {
  call: Pick<CallContext, "actor" | "origin">;
  at: Date;
  /** False if only memories that already have a history continue it. */
  begins: boolean;
}

/** @param isUnchanged if true, the change makes no version */
export function recordInOutbox(
  { call, at, begins }: Recording,
  parts: RecordedParts,
  isUnchanged: Expression,
): Record<string, Expression> {
  const { actor, origin } = call;
  const originFields = origin && { origin: literal(pickVersionOrigin(origin)) };
  const revision: Expression = { $sum: [lastRevision, 1] };
  const entry = { revision, at, actor: literal(actor), ...originFields, ...parts };
  const all: Expression = { $concatArrays: [{ $ifNull: ["$outbox", []] }, where(isUnchanged, [], [entry])] };
  const names = actor === null ? [] : nameActors(actor);
  const actors: Expression = { $setUnion: [{ $ifNull: ["$outboxActors", []] }, literal(names)] };
  const hasTimes: Expression = { $or: [isOfSeveral(), isPresent("$lastVersion")] };
  const kept = (value: Expression): Expression =>
    begins ? value : where({ $isArray: ["$outbox"] }, value, "$$REMOVE");
  return {
    outbox: kept(all),
    lastVersion: kept(where(hasTimes, revision, "$$REMOVE")),
    ...(names.length > 0 && { outboxActors: kept(actors) }),
  };
}

/**
 * The number that the next version of a page must exceed. A page of several counts on from the time of the server, so
 * that versions of different pages are in the order of their times.
 */
const lastRevision: Expression = {
  $max: [
    "$revision",
    "$lastVersion",
    where(isOfSeveral(), { $multiply: [{ $toLong: "$$NOW" }, revisionsPerMs] }, null),
  ],
};

/** @param tree after the change. Previous texts are stored as differences from its texts, which takes less room */
export function* storedEdits({ files, directories }: RecordedEdits, tree: MemoryTree): Steps<RecordedParts> {
  const stored: StoredFileChange[] = [];
  for (const file of files) {
    stored.push(yield* storedFile(file, tree));
    yield;
  }
  return { files: literal(stored), directories: literal(storedDirectories(directories)) };
}

function* storedFile({ path, from, gone, before }: RecordedFile, tree: MemoryTree): Steps<StoredFileChange> {
  const after = tree.files.get(path)?.content;
  const isReplaced = before !== undefined && !gone && after !== undefined;
  return {
    key: keyOfPath(path),
    ...(from !== undefined && { from: keyOfPath(from) }),
    ...(gone && { gone }),
    ...(isReplaced ? { older: yield* encodeOlderText(before, after) } : before !== undefined && { before }),
  };
}

function storedDirectories({ added, removed, moved }: DirectoryChange): StoredDirectories {
  return {
    ...(added && { added: added.map(keyOfPath) }),
    ...(removed && { removed: removed.map(keyOfPath) }),
    ...(moved && { moved: { from: keyOfPath(moved.from), to: keyOfPath(moved.to) } }),
  };
}

/** @param page the token of the page that has recorded it */
export function recordedChange({ files, directories = {}, ...change }: StoredTreeChange, page: string): RecordedChange {
  const { added = [], removed = [], moved } = directories;
  const addedPaths = added.flatMap((key) => (key === null ? [] : [pathOfKey(key)]));
  const changed: DirectoryChange = {
    ...(addedPaths.length > 0 && { added: addedPaths }),
    ...(removed.length > 0 && { removed: removed.map(pathOfKey) }),
    ...(moved && { moved: { from: pathOfKey(moved.from), to: pathOfKey(moved.to) } }),
  };
  return { ...change, page, files: files.map(recordedFile), directories: changed };
}

function recordedFile({ key, from, gone, before, beforeBytes, older }: StoredFileChange): RecordedFile {
  return {
    path: pathOfKey(key),
    ...(from !== undefined && { from: pathOfKey(from) }),
    gone: gone === true,
    ...(typeof before === "string" && { before }),
    ...(typeof beforeBytes === "number" && { beforeBytes }),
    ...(older && { older }),
  };
}

/** The keys of the files of all recorded changes. */
export const recordedKeys: Expression = {
  $reduce: {
    input: { $ifNull: ["$outbox.files.key", []] },
    initialValue: [],
    in: { $concatArrays: ["$$value", "$$this"] },
  },
};

/** Returns the name of a user or thread in `outboxActors`. `forget` searches for it. */
export function actorName(field: "userId" | "threadId", id: string): string {
  return `${field} ${id}`;
}

function nameActors({ userId, threadId }: MemoryActor): string[] {
  return [
    ...(userId === undefined ? [] : [actorName("userId", userId)]),
    ...(threadId === undefined ? [] : [actorName("threadId", threadId)]),
  ];
}

/** Whether somebody has made a recorded change. */
export function isRecordedBy(field: "userId" | "threadId", id: string): Expression {
  return { $in: [literal(id), { $ifNull: [`$outbox.actor.${field}`, []] }] };
}

/** The state of the outbox after a change. */
export interface OutboxState {
  /** Number of changes in the outbox. */
  recorded: number;
  /** Size in bytes of the last change. */
  lastBytes: number;
  /** Number of files in the last change. */
  lastFiles: number;
  /** The revision of the last change, in a memory that has or had several pages. */
  lastVersion?: number;
  versionsExpireAt?: Date;
  /** Number of changes that the command has recorded. @default 1 */
  added?: number;
}

/** A projection of the document after a change. */
export const outboxState = {
  recorded: { $size: { $ifNull: ["$outbox", []] } },
  lastBytes: { $bsonSize: { $ifNull: [{ $arrayElemAt: ["$outbox", -1] }, {}] } },
  lastFiles: { $size: { $ifNull: [{ $arrayElemAt: ["$outbox.files", -1] }, []] } },
  lastVersion: 1,
  versionsExpireAt: 1,
} as const;

/** Sixty small changes take four commands more, or up to seven if not all versions are kept. */
const changesPerFlush = 60;
/** On average. A prime, so that times in ms pass its multiples, too. */
const changesPerOccasion = 61;
const largeBytes = 512 * 1024;
/** A move reads the texts of all recorded files, and so does a reader of the history until then. */
const manyFiles = 1000;

/** Whether an outbox contains more than moves leave there. */
export function isOverdue(recorded: number, bytes: number): boolean {
  return recorded > changesPerFlush || bytes > 2 * largeBytes;
}

/**
 * Whether a change moves the outboxes: not at all, in the background, or before the change returns. Only one of many
 * concurrent changes moves the outboxes, so that they do not all move the same versions.
 */
export function dueFlush({
  recorded,
  lastBytes,
  lastFiles,
  lastVersion,
  added = 1,
}: OutboxState): "none" | "inBackground" | "beforeAnswer" {
  const most = Math.min(largeBytes / Math.max(1, lastBytes), manyFiles / Math.max(1, lastFiles));
  const perFlush = Math.min(changesPerFlush, Math.max(1, Math.floor(most)));
  if (!passesMultiple(recorded, added, perFlush)) {
    return lastVersion !== undefined && isOccasion(lastVersion, added) ? "inBackground" : "none";
  }
  // A process may be frozen between calls, like a cloud function. Then a move in the background may never run.
  return recorded < 2 * perFlush ? "inBackground" : "beforeAnswer";
}

/**
 * Whether the outboxes of all pages are moved after some changes, because none of many pages may ever have enough alone.
 * @param last the number of the last change: its revision, which may be a time
 */
export function isOccasion(last: number, added: number): boolean {
  return passesMultiple(last, added, changesPerOccasion);
}

/** Whether the last `added` numbers up to `last` have a multiple of `divisor` among them. */
function passesMultiple(last: number, added: number, divisor: number): boolean {
  return Math.floor(last / divisor) > Math.floor((last - added) / divisor);
}
