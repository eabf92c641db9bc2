import { bound, type Expression, type Variables, where, withValueIn } from "../documents/expressions.js";
import { recordInOutbox, type RecordedParts, type Recording } from "../outbox/outbox.js";
import { type CallOutcome, isMade, withCall } from "./made-calls.js";
import { createToken } from "../documents/page-ids.js";
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
  /** The part that the history records. Null if it records nothing. */
  recorded: RecordedParts | null;
  /** If true, the change leaves everything as it was, and the history records nothing. @default false */
  isUnchanged?: Expression;
  /** If true, the change only writes its receipt, so that it stays one command. */
  isNothing?: Expression;
  /** Two numbers that the change returns. Null if it returns none. */
  counts: Expression | null;
  /** Another result, computed after the change: `createdAt` of a file, or `isNothing` if there was nothing to do. */
  answer?: Record<"createdAt", Expression> | Record<"isNothing", Expression>;
  /** The result that is kept if the change has an identity. Undefined: the page keeps none. */
  outcome?: CallOutcome | undefined;
  /** The calls that the page keeps from now on. @default those that it has */
  calls?: Expression | undefined;
  /** Maximum number of bytes by which the document grows. 0: its limit is not checked. */
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
  /** The size in bytes from which on the page must be split first. Null: pages are not split. */
  splitBytes: number | null;
  /** Fields of a page that is created, as an expression that is empty for a page that exists. */
  created?: Expression;
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
  page: PageForm;
}

/** A change that the server makes or refuses in one command. */
export interface PipelineCommand {
  pipeline: Record<string, Expression>[];
  /** Null if the change writes no receipt. */
  receiptId: string | null;
}

/**
 * True for a document of the earlier system: it has content, whose `data` may be nested, but no revision. Then the
 * first of the three fields that exists is an object, and objects sort after numbers.
 */
export const isLegacy: Expression = { $gte: [{ $ifNull: ["$revision", "$data", "$dirs"] }, {}] };

export function createCommand(parts: ChangeParts, settings: ChangeSettings): PipelineCommand {
  const { unless, variables = [], fields, removedFields = [], isNothing, counts, outcome, calls } = parts;
  const { recording, page, changeId, at } = settings;
  const call = changeId === null || outcome === undefined ? null : { id: changeId, at, outcome };
  // If there is a history, each change returns how many changes the outbox contains.
  const receiptId = counts === null && recording === null ? null : createToken();
  const kept = call === null ? calls : withCall(calls ?? "$calls", call);
  const changes = [fields, countChange(parts, settings), ...(kept === undefined ? [] : [{ calls: kept }])];
  const merged = isNothing === undefined ? changes : [where(isNothing, {}, { $mergeObjects: changes })];
  const receipt = receiptId === null ? [] : [{ lastChange: { id: receiptId, counts: counts ?? [0, 0] } }];
  const created = page.created === undefined ? [] : [page.created];
  const rest = removedFields.reduce<Expression>(
    (document, field) => withValueIn(document, field, "$$REMOVE"),
    "$$ROOT",
  );
  const after: Expression = { $mergeObjects: [rest, ...created, ...merged, ...receipt] };
  const changed = withinLimit(withSize(after), parts, settings);
  const conditions = [...page.unless, ...unless, ...(call === null ? [] : [isMade(call.id)])];
  return {
    receiptId,
    pipeline: [{ $replaceWith: bound(variables, where({ $or: conditions }, "$$ROOT", changed)) }],
  };
}

/** The bytes of the field `sizeBytes`. */
const sizeFieldBytes = 15;

/**
 * Sets the size of a page of several, which an index has. A page that has become much smaller is split at the common
 * size again.
 */
function withSize(page: Expression): Expression {
  const isSmall: Expression = {
    $and: [
      // Without it there is nothing to measure.
      { $gt: ["$$page.splitAtBytes", null] },
      { $gt: ["$$page.splitAtBytes", { $multiply: [4, contentBytes("$$page")] }] },
    ],
  };
  const variables: Variables = [
    ["page", page],
    ["sized", where(isSmall, withValueIn("$$page", "splitAtBytes", "$$REMOVE"), "$$page")],
  ];
  const fieldBytes = where({ $gt: ["$$sized.sizeBytes", null] }, 0, sizeFieldBytes);
  const sizeBytes: Expression = { $add: [contentBytes("$$sized"), fieldBytes] };
  const isOfSeveral: Expression = { $gt: ["$$sized.lo", null] };
  return bound(variables, where(isOfSeveral, { $mergeObjects: ["$$sized", { sizeBytes }] }, "$$sized"));
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

/** A receipt takes 69 bytes, and 8 more if its counts are large. */
export const receiptBytes = 80;

/**
 * Returns the document after a change, or the document before it if the change would exceed the limit of the memory or
 * the size at which the page is split. The sizes are exact, so they are expensive; the first condition skips them for
 * pages with room. A page over its limit may still shrink.
 */
function withinLimit(
  after: Expression,
  { growth }: ChangeParts,
  { maxMemoryBytes, page: { splitBytes } }: ChangeSettings,
): Expression {
  if (growth === 0) return after;
  const most: Expression =
    splitBytes === null ? maxMemoryBytes : { $min: [maxMemoryBytes, { $ifNull: ["$splitAtBytes", splitBytes] }] };
  const isFull: Expression = {
    $and: [
      // An upsert cannot refuse the change of a missing document.
      { $isNumber: "$revision" },
      { $gt: [{ $add: [{ $bsonSize: "$$ROOT" }, growth, receiptBytes] }, most] },
      { $gt: [contentBytes("$$after"), { $max: [most, contentBytes("$$ROOT")] }] },
    ],
  };
  return bound([["after", after]], where(isFull, "$$ROOT", "$$after"));
}
