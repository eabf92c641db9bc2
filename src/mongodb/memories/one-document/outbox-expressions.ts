import type { MemoryActor } from "../../../core/actor.js";
import { type Expression, literal, where } from "./expressions.js";

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
export type Recorded = RecordedParts | null;

export interface RecordedParts {
  /** An array of `StoredFile`. */
  files: Expression;
  directories?: Expression;
  /** Where it holds, the change changes nothing. */
  unless?: Expression;
}

const orNone: Expression = { $ifNull: ["$outbox", []] };

/** The bytes of the document, but for what its history has still in it. An empty document takes 5. */
export const bytesWithoutOutbox: Expression = { $add: [{ $bsonSize: "$$ROOT" }, 5, { $multiply: [-1, { $bsonSize: { outbox: "$outbox" } }] }] };

export function outboxWith({ actor, at, begins }: Recording, { files, directories, unless }: RecordedParts): Expression {
  const entry = {
    revision: { $sum: ["$revision", 1] },
    at,
    actor: literal(actor),
    files,
    ...(directories && { directories }),
  };
  const entries: Expression = unless === undefined ? [entry] : where(unless, [], [entry]);
  const all: Expression = { $concatArrays: [orNone, entries] };
  return begins ? all : where({ $isArray: ["$outbox"] }, all, "$$REMOVE");
}

/** How much the outbox held before the change. */
export interface OutboxReport {
  recorded?: { count: number; bytes: number; versionsExpireAt?: Date };
}

export function outboxReport(recording: Recording | null): Record<string, Expression> {
  if (recording === null) return {};
  const { expires } = recording;
  return { recorded: { count: { $size: orNone }, bytes: { $bsonSize: { outbox: "$outbox" } }, ...(expires && { versionsExpireAt: "$versionsExpireAt" }) } };
}

/** Sixty small changes take four commands more, or up to seven where not all versions are kept. */
const changesPerFlush = 60;
const largeChangesPerFlush = 4;
const largeBytes = 512 * 1024;

/** True for one of many concurrent changes only, so that they do not all move the same versions. */
export function fillsOutbox({ recorded }: OutboxReport): boolean {
  if (recorded === undefined) return false;
  const { count, bytes } = recorded;
  return (count + 1) % (bytes > largeBytes ? largeChangesPerFlush : changesPerFlush) === 0;
}

/** Which of the directories above a file are new. @param keys of them */
export function addedDirectories(keys: readonly string[], isThere: (key: string) => Expression): { added: Expression } | undefined {
  return keys.length === 0 ? undefined : { added: keys.map((key) => where(isThere(key), null, literal(key))) };
}
