import type { CallContext } from "../../../../core/runtime/call.js";
import type { ApplySettings } from "../../../../core/tree/apply-change.js";
import { type Change, type ChangeResult, noResult } from "../../../../core/tree/change.js";
import { appendSeparator, utf8Bytes } from "../../../../core/values/text.js";
import type { ExactCollection } from "../../../driver/exact-collection.js";
import { asPlainValues } from "../../../driver/plain-values.js";
import { bound, type Expression, literal, maxComparedBytes, textBytes, where } from "../../expressions.js";
import { newChangeId } from "../../change-id.js";
import { idOfPath, type StoredDocument, type StoredFile } from "../documents.js";
import { byId } from "../file-indexes.js";
import { type FilesContext, readAcknowledged } from "../files-context.js";

type Files = ExactCollection<StoredDocument>;

/** One command. Null: nothing was changed. */
export type Attempt = (files: Files, call: CallContext) => Promise<ChangeResult | null>;

/**
 * Returns the one command that changes an existing file. Null if no single command can make the change.
 * @param before the text that an edit starts from.
 * @throws what `edit` throws
 */
export function attemptChange(
  key: string,
  change: Change,
  { now, maxFileBytes }: ApplySettings,
  before: string | null,
): Attempt | null {
  const _id = idOfPath(key, change.path);
  switch (change.type) {
    case "append":
      return (files, call) => append(files, _id, appendUpdate(change.content, now, maxFileBytes), call);
    case "write": {
      if (change.ifExists === "fail" || utf8Bytes(change.content) > maxFileBytes) return null;
      return (files, call) => setText(files, _id, change.content, writeUpdate(change.content, now), now, call);
    }
    case "edit": {
      if (before === null) return null;
      const content = change.edit(before);
      if (utf8Bytes(content) > maxFileBytes) return null;
      return (files, call) => setText(files, _id, content, swapUpdate(before, content, now), now, call);
    }
    case "update":
      return (files, call) =>
        replace(files, _id, replaceUpdate(change.oldContent, change.content, now, maxFileBytes), call);
    case "delete":
      return (files, call) => deleteFile(files, _id, call);
    case "rename":
      return null;
  }
}

/** Returns null if there is no file. */
export async function readText(
  context: FilesContext,
  key: string,
  path: string,
  call: CallContext,
): Promise<string | null> {
  const options = { projection: { _id: 0, kind: 1, text: 1 }, ...asPlainValues, ...readAcknowledged(context) };
  const found = await context.collection.findOne<StoredDocument>({ _id: idOfPath(key, path) }, options, call);
  return found?.kind === "file" ? found.text : null;
}

/** An update without an answer is cheaper: a replica set would keep a copy of the document to repeat the answer. */
async function append(
  files: Files,
  _id: string,
  { pipeline }: TextUpdate,
  call: CallContext,
): Promise<ChangeResult | null> {
  return (await files.updateOne({ _id }, pipeline, {}, call)).modifiedCount === 1 ? noResult : null;
}

async function setText(
  files: Files,
  _id: string,
  content: string,
  { pipeline, textId }: TextUpdate,
  updatedAt: Date,
  call: CallContext,
): Promise<ChangeResult | null> {
  const options = {
    projection: { _id: 0, createdAt: 1, textId: 1 },
    returnDocument: "after",
    ...asPlainValues,
  } as const;
  const found = await files.findOneAndUpdate<Pick<StoredFile, "createdAt" | "textId">>(
    { _id },
    pipeline,
    options,
    call,
  );
  if (found?.textId !== textId) return null;
  const file = { kind: "file", sizeBytes: utf8Bytes(content), createdAt: found.createdAt, updatedAt } as const;
  return { ...noResult, file };
}

async function replace(
  files: Files,
  _id: string,
  { pipeline, textId }: TextUpdate,
  call: CallContext,
): Promise<ChangeResult | null> {
  const options = { projection: { _id: 0, lastChange: 1 }, returnDocument: "after", ...asPlainValues } as const;
  const found = await files.findOneAndUpdate<Pick<StoredFile, "lastChange">>({ _id }, pipeline, options, call);
  if (found?.lastChange?.id !== textId) return null;
  return { ...noResult, replaced: found.lastChange.replaced };
}

async function deleteFile(files: Files, _id: string, call: CallContext): Promise<ChangeResult | null> {
  const isDeleted = (await files.deleteOne({ _id, kind: "file" }, byId, call)) > 0;
  return isDeleted ? { ...noResult, deleted: { files: 1, dirs: 0 } } : null;
}

/**
 * One command that changes the text of an existing file. The conditions are in the pipeline: the server finds a
 * document by a filter on `_id` alone without planning, and a document that is set to itself counts as not modified.
 */
interface TextUpdate {
  /** The new id of the text. If the document has another id afterwards, nothing was changed. */
  textId: string;
  pipeline: object[];
}

const isFile: Expression = { $eq: ["$kind", "file"] };

/** Changes nothing if the file could become too large. `transact` then computes the exact size. */
function appendUpdate(content: string, now: Date, maxFileBytes: number): TextUpdate {
  const bytes = utf8Bytes(content);
  // For most texts the appended text alone shows that no newline is needed. Only the server knows how the old text
  // ends.
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

function writeUpdate(content: string, now: Date): TextUpdate {
  return setUpdate(isFile, content, now);
}

/** Sets the text if it is still `expected`. */
function swapUpdate(expected: string, content: string, now: Date): TextUpdate {
  return setUpdate({ $and: [isFile, { $eq: ["$text", literal(expected)] }] }, content, now);
}

function setUpdate(condition: Expression, content: string, now: Date): TextUpdate {
  const textId = newChangeId();
  const changed = withFields({ text: literal(content), textId, sizeBytes: utf8Bytes(content), updatedAt: now });
  return { textId, pipeline: [{ $replaceWith: where(condition, changed, "$$ROOT") }] };
}

/**
 * Replaces a text and writes a receipt with the number of replacements (ADR 0020), unless the file would become too
 * large. Changes nothing if the search would take the server long.
 */
function replaceUpdate(search: string, content: string, now: Date, maxFileBytes: number): TextUpdate {
  const textId = newChangeId();
  const searchBytes = utf8Bytes(search);
  // The search text is compared at each position where it could begin, and at least at one.
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
