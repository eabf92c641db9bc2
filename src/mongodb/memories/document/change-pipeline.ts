import { newChangeId } from "../change-id.js";
import { bound, type Expression, type Variables, where } from "../expressions.js";
import { bytesWithoutOutbox, recordInOutbox, type RecordedParts, type Recording } from "./outbox/outbox.js";

/** The parts of a change, as expressions on the document before it. All other expressions can use the variables. */
export interface ChangeParts {
  /** If one of these is true, nothing is changed. They may refuse allowed changes. */
  unless: Expression[];
  variables?: Variables;
  /** An object of the fields that get a new value. */
  fields: Expression;
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
  /** Maximum number of bytes by which the document grows. 0: the limit of the memory is not checked. */
  growth: number;
}

export interface ChangeSettings {
  /** The time of the change. */
  at: Date;
  /** The time of creation for a new memory. */
  createdAt: Date;
  maxMemoryBytes: number;
  /** Null if the store keeps no history. */
  recording: Recording | null;
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
  const { unless, variables = [], fields, isNothing, counts } = parts;
  const { recording } = settings;
  // If there is a history, each change returns how many changes the outbox contains.
  const receiptId = counts === null && recording === null ? null : newChangeId();
  const changes = [fields, countChange(parts, settings)];
  const merged = isNothing === undefined ? changes : [where(isNothing, {}, { $mergeObjects: changes })];
  const receipt = receiptId === null ? null : { lastChange: { id: receiptId, counts: counts ?? [0, 0] } };
  const after = withinLimit({ $mergeObjects: ["$$ROOT", ...merged, ...(receipt ? [receipt] : [])] }, parts, settings);
  return {
    receiptId,
    pipeline: [{ $replaceWith: bound(variables, where({ $or: unless }, "$$ROOT", after)) }],
  };
}

function countChange({ recorded, isUnchanged = false }: ChangeParts, settings: ChangeSettings): Expression {
  const { at, createdAt, recording } = settings;
  return {
    revision: { $sum: ["$revision", 1] },
    createdAt: { $ifNull: ["$createdAt", createdAt] },
    updatedAt: at,
    ...(recording && recorded && recordInOutbox(recording, recorded, isUnchanged)),
  };
}

/** A receipt takes 69 bytes, and 8 more if its counts are large. */
const receiptBytes = 80;

/**
 * Returns the document after a change, or the document before it if the change would exceed the limit. The sizes are
 * exact, so they are expensive; the first condition skips them for memories with room. A memory over its limit may
 * still shrink.
 */
function withinLimit(
  after: Expression,
  { growth }: ChangeParts,
  { maxMemoryBytes, recording }: ChangeSettings,
): Expression {
  if (growth === 0) return after;
  const measure = (document: string): Expression =>
    recording === null ? { $bsonSize: document } : bytesWithoutOutbox(document);
  const isFull: Expression = {
    $and: [
      { $gt: [{ $bsonSize: "$$ROOT" }, maxMemoryBytes - growth - receiptBytes] },
      { $gt: [measure("$$after"), { $max: [maxMemoryBytes, measure("$$ROOT")] }] },
    ],
  };
  return bound([["after", after]], where(isFull, "$$ROOT", "$$after"));
}
