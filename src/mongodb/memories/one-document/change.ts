import { ROOT } from "../../../core/paths.js";
import { keyOfPath, parentKeys } from "./document.js";
import { outboxReport, outboxWith, type Recorded, type Recording } from "./outbox-expressions.js";
import { bound, type Expression, literal, type Variables, valueAt, where } from "./expressions.js";

/** What a change found: "ok" or the reason why it changed nothing. */
export type Status =
  | "ok"
  | "legacy"
  | "missing"
  | "directory"
  | "parentIsFile"
  | "exists"
  | "raced"
  | "costly"
  | "unchanged"
  | "fileTooLarge"
  | "memoryFull";

export interface Change {
  pipeline: Record<string, Expression>[];
  projection: Record<string, Expression>;
  /** The reasons of the conditions that the answer holds, in the same order. */
  reasons?: readonly Status[];
}

/** What the server answers to a change: of the document as it was. */
export type Answer<Report> = (Report & { status: Status }) | { found: Report & { refused: unknown[] } };

export function changeReport<Report>(answer: Answer<Report>, { reasons = [] }: Change): Report & { status: Status } {
  if (!("found" in answer)) return answer;
  const { found } = answer;
  return { ...found, status: reasons[found.refused.findIndex(Boolean)] ?? "ok" };
}

/** Changes nothing where a condition holds; the first that does is the reason. */
export type Refusals = [condition: Expression, reason: Exclude<Status, "ok">][];

export interface Limits {
  maxFileBytes: number;
  maxMemoryBytes: number;
}

/** When and under which limits a change is made, and whether it is recorded. */
export interface Circumstances extends Limits {
  now: Date;
  /** Null where the store keeps no history. */
  recording: Recording | null;
}

/**
 * By how many bytes the document may still grow. None where it is over the limit, as after the limit was lowered. What is recorded in it counts
 * here: where there is no room, it is moved out, and the change is tried again.
 */
export const roomFor = ({ maxMemoryBytes }: Limits): Expression => ({
  $max: [0, { $subtract: [maxMemoryBytes, { $bsonSize: "$$ROOT" }] }],
});

/**
 * Holds for a document of the earlier system: it has content, whose `data` may be nested, but no revision. The first of
 * the three fields that exists is then an object, and objects sort after numbers.
 */
export const isLegacy: Expression = { $gte: [{ $ifNull: ["$revision", "$data", "$dirs"] }, {}] };

/**
 * A change that the server refuses, makes and reports in one command (ADR 0003). It evaluates the status twice on the
 * same document: in the update, which changes nothing unless it is "ok", and in the projection of the document as it
 * was before, which is how the caller learns it.
 *
 * @param fields an object of the fields that get a new value.
 * @param recorded what the history is told.
 * @param report what else to answer.
 */
export function change(
  status: Expression,
  fields: Expression,
  circumstances: Circumstances,
  recorded: Recorded,
  report: Record<string, Expression>,
): Change {
  return {
    pipeline: [{ $replaceWith: where({ $eq: [status, "ok"] }, changed(fields, circumstances, recorded), "$$ROOT") }],
    projection: { _id: 0, status, ...report, ...outboxReport(circumstances.recording) },
  };
}

/**
 * The same for what is done most. Most of what a change costs is the parsing of its expressions, about a microsecond
 * for each operator and operand: hence plain conditions in place of a status, and variables, known to all the others.
 */
export function refusableChange(
  refusals: Refusals,
  fields: Expression,
  circumstances: Circumstances,
  recorded: Recorded,
  report: Record<string, Expression>,
  variables: Variables = [],
): Change {
  const all: Refusals = [[isLegacy, "legacy"], ...refusals];
  const conditions = all.map(([condition]) => condition);
  return {
    pipeline: [{ $replaceWith: bound(variables, where({ $or: conditions }, "$$ROOT", changed(fields, circumstances, recorded))) }],
    projection: { _id: 0, found: bound(variables, { refused: conditions, ...report, ...outboxReport(circumstances.recording) }) },
    reasons: all.map(([, reason]) => reason),
  };
}

function changed(fields: Expression, { now, recording }: Circumstances, recorded: Recorded): Expression {
  const count: Expression = {
    revision: { $sum: ["$revision", 1] },
    createdAt: { $ifNull: ["$createdAt", now] },
    updatedAt: now,
    ...(recording && recorded && { outbox: outboxWith(recording, recorded) }),
  };
  return { $mergeObjects: ["$$ROOT", fields, count] };
}

/** Outside the earlier layout: there the values of `data` are texts, and to the server any text is true. */
export const parentIsFile = (path: string): Expression => ({
  $or: parentKeys(keyOfPath(path)).map((key) => valueAt("$data", key)),
});

export function withParents(dirs: Expression, path: string): Expression {
  return { $mergeObjects: [dirs, literal(Object.fromEntries(parentKeys(keyOfPath(path)).map((key) => [key, true])))] };
}

/** True or missing: the values of `dirs` are all true. */
export function isDirectory(path: string): Expression {
  return path === ROOT ? literal(true) : valueAt("$dirs", keyOfPath(path));
}
