import { appendSeparator, utf8Bytes } from "../../../core/values/text.js";
import { bound, type Expression, literal, maxComparedBytes, textBytes, where } from "../expressions.js";
import { newChangeId } from "../change-id.js";

/**
 * One command that changes the text of a file that is there. What must hold stands in the pipeline: a filter of the
 * `_id` alone is what the server finds without planning, and a document that is set to what it is counts as not
 * modified.
 */
export interface TextUpdate {
  /** The new id of the text. Where the document has another one, nothing was changed. */
  textId: string;
  pipeline: object[];
}

const isFile: Expression = { $eq: ["$kind", "file"] };

/** Changes nothing where the file could become too large, which the caller then finds out exactly. */
export function appendUpdate(content: string, now: Date, maxFileBytes: number): TextUpdate {
  const bytes = utf8Bytes(content);
  // Whether a newline is needed at all is known here for most texts; the end of the old text only to the server.
  const mayNeedNewline = appendSeparator("x", content) !== "";
  const withoutNewlines: Expression = { $rtrim: { input: "$text", chars: "\n" } };
  const joins: Expression = { $or: [{ $eq: ["$text", ""] }, { $ne: ["$text", withoutNewlines] }] };
  const start: Expression[] = mayNeedNewline ? ["$text", where(joins, "", "\n")] : ["$text"];
  const hasRoom: Expression = { $lte: ["$sizeBytes", maxFileBytes - bytes - (mayNeedNewline ? 1 : 0)] };
  const textId = newChangeId();
  const changed = bound(
    [["text", { $concat: [...start, literal(content)] }]],
    withFields({ text: "$$text", textId, sizeBytes: textBytes("$$text"), updatedAt: now }),
  );
  return { textId, pipeline: [{ $replaceWith: where({ $and: [isFile, hasRoom] }, changed, "$$ROOT") }] };
}

export function writeUpdate(content: string, now: Date): TextUpdate {
  return setUpdate(isFile, content, now);
}

/** Sets the text if it is still `expected`. */
export function swapUpdate(expected: string, content: string, now: Date): TextUpdate {
  return setUpdate({ $and: [isFile, { $eq: ["$text", literal(expected)] }] }, content, now);
}

function setUpdate(condition: Expression, content: string, now: Date): TextUpdate {
  const textId = newChangeId();
  const changed = withFields({ text: literal(content), textId, sizeBytes: utf8Bytes(content), updatedAt: now });
  return { textId, pipeline: [{ $replaceWith: where(condition, changed, "$$ROOT") }] };
}

/**
 * Leaves a receipt with how often the text was there (ADR 0020), unless the file would become too large. Changes
 * nothing where the server would take long to search.
 */
export function replaceUpdate(search: string, content: string, now: Date, maxFileBytes: number): TextUpdate {
  const textId = newChangeId();
  const searchBytes = utf8Bytes(search);
  // It is compared at each place of the text where it could begin, and at one at least.
  const maxTextBytes = searchBytes - 1 + Math.floor(maxComparedBytes / searchBytes);
  const replaced: Expression = { $subtract: [{ $size: { $split: ["$text", literal(search)] } }, 1] };
  const sizeBytes: Expression = {
    $add: ["$sizeBytes", { $multiply: ["$$replaced", utf8Bytes(content) - searchBytes] }],
  };
  const receipt = { lastChange: { id: textId, replaced: "$$replaced" } };
  const text: Expression = { $replaceAll: { input: "$text", find: literal(search), replacement: literal(content) } };
  const changed = withFields({ ...receipt, text, textId, sizeBytes: "$$sizeBytes", updatedAt: now });
  const made = where(
    { $eq: ["$$replaced", 0] },
    withFields(receipt),
    where({ $gt: ["$$sizeBytes", maxFileBytes] }, "$$ROOT", changed),
  );
  const counted = bound(
    [
      ["replaced", replaced],
      ["sizeBytes", sizeBytes],
    ],
    made,
  );
  return {
    textId,
    pipeline: [{ $replaceWith: where({ $and: [isFile, { $lte: ["$sizeBytes", maxTextBytes] }] }, counted, "$$ROOT") }],
  };
}

function withFields(fields: { [name: string]: Expression }): Expression {
  return { $mergeObjects: ["$$ROOT", fields] };
}
