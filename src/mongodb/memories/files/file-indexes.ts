import { type CallContext, createUnlimitedCall } from "../../../core/runtime/call.js";
import type { ClientSession, IndexDescription } from "mongodb";
import { memoryScopes } from "../../../core/values/address.js";
import { addressKeys, ownerKeys } from "../addresses/address-keys.js";
import { createIndexes } from "../../driver/create-indexes.js";
import { storageError } from "../../driver/errors.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import { asPlainValues } from "../../driver/plain-values.js";
import type { IdRange, IndexedDocument, StoredDocument, TextIdDocument } from "./documents.js";

/**
 * What a listing answers without the texts. It has the size and the time too, for outlines and summaries, and the id of
 * the text, for searches and watches: each change of a file writes a place of this index, which takes less than to read
 * the texts of a directory for a listing of it.
 */
export const listingIndex = {
  name: "files_by_id",
  key: { _id: 1, kind: 1, sizeBytes: 1, updatedAt: 1, textId: 1 },
} as const satisfies IndexDescription;

/** So that nothing but the index is read. */
export const listingProjection = { _id: 1, kind: 1, sizeBytes: 1, updatedAt: 1 } as const satisfies Record<
  keyof IndexedDocument,
  1
>;
export const textIdProjection = { _id: 1, kind: 1, textId: 1 } as const satisfies Record<keyof TextIdDocument, 1>;

const names = { global: "memories_global", perThread: "memories_per_thread", perUser: "memories_per_user" } as const;

/**
 * The roots of memories by their ids. They are not unique, as that would need another shard key; the ids of documents
 * are.
 */
export const rootIndexes = [
  ...memoryScopes.map((scope) => ({
    name: names[scope],
    key: addressKeys[scope],
    partialFilterExpression: createPartialFilter(scope),
  })),
  { name: "memories_by_thread", key: ownerKeys.threadId, partialFilterExpression: { threadId: { $type: "string" } } },
  { name: "memories_by_user", key: ownerKeys.userId, partialFilterExpression: { userId: { $type: "string" } } },
] satisfies (IndexDescription & { name: string })[];

/** Of the roots: by it a store finds the memories that have expired. Only one with `expireMs` makes it. */
export const expiryIndex = {
  name: "memories_by_change",
  key: { scope: 1, updatedAt: 1 },
  partialFilterExpression: { scope: { $exists: true } },
} as const satisfies IndexDescription;

const wordLanguage = { default_language: "english", language_override: "textLanguage" };

/**
 * The words of texts and paths. Only a store with `memoryTextIndex` makes it. English is nearest to how a search takes
 * words. No document has the field that could name another language.
 */
export const wordsIndex = {
  name: "files_by_words",
  key: { memory: 1, pathText: "text", text: "text" },
  ...wordLanguage,
} as const satisfies IndexDescription;

/** The same as the server tells it. */
export const toldWordsIndex = {
  name: wordsIndex.name,
  key: { memory: 1, _fts: "text", _ftsx: 1 },
  weights: { pathText: 1, text: 1 },
  ...wordLanguage,
} satisfies IndexDescription;

function createPartialFilter(scope: keyof typeof names): Record<string, unknown> {
  if (scope === "global") return { scope };
  return { scope, [scope === "perThread" ? "threadId" : "userId"]: { $exists: true } };
}

/** The index of every document's `_id`. With it named, the server does not weigh it against the index of listings. */
export const byId = { hint: { _id: 1 } } as const;

/** The fields that `placeOfFile` gives, of documents that have none. */
const partOfId = (index: number): object => ({ $arrayElemAt: [{ $split: ["$_id", "\0"] }, index] });
const path = { $concat: [partOfId(1), "/", partOfId(2)] };
const place = { memory: partOfId(0), pathText: { $replaceAll: { input: path, find: "_", replacement: " " } } };

/**
 * First the fields in documents that have none, so that whoever finds the index knows that it has all texts. No call
 * ends this, because other calls wait for it too.
 */
export async function makeWordsIndex(collection: ExactCollection<StoredDocument>, option: string): Promise<void> {
  try {
    if (!(await collection.hasIndex(wordsIndex.name))) {
      await collection.updateMany(
        { kind: "file", memory: { $exists: false } },
        [{ $set: place }],
        {},
        createUnlimitedCall(),
      );
    }
  } catch (error) {
    throw storageError(error, "read", null);
  }
  await createIndexes(collection, [wordsIndex], "a search", option);
}

/**
 * Whether a range has more documents. Examines so many places of the index of ids, which is the smallest, and answers
 * one at most.
 */
export async function hasMoreThan(
  collection: ExactCollection<StoredDocument>,
  count: number,
  _id: IdRange,
  session: ClientSession,
  call: CallContext,
): Promise<boolean> {
  const options = { projection: { _id: 1 }, ...byId, ...asPlainValues, skip: Math.max(0, count), limit: 1, session };
  return (await collection.find({ _id }, options, call).toArray()).length > 0;
}
