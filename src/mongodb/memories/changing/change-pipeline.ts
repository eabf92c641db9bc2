import {
  bound,
  isOfSeveral,
  type Expression,
  type Variables,
  where,
  withValueIn,
  isPresent,
} from "../documents/expressions.js";
import { recordInOutbox, type RecordedParts, type Recording } from "../outbox/outbox.js";
import { type CallOutcome, isMade, withCalls } from "./made-calls.js";
import { contentBytes } from "../documents/page-sizes.js";

/** The parts of a change, as expressions on the document before it. All other expressions can use the variables. */
export interface ChangeParts {
  /** If one of these is true, nothing is changed. They may refuse allowed changes. */
  unless: Expression[];
  variables?: Variables;
  /** An object of the fields that get a new value. */
  fields: Expression;
  /** Fields that the page loses. @default none */
  removedFields?: readonly string[];
  /** What the history records. Null if the change makes no version. */
  recorded: RecordedParts | null;
  /** If true, the change leaves everything as it was, and the history records nothing. @default false */
  isUnchanged?: Expression;
  /** If true, the change only writes its receipt, so that it stays one command. */
  isNothing?: Expression;
  /** Two numbers that the change returns. Null if it returns none. */
  counts: readonly [Expression, Expression] | null;
  /** The creation time of the file after the change, if the change returns it. */
  fileCreatedAt?: Expression;
  /** Whether there is nothing to do, computed on the document after the command. */
  hasNothing?: Expression;
  /** The result that is kept if the change has an identity. Undefined: the page keeps none. */
  outcome?: CallOutcome | undefined;
  /** The calls that the page keeps from now on. @default those that it has */
  calls?: Expression | undefined;
  /** Maximum number of bytes by which the document grows. If they may not fit, nothing is changed. 0: not checked. */
  growth: Expression;
  /** A number that is added to the revision besides: the revisions of pages that the change removes. @default 0 */
  addedRevisions?: number;
}

/** Changes nothing but the times and the revision. */
export const noChange: ChangeParts = { unless: [], fields: {}, recorded: null, counts: null, growth: 0 };

/** The page that a change is made on. */
export interface PageForm {
  /** If one of these is true, the page is not the one that was expected, and nothing is changed. */
  unless: Expression[];
  /** Whether the page is the head of a memory that has no other page. */
  isAlone: boolean;
}

export interface ChangeSettings {
  /** The time of the change. */
  at: Date;
  /** The time of creation for a new memory. */
  createdAt: Date;
  maxMemoryBytes: number;
  /** Null if the change is not recorded in this page. */
  recording: Recording | null;
  /** The identity of the change. */
  changeId: string | null;
  /**
   * The id of the command and the index of the change in it. A change is made only if those before it were. Null: the
   * change writes no receipt.
   */
  receipt: { id: string; index: number } | null;
  page: PageForm;
  /** The size in bytes from which on the page must be split first. Null: pages are not split. @default null */
  splitBytes?: number | null;
  /** Fields of a page that is created, as an expression that is empty for a page that exists. */
  created?: Expression;
}

/** Returns a change that the server makes or refuses, as a stage of a pipeline. */
export function createStage(parts: ChangeParts, settings: ChangeSettings): Record<string, Expression> {
  const { unless, variables = [], fields, removedFields = [], isNothing, outcome, calls } = parts;
  const { page, created, changeId, at } = settings;
  const call = changeId === null || outcome === undefined ? null : { id: changeId, outcome };
  const kept = call === null ? calls : withCalls(calls ?? "$calls", [call], at);
  const changes = [fields, countChange(parts, settings), ...(kept === undefined ? [] : [{ calls: kept }])];
  const merged = isNothing === undefined ? changes : [where(isNothing, {}, { $mergeObjects: changes })];
  const rest = removedFields.reduce<Expression>(
    (document, field) => withValueIn(document, field, "$$REMOVE"),
    "$$ROOT",
  );
  const after: Expression = {
    $mergeObjects: [rest, ...(created === undefined ? [] : [created]), ...merged, ...createReceipt(parts, settings)],
  };
  const isRefused: Expression = {
    $or: [
      ...isCutOff(settings),
      ...page.unless,
      ...unless,
      ...(call === null ? [] : [isMade(call.id)]),
      ...exceedsLimit(parts, settings),
    ],
  };
  const changed = where(isRefused, "$$ROOT", page.isAlone ? after : withSize(after));
  return { $replaceWith: bound(variables, changed) };
}

/** Returns the id in a receipt after a change of a command. */
function getReceiptId(command: string, index: number): string {
  return `${command}.${index}`;
}

/** True if a change before this one in the same command was refused. */
function isCutOff({ receipt }: ChangeSettings): Expression[] {
  if (receipt === null || receipt.index === 0) return [];
  return [{ $ne: ["$lastChange.id", getReceiptId(receipt.id, receipt.index - 1)] }];
}

function createReceipt({ counts, fileCreatedAt }: ChangeParts, { receipt }: ChangeSettings): Expression[] {
  if (receipt === null) return [];
  const own: Expression = [[...(counts ?? [0, 0]), ...(fileCreatedAt === undefined ? [] : [fileCreatedAt])]];
  const made: Expression = receipt.index === 0 ? own : { $concatArrays: ["$lastChange.made", own] };
  return [{ lastChange: { id: getReceiptId(receipt.id, receipt.index), made } }];
}

/** The bytes of the field `sizeBytes`. */
const sizeFieldBytes = 15;

/** Sets what an index has of a page of several: its size, and the number of changes in its outbox. */
function withSize(page: Expression): Expression {
  const fieldBytes = where(isPresent("$$page.sizeBytes"), 0, sizeFieldBytes);
  const sizeBytes: Expression = { $add: [contentBytes("$$page"), fieldBytes] };
  const recorded: Expression = where({ $isArray: "$$page.outbox" }, { $size: "$$page.outbox" }, "$$REMOVE");
  const measured: Expression = { $mergeObjects: ["$$page", { sizeBytes, recorded }] };
  return bound([["page", page]], where(isOfSeveral("$$page."), measured, "$$page"));
}

function countChange(
  { recorded, isUnchanged = false, addedRevisions = 0 }: ChangeParts,
  settings: ChangeSettings,
): Expression {
  const { at, createdAt, recording } = settings;
  return {
    revision: { $sum: ["$revision", 1 + addedRevisions] },
    createdAt: { $ifNull: ["$createdAt", createdAt] },
    updatedAt: at,
    ...(recording && recorded && recordInOutbox(recording, recorded, isUnchanged)),
  };
}

/**
 * True if the page may exceed the limit of the memory, or the size at which it is split. To compute the size
 * without recorded changes is slow, so it is skipped if the page has room even with them.
 */
function exceedsLimit({ growth }: ChangeParts, { maxMemoryBytes, splitBytes = null }: ChangeSettings): Expression[] {
  if (growth === 0) return [];
  const most: Expression =
    splitBytes === null ? maxMemoryBytes : { $min: [maxMemoryBytes, { $ifNull: ["$splitAtBytes", splitBytes] }] };
  const exceeds = (sizeBytes: Expression): Expression => ({ $gt: [{ $add: [sizeBytes, growth] }, most] });
  const isFull: Expression[] = [
    // An upsert cannot refuse the change of a missing document.
    { $isNumber: "$revision" },
    exceeds({ $bsonSize: "$$ROOT" }),
    exceeds(contentBytes("$$ROOT")),
  ];
  return [{ $and: isFull }];
}
