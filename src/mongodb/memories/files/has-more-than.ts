import type { ClientSession } from "mongodb";
import { asPlainValues } from "../../driver/plain-values.js";
import type { IdRange } from "./document-ids.js";
import { byId } from "./file-indexes.js";
import type { FilesContext } from "./files-context.js";

/**
 * Whether a range has more documents. Examines so many places of the index of ids, which is the smallest, and answers
 * one at most.
 */
export async function hasMoreThan(
  { collection }: Pick<FilesContext, "collection">,
  count: number,
  _id: IdRange,
  session: ClientSession,
): Promise<boolean> {
  const options = { projection: { _id: 1 }, ...byId, ...asPlainValues, skip: Math.max(0, count), limit: 1, session };
  return (await collection.find({ _id }, options).toArray()).length > 0;
}
