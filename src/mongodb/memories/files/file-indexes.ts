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
 * The fields that a listing returns without texts. Size and time are for outlines and summaries, the id of the text for
 * searches and watches. Each change of a file updates an entry of this index, which costs less than reading the texts
 * of a directory for each listing.
 */
export const listingIndex = {
  name: "files_by_id",
  key: { _id: 1, kind: 1, sizeBytes: 1, updatedAt: 1, textId: 1 },
} as const satisfies IndexDescription;

/** Exactly the fields of the index, so that the server reads nothing else. */
export const listingProjection = { _id: 1, kind: 1, sizeBytes: 1, updatedAt: 1 } as const satisfies Record<
  keyof IndexedDocument,
  1
>;
export const textIdProjection = { _id: 1, kind: 1, textId: 1 } as const satisfies Record<keyof TextIdDocument, 1>;

const names = { global: "memories_global", perThread: "memories_per_thread", perUser: "memories_per_user" } as const;

/**
 * The roots of memories by their ids. The indexes are not unique, because unique indexes would need another shard key.
 * The ids of documents are unique.
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

/** An index of roots in which a store finds expired memories. Only a store with `expireMs` creates it. */
export const expiryIndex = {
  name: "memories_by_change",
  key: { scope: 1, updatedAt: 1 },
  partialFilterExpression: { scope: { $exists: true } },
} as const satisfies IndexDescription;

const wordLanguage = { default_language: "english", language_override: "textLanguage" };

/**
 * The words of texts and paths. Only a store with `memoryTextIndex` creates the index. English is closest to how a
 * search handles words. No document has the field that could name another language.
 */
export const wordsIndex = {
  name: "files_by_words",
  key: { memory: 1, pathText: "text", text: "text" },
  ...wordLanguage,
} as const satisfies IndexDescription;

/** The index of words as the server describes it. */
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

/** Selects the index on `_id`. Without the hint the server would also consider the index of listings. */
export const byId = { hint: { _id: 1 } } as const;

/** The fields of `placeOfFile`, computed on the server for documents without these fields. */
const partOfId = (index: number): object => ({ $arrayElemAt: [{ $split: ["$_id", "\0"] }, index] });
const path = { $concat: [partOfId(1), "/", partOfId(2)] };
const place = { memory: partOfId(0), pathText: { $replaceAll: { input: path, find: "_", replacement: " " } } };

/**
 * First adds the fields to documents that lack them: the index then always contains all texts. No call can abort this
 * function, because other calls wait for it too.
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
 * Whether a range has more documents than `count`. Examines that many entries of the index on `_id`, which is the
 * smallest, and returns at most one.
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
