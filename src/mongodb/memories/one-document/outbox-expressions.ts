import type { MemoryActor } from "../../../core/values/actor.js";
import type { OlderText } from "../../../core/history/older-text.js";
import { type Expression, literal, textBytes, where } from "../expressions.js";
import { isText, valueAt } from "./expressions.js";
import type { TextHeader } from "./stored-change.js";

/** That and how a change records itself in its document, in the same step (ADR 0015). */
export interface Recording {
  actor: MemoryActor | null;
  at: Date;
  /** False where only memories that have a history already go on with it. */
  begins: boolean;
  /** Whether the memory can expire. */
  expires: boolean;
}

/** What a change tells the history of itself. Null: nothing, as it changes nothing. */
export type Recorded = RecordedChange | null;

interface RecordedChange {
  /** A `StoredChange`. */
  entry: (recording: Recording) => Expression;
  /** Where it holds, the change changes nothing. */
  unless?: Expression;
}

/** Of the text of one file. */
export interface RecordedText {
  key: string;
  from?: string;
  gone?: true;
  /** Keys of directories that may be new. */
  parents?: readonly string[];
  /** What tells the text before; the expressions are null where there was none. Null: it stays. */
  before: { text: Expression } | { bytes: Expression } | { older: OlderText } | null;
}

/** Of several files, or of directories. */
export interface RecordedTree {
  /** An array of `StoredFile`. */
  files: Expression;
  directories: Expression;
}

const orNone: Expression = { $ifNull: ["$outbox", []] };

const nextRevision: Expression = { $sum: ["$revision", 1] };

/** The bytes of the document, but for what its history has still in it. An empty document takes 5. */
export const bytesWithoutOutbox: Expression = {
  $subtract: [
    { $add: [{ $bsonSize: "$$ROOT" }, 5] },
    { $bsonSize: { outbox: "$outbox", outboxActors: "$outboxActors" } },
  ],
};

export function outboxWith(recording: Recording, { entry, unless }: RecordedChange): Record<string, Expression> {
  const entries: Expression = unless === undefined ? [entry(recording)] : where(unless, [], [entry(recording)]);
  const all: Expression = { $concatArrays: [orNone, entries] };
  const names = recording.actor === null ? [] : actorNames(recording.actor);
  const actors: Expression = { $setUnion: [{ $ifNull: ["$outboxActors", []] }, literal(names)] };
  const kept = (value: Expression): Expression =>
    recording.begins ? value : where({ $isArray: ["$outbox"] }, value, "$$REMOVE");
  return { outbox: kept(all), ...(names.length > 0 && { outboxActors: kept(actors) }) };
}

/** A string, as the server takes an object apart at each later change. `readTextEntry` is its inverse. */
export function textEntry(
  { at, actor }: Recording,
  { key, from, gone, parents = [], before }: RecordedText,
): Expression {
  const header: TextHeader = {
    at: at.getTime(),
    actor,
    ...(from !== undefined && { from }),
    ...(gone && { gone }),
    ...(before !== null && "older" in before && { older: withoutText(before.older) }),
    ...(before !== null && "text" in before && { holdsText: true }),
    ...(parents.length > 0 && { parents }),
  };
  const added = parents.map((parent) => where(valueAt("$dirs", parent), "0", "1"));
  const start = literal(`${key}\0${JSON.stringify(header)}\n`);
  return {
    $concat: [start, { $toString: nextRevision }, " ", bytesBefore(before), " ", ...added, "\n", ...textBefore(before)],
  };
}

function withoutText({ text: _text, ...rest }: OlderText): Omit<OlderText, "text"> {
  return rest;
}

function bytesBefore(before: RecordedText["before"]): Expression {
  if (before === null || "older" in before) return "";
  return { $ifNull: [{ $toString: "text" in before ? textBytes(before.text) : before.bytes }, ""] };
}

function textBefore(before: RecordedText["before"]): Expression[] {
  if (before === null || "bytes" in before) return [];
  return ["older" in before ? literal(before.older.text) : { $ifNull: [before.text, ""] }];
}

export function treeEntry({ at, actor }: Recording, { files, directories }: RecordedTree): Expression {
  return { revision: nextRevision, at, actor: literal(actor), files, directories };
}

export function recordedTree(tree: RecordedTree): RecordedChange {
  return { entry: (recording) => treeEntry(recording, tree) };
}

/** The keys of the files of all recorded changes. */
export const recordedKeys: Expression = {
  $reduce: {
    input: orNone,
    initialValue: [],
    in: { $concatArrays: ["$$value", where(isText("$$this"), [keyOfText("$$this")], "$$this.files.key")] },
  },
};

function keyOfText(entry: Expression): Expression {
  return { $substrBytes: [entry, 0, { $indexOfBytes: [entry, "\0"] }] };
}

/** Whom `forget` looks for, as `outboxActors` has them. */
export function actorName(field: "userId" | "threadId", id: string): string {
  return `${field} ${id}`;
}

function actorNames({ userId, threadId }: MemoryActor): string[] {
  return [
    ...(userId === undefined ? [] : [actorName("userId", userId)]),
    ...(threadId === undefined ? [] : [actorName("threadId", threadId)]),
  ];
}

/** Whether a recorded change may be by somebody. */
export function mayBeBy(field: "userId" | "threadId", id: string): Expression {
  const inHeader = JSON.stringify({ [field]: id }).slice(1, -1);
  const isBy: Expression = where(
    isText("$$change"),
    { $gte: [{ $indexOfBytes: ["$$change", literal(inHeader)] }, 0] },
    { $eq: [`$$change.actor.${field}`, literal(id)] },
  );
  return { $anyElementTrue: [{ $map: { input: orNone, as: "change", in: isBy } }] };
}

/** How much the outbox held before a change, and how much the change has added. */
export interface OutboxReport {
  /** How many changes. */
  recorded?: number;
  recordedBytes?: number;
  versionsExpireAt?: Date;
}

export const outboxCount: { recorded: Expression } = { recorded: { $size: orNone } };

export function outboxReport(recording: Recording | null): Record<string, Expression> {
  if (recording === null) return {};
  return { ...outboxCount, ...(recording.expires && { versionsExpireAt: "$versionsExpireAt" }) };
}

/** Sixty small changes take four commands more, or up to seven where not all versions are kept. */
const changesPerFlush = 60;
export const largeBytes = 512 * 1024;

/**
 * What a change does about the outbox: nothing, or move what it holds while others go on, or wait until that is moved.
 * It is something for one of many concurrent changes only, so that they do not all move the same versions.
 */
export function dueFlush({ recorded, recordedBytes = 0 }: OutboxReport): "none" | "behind" | "awaited" {
  if (recorded === undefined) return "none";
  const perFlush = Math.min(changesPerFlush, Math.max(1, Math.floor(largeBytes / Math.max(1, recordedBytes))));
  if ((recorded + 1) % perFlush !== 0) return "none";
  // Where the process stands still between calls, as a function in a cloud does, nothing may ever be moved behind them.
  return recorded + 1 < 2 * perFlush ? "behind" : "awaited";
}
