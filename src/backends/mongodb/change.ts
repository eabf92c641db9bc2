import { parentsOf, ROOT } from "../../core/paths.js";
import { keyOf } from "./document.js";
import { bound, type Expression, literal, type Variables, valueAt, where } from "./expressions.js";

/**
 * What a change finds. The server evaluates it twice on the same document: in the update, which changes nothing unless
 * it is "ok", and in the projection of the document as it was before, which is how the caller learns it. So one command
 * checks, changes and reports (ADR 0003). Most of what such a command costs is the parsing of these expressions, about
 * a microsecond for each operator: hence the variables for what is used more than once.
 */
export type Status =
  | "ok"
  | "legacy"
  | "missing"
  | "directory"
  | "parentIsFile"
  | "exists"
  | "raced"
  | "unchanged"
  | "fileTooLarge"
  | "memoryFull";

export interface Change {
  pipeline: Record<string, Expression>[];
  projection: Record<string, Expression>;
}

export interface Limits {
  maxFileBytes: number;
  maxMemoryBytes: number;
}

/** A document written by the earlier system: it has content but no revision. Its `data` may be nested. */
export const isLegacy: Expression = { $eq: [{ $type: { $ifNull: ["$revision", "$data", "$dirs"] } }, "object"] };

const oneMore: Expression = { $add: [{ $ifNull: ["$revision", 0] }, 1] };

/**
 * @param fields an object of the fields that get a new value.
 * @param report further fields of the answer.
 * @param variables known to `status`, `fields` and `report`; with any, the answer is in the field `found`.
 */
export function change(
  status: Expression,
  fields: Expression,
  now: Date,
  report: Record<string, Expression>,
  variables: Variables = [],
): Change {
  const count: Expression = { revision: oneMore, createdAt: { $ifNull: ["$createdAt", now] }, updatedAt: now };
  const update = where({ $eq: [status, "ok"] }, { $mergeObjects: ["$$ROOT", fields, count] }, "$$ROOT");
  const found = { status, ...report };
  return {
    pipeline: [{ $replaceWith: bound(variables, update) }],
    projection: { _id: 0, ...(variables.length > 0 ? { found: bound(variables, found) } : found) },
  };
}

/** True where one of the parents is a file: the values of `data` are texts, and any text is true. */
export const parentIsFile = (path: string): Expression => ({
  $or: parentsOf(path).map((parent) => valueAt("$data", keyOf(parent))),
});

export function withParents(dirs: Expression, path: string): Expression {
  return { $mergeObjects: [dirs, literal(Object.fromEntries(parentsOf(path).map((parent) => [keyOf(parent), true])))] };
}

/** True or missing: the values of `dirs` are all true. */
export function isDirectory(path: string): Expression {
  return path === ROOT ? literal(true) : valueAt("$dirs", keyOf(path));
}
