import { createIndexes } from "../../driver/create-indexes.js";
import { storageError } from "../../driver/errors.js";
import type { ExactCollection } from "../../driver/exact-collection.js";
import { wordsIndex } from "./file-indexes.js";
import type { StoredDocument } from "./stored-document.js";

/** The fields that `placeOfFile` gives, of documents that have none. */
const partOfId = (index: number): object => ({ $arrayElemAt: [{ $split: ["$_id", "\0"] }, index] });
const path = { $concat: [partOfId(1), "/", partOfId(2)] };
const place = { memory: partOfId(0), pathText: { $replaceAll: { input: path, find: "_", replacement: " " } } };

/** First the fields in documents that have none, so that whoever finds the index knows that it has all texts. */
export async function makeWordsIndex(collection: ExactCollection<StoredDocument>, option: string): Promise<void> {
  try {
    if (!(await collection.hasIndex(wordsIndex.name))) {
      await collection.updateMany({ kind: "file", memory: { $exists: false } }, [{ $set: place }], {});
    }
  } catch (error) {
    throw storageError(error, "read", null);
  }
  await createIndexes(collection, [wordsIndex], "a search", option);
}
