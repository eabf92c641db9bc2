import { appendSeparator, utf8Bytes } from "../../../core/text.js";
import { type Expression, literal, maxComparedBytes, textBytes, where } from "../expressions.js";
import { newTextId } from "./text-id.js";

/** One command that changes the text of a file that is there. Nothing is changed where the filter does not match. */
export interface TextUpdate {
  /** Beside the `_id` of the file. */
  filter: Record<string, unknown>;
  update: object;
}

const ofFile = { kind: "file" };

/** Does not match where the file could become too large, which the caller then finds out exactly. */
export function appendUpdate(content: string, now: Date, maxFileBytes: number): TextUpdate {
  const bytes = utf8Bytes(content);
  // Whether a newline is needed at all is known here for most texts; the end of the old text only to the server.
  const mayNeedNewline = appendSeparator("x", content) !== "";
  const withoutNewlines: Expression = { $rtrim: { input: "$text", chars: "\n" } };
  const joins: Expression = { $or: [{ $eq: ["$text", ""] }, { $ne: ["$text", withoutNewlines] }] };
  const start: Expression[] = mayNeedNewline ? ["$text", where(joins, "", "\n")] : ["$text"];
  return {
    filter: { ...ofFile, sizeBytes: { $lte: maxFileBytes - bytes - (mayNeedNewline ? 1 : 0) } },
    update: [{ $set: { text: { $concat: [...start, literal(content)] }, textId: newTextId(), updatedAt: now } }, { $set: { sizeBytes: textBytes("$text") } }],
  };
}

export function writeUpdate(content: string, now: Date): TextUpdate {
  return { filter: ofFile, update: { $set: { text: content, textId: newTextId(), sizeBytes: utf8Bytes(content), updatedAt: now } } };
}

/** Sets the text if it is still `expected`. */
export function swapUpdate(expected: string, content: string, now: Date): TextUpdate {
  const { filter, update } = writeUpdate(content, now);
  return { filter: { ...filter, text: { $eq: expected } }, update };
}

/**
 * Leaves a receipt with how often the text was there (ADR 0020), unless the file would become too large. Does not match where the server
 * would take long to search.
 * @param id of the receipt, and of the new text
 */
export function replaceUpdate(id: string, search: string, content: string, now: Date, maxFileBytes: number): TextUpdate {
  const searchBytes = utf8Bytes(search);
  // It is compared at each place of the text where it could begin, and at one at least.
  const maxTextBytes = searchBytes - 1 + Math.floor(maxComparedBytes / searchBytes);
  const replaced: Expression = { $subtract: [{ $size: { $split: ["$text", literal(search)] } }, 1] };
  const sizeBytes: Expression = { $add: ["$sizeBytes", { $multiply: ["$$replaced", utf8Bytes(content) - searchBytes] }] };
  const receipt: Expression = { lastChange: { id, replaced: "$$replaced" } };
  const text: Expression = { $replaceAll: { input: "$text", find: literal(search), replacement: literal(content) } };
  const changed: Expression = { $mergeObjects: ["$$ROOT", receipt, { text, textId: id, sizeBytes: "$$sizeBytes", updatedAt: now }] };
  const answered: Expression = { $mergeObjects: ["$$ROOT", receipt] };
  const made = where({ $eq: ["$$replaced", 0] }, answered, where({ $gt: ["$$sizeBytes", maxFileBytes] }, "$$ROOT", changed));
  const inner: Expression = { $let: { vars: { sizeBytes }, in: made } };
  return { filter: { ...ofFile, sizeBytes: { $lte: maxTextBytes } }, update: [{ $replaceWith: { $let: { vars: { replaced }, in: inner } } }] };
}
