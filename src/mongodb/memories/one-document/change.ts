import { ROOT } from "../../../core/values/paths.js";
import { keyOfPath, parentKeys } from "./document.js";
import { newChangeId } from "../change-id.js";
import { recordOf } from "../../driver/records.js";
import { outboxCount, outboxReport, outboxWith, type Recorded, type Recording } from "./outbox-expressions.js";
import { bound, type Expression, literal, type Variables, where } from "../expressions.js";
import { valueAt } from "./expressions.js";

/**
 * What a change found: "ok" or the reason why it changed nothing. "unchanged": there was nothing to do. "overtaken": a
 * reason that is gone already.
 */
export type Status =
  | "ok"
  | "overtaken"
  | "legacy"
  | "missing"
  | "unchanged"
  | "directory"
  | "parentIsFile"
  | "exists"
  | "raced"
  | "costly"
  | "fileTooLarge"
  | "memoryFull";

export interface Change {
  pipeline: Record<string, Expression>[];
  /** Of the document before the change: why it changes nothing, or what to report of it. */
  projection: Record<string, Expression>;
  /** The reasons of the conditions that the answer holds, in the same order. */
  reasons?: readonly Status[];
  /** Null: the projection of the document before tells all. */
  receipt: Receipt | null;
  /** Whether it refuses more than it has to: where nothing refuses it in the end, it is built again. */
  isStrict?: boolean;
  /** Set where it is enough to know that the document was modified: what the change then answers. */
  silentAnswer?: object | null;
  /** Whether it holds for nothing but a file that is as the store remembers it. */
  isRemembered?: boolean;
}

/** How a change tells that it was made, for less than why it was not: it leaves its id in the document (ADR 0020). */
export interface Receipt {
  id: string;
  /** Of the document after the change. */
  projection: Record<string, Expression>;
}

/** What the server answers to a change, from the document before it. */
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
  /** Where the document is found by its id: whether it is that of another memory, or not in today's layout. */
  isOther?: Expression | undefined;
  /**
   * Whether a change may refuse more than it has to. Only where the document is found by its id and nothing is
   * recorded.
   */
  isStrict?: boolean;
}

/**
 * By how many bytes the document may still grow: 0 if it is over the limit, such as after somebody lowered the limit.
 * Recorded changes count here. If there is no room, they are moved out, and the change is tried again.
 */
export const roomFor = ({ maxMemoryBytes }: Limits): Expression => ({
  $max: [0, { $subtract: [maxMemoryBytes, { $bsonSize: "$$ROOT" }] }],
});

/**
 * Holds for a document of the earlier system: it has content, whose `data` may be nested, but no revision. The first of
 * the three fields that exists is then an object, and objects sort after numbers.
 */
export const isLegacy: Expression = { $gte: [{ $ifNull: ["$revision", "$data", "$dirs"] }, {}] };

/** What a change is made of. The variables are known to all the others. */
export interface ChangeParts {
  /** An object of the fields that get a new value. */
  fields: Expression;
  /** What the history is told. */
  recorded: Recorded;
  /** What else to answer of the document as it was. */
  report?: Record<string, Expression>;
}

/**
 * A change that the server refuses, makes and reports in one command (ADR 0003). It evaluates the status twice on the
 * same document: in the update, which changes nothing unless it is "ok", and in the projection of the document as it
 * was before, which is how the caller learns it.
 */
export function change(
  statusThere: Expression,
  { fields, recorded, report }: ChangeParts,
  circumstances: Circumstances,
): Change {
  const { isOther } = circumstances;
  const status = isOther === undefined ? statusThere : where(isOther, "overtaken", statusThere);
  return {
    pipeline: [
      {
        $replaceWith: where(
          { $eq: [status, "ok"] },
          { $mergeObjects: ["$$ROOT", ...changed(fields, circumstances, recorded)] },
          "$$ROOT",
        ),
      },
    ],
    projection: { _id: 0, status, ...report, ...outboxReport(circumstances.recording) },
    receipt: null,
  };
}

/** Of a change that is made in one command, and told why it was not in a second one. */
export interface RefusableParts extends ChangeParts {
  refusals: Refusals;
  /** What refuses the change where it may be strict. Default: the same as elsewhere. */
  strict?: StrictParts | undefined;
  /** Reasons that hold only where one of the `refusals` does, and come before them. */
  closerReasons?: Refusals | undefined;
  variables?: Variables;
  /** Known to `fields`, `recorded` and `counts`, and no part of the report. */
  ownVariables?: Variables | undefined;
  /** Two numbers that a change answers, of the document before it. Default: 0 and 0. */
  counts?: Expression | undefined;
  /** Bytes that the history is told; null for none. Default: null. */
  recordedBytes?: Expression;
  /**
   * Where it holds, there is nothing to change, and the change only leaves its receipt, so that it stays one command.
   */
  changesNothing?: Expression | undefined;
  /** What else a change answers, of the document after it. */
  answer?: Record<string, Expression> | undefined;
  /** Only of a strict change: what it answers instead, as its conditions hold for no other answer. */
  knownAnswer?: object | undefined;
  /** False: the report is wanted of changes that are made, too, and they answer nothing else. Default: true. */
  leavesReceipt?: boolean | undefined;
}

/** They refuse more than they have to, as that is told in fewer operators. */
export interface StrictParts {
  refusals: Refusals;
  variables: Variables;
}

/**
 * The same for what is done most. Most of what a change costs is the parsing of its expressions, about a microsecond
 * for each operator and operand: hence plain conditions in place of a status, and a receipt.
 */
export function refusableChange(parts: RefusableParts, circumstances: Circumstances): Change {
  const {
    refusals,
    closerReasons = [],
    fields,
    recorded,
    report,
    variables = [],
    ownVariables = [],
    counts,
    changesNothing,
    knownAnswer,
    leavesReceipt = true,
  } = parts;
  const { recording, isOther, isStrict = false } = circumstances;
  const strict = isStrict ? parts.strict : undefined;
  const answer = knownAnswer === undefined ? parts.answer : undefined;
  const first: Refusals[number] = isOther === undefined ? [isLegacy, "legacy"] : [isOther, "overtaken"];
  const all: Refusals = [first, ...closerReasons, ...refusals];
  const asked = strict ?? { refusals, variables };
  const refused = [first, ...asked.refusals].map(([condition]) => condition);
  const isSilent =
    isOther !== undefined && recording === null && leavesReceipt && counts === undefined && answer === undefined;
  const receipt = leavesReceipt && !isSilent ? receiptOf(parts, recording) : null;
  const values = changed(fields, circumstances, recorded);
  const merged = changesNothing === undefined ? values : [where(changesNothing, {}, { $mergeObjects: values })];
  const after = { $mergeObjects: ["$$ROOT", ...merged, ...(receipt ? [{ lastChange: receipt }] : [])] };
  return {
    isStrict: strict !== undefined,
    silentAnswer: isSilent ? { status: "ok", ...knownAnswer } : null,
    isRemembered: knownAnswer !== undefined,
    pipeline: [{ $replaceWith: bound(asked.variables, where({ $or: refused }, "$$ROOT", bound(ownVariables, after))) }],
    projection: {
      _id: 0,
      found: bound(variables, { refused: all.map(([condition]) => condition), ...report, ...outboxReport(recording) }),
    },
    reasons: all.map(([, reason]) => reason),
    receipt: receipt && {
      id: receipt.id,
      projection: { _id: 1, lastChange: 1, ...answer, ...(recording?.expires && { versionsExpireAt: 1 }) },
    },
  };
}

function receiptOf(
  { counts = [0, 0], recordedBytes = null, changesNothing }: RefusableParts,
  recording: Recording | null,
): { id: string } & Record<string, Expression> {
  const id = newChangeId();
  if (recording === null) return { id, counts };
  const bytes: Expression = { $ifNull: [recordedBytes, 0] };
  return {
    id,
    counts,
    ...outboxCount,
    recordedBytes: changesNothing === undefined ? bytes : where(changesNothing, 0, bytes),
  };
}

/** To be merged into the document. */
function changed(fields: Expression, { now, recording }: Circumstances, recorded: Recorded): Expression[] {
  const count: Expression = {
    revision: { $sum: ["$revision", 1] },
    createdAt: { $ifNull: ["$createdAt", now] },
    updatedAt: now,
    ...(recording && recorded && outboxWith(recording, recorded)),
  };
  return [fields, count];
}

/**
 * Outside the earlier layout: there the values of `data` are texts, and to the server any text is true, an empty one,
 * too. To the caller it would not be.
 */
export const parentIsFile = (path: string): Expression => ({
  $or: parentKeys(keyOfPath(path)).map((key) => valueAt("$data", key)),
});

export function withParents(dirs: Expression, path: string): Expression {
  return { $mergeObjects: [dirs, literal(recordOf(parentKeys(keyOfPath(path)).map((key) => [key, true])))] };
}

/** True or missing: the values of `dirs` are all true. */
export function isDirectory(path: string): Expression {
  return path === ROOT ? literal(true) : valueAt("$dirs", keyOfPath(path));
}
