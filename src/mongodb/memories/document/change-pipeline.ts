import { newChangeId } from "../change-id.js";
import { bound, type Expression, type Variables, where } from "../expressions.js";
import { bytesWithoutOutbox, recordInOutbox, type RecordedParts, type Recording } from "./outbox.js";

/** What a change is made of, as expressions of the document before it. The variables are known to all the others. */
export interface ChangeParts {
  /** Nothing is changed where one holds. They may refuse more than has to be refused. */
  unless: Expression[];
  variables?: Variables;
  /** An object of the fields that get a new value. */
  fields: Expression;
  /** What the history is told. Null: nothing. */
  recorded: RecordedParts | null;
  /** Where it holds, nothing is different afterwards, and the history is told nothing. @default false */
  isUnchanged?: Expression;
  /** Where it holds, the change only leaves its receipt, so that it stays one command. */
  isNothing?: Expression;
  /** Two numbers that the change answers. Null: it answers nothing. */
  counts: Expression | null;
  /** What else it answers, of the document after it: `createdAt` of a file, or `isNothing`, if there was nothing to do. */
  answer?: Record<"createdAt", Expression> | Record<"isNothing", Expression>;
  /** At most so many bytes the document grows. 0: its limit is not checked. */
  growth: number;
}

export interface ChangeSettings {
  /** When the memory changes. */
  at: Date;
  /** When it is created, if it is new. */
  createdAt: Date;
  maxMemoryBytes: number;
  /** Null where the store keeps no history. */
  recording: Recording | null;
}

/** A change that the server makes or refuses in one command. */
export interface PipelineCommand {
  pipeline: Record<string, Expression>[];
  /** The id of the receipt. Null: it leaves none. */
  receiptId: string | null;
}

/**
 * Holds for a document of the earlier system: it has content, whose `data` may be nested, but no revision. The first of
 * the three fields that exists is then an object, and objects sort after numbers. Holds for the mark of a moved memory
 * too.
 */
export const isLegacy: Expression = { $gte: [{ $ifNull: ["$revision", "$data", "$dirs"] }, {}] };

export function createCommand(parts: ChangeParts, settings: ChangeSettings): PipelineCommand {
  const { unless, variables = [], fields, isNothing, counts } = parts;
  const { recording } = settings;
  // With a history each change answers how much the outbox holds.
  const receiptId = counts === null && recording === null ? null : newChangeId();
  const changes = [fields, countChange(parts, settings)];
  const merged = isNothing === undefined ? changes : [where(isNothing, {}, { $mergeObjects: changes })];
  const receipt = receiptId === null ? null : { lastChange: { id: receiptId, counts: counts ?? [0, 0] } };
  const after = withinLimit({ $mergeObjects: ["$$ROOT", ...merged] }, receipt, parts, settings);
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

/**
 * The document after a change, or as it was where that would be over the limit. The sizes are exact; the first condition
 * keeps them away from memories with room. A memory over its limit may still shrink.
 */
function withinLimit(
  after: Expression,
  receipt: Expression,
  { growth }: ChangeParts,
  { maxMemoryBytes, recording }: ChangeSettings,
): Expression {
  const withReceipt = (document: Expression): Expression =>
    receipt === null ? document : { $mergeObjects: [document, receipt] };
  if (growth === 0) return withReceipt(after);
  const measure = (document: string): Expression =>
    recording === null ? { $bsonSize: document } : bytesWithoutOutbox(document);
  const isFull: Expression = {
    $and: [
      { $gt: [{ $bsonSize: "$$ROOT" }, maxMemoryBytes - growth] },
      { $gt: [measure("$$after"), { $max: [maxMemoryBytes, measure("$$ROOT")] }] },
    ],
  };
  return bound([["after", after]], where(isFull, "$$ROOT", withReceipt("$$after")));
}
