import type { ChangeResult } from "../../../core/tree/change.js";
import { createRecord } from "../../driver/records.js";
import { type Expression, literal, orEmpty, valueAt, isPresent } from "../documents/expressions.js";
import type { MadeCall } from "../documents/page-document.js";
import type { LoadedPage } from "../reading/load.js";

/*
 * A page stores the changes that tool calls have made in it, with their results. When a task of a graph runs again, it
 * repeats its calls and finds the results here (ADR 0057). So every page of a path has all changes of that path.
 */

/** The result of a change in its stored form: values or expressions. */
export type CallOutcome = Partial<Record<keyof Omit<MadeCall, "at">, Expression>>;

/** The largest number of changes that a page stores. Each takes 50 to 120 bytes. */
const mostCalls = 200;

/** The longest time that a run may wait for a person. */
const keptMs = 30 * 86_400_000;

/** True if the page keeps the change. */
export function isMade(changeId: string): Expression {
  return isPresent(valueAt("$calls", changeId));
}

/** A change with an identity. */
export interface IdentifiedChange {
  id: string;
  outcome: CallOutcome;
}

/** Adds changes to the calls of a page, and drops old ones. The calls are in the order in which they were made. */
export function withCalls(calls: Expression, changes: readonly IdentifiedChange[], at: Date): Expression {
  const isKept: Expression = { $gt: ["$$made.v.at", new Date(at.getTime() - keptMs)] };
  const kept: Expression = { $filter: { input: { $objectToArray: orEmpty(calls) }, as: "made", cond: isKept } };
  const recent: Expression = { $arrayToObject: { $slice: [kept, changes.length - mostCalls] } };
  const added = Object.fromEntries(changes.map(({ id, outcome }) => [id, { at, ...outcome }]));
  return { $mergeObjects: [recent, added] };
}

/** Joins the calls of pages that a change replaces. Undefined if there are none. */
export function joinCalls(pages: readonly LoadedPage[]): Expression | undefined {
  const calls = new Map(pages.flatMap((page) => Object.entries(page.calls ?? {})));
  if (calls.size === 0) return undefined;
  const sorted = [...calls].toSorted(([, a], [, b]) => a.at.getTime() - b.at.getTime());
  return literal(createRecord(sorted.slice(-mostCalls)));
}

export function toCallOutcome({ file, replaced, deleted: { files, dirs } }: ChangeResult): CallOutcome {
  return {
    ...(file && { sizeBytes: file.sizeBytes, createdAt: file.createdAt }),
    ...(replaced > 0 && { replaced }),
    ...(files + dirs > 0 && { files, dirs }),
  };
}

export function toRepeatedResult({
  at,
  replaced = 0,
  files = 0,
  dirs = 0,
  sizeBytes,
  createdAt,
}: MadeCall): ChangeResult {
  const file =
    sizeBytes === undefined || createdAt === undefined
      ? null
      : { kind: "file" as const, sizeBytes, createdAt, updatedAt: at };
  return { file, replaced, deleted: { files, dirs }, madeAt: at };
}
