import type { Document } from "mongodb";
import { MemoryError } from "../../core/values/errors.js";
import { createUnlimitedCall } from "../../core/runtime/call.js";
import type { ExactCollection } from "./exact-collection.js";
import { reading } from "./reads.js";

/** The marks of our documents in a collection that another program may use. */
export interface OwnDocuments {
  /** A filter that matches each of our documents. */
  filter: object;
  /** The option that names another collection. */
  option: string;
}

/**
 * Reads the documents with the lowest and the highest id, which costs the same in a collection of any size. MongoDB
 * sorts ids by type first, so an id of another type comes before or after all of ours. No call can abort this, because
 * other calls wait for it too.
 * @throws MemoryError EIO if one of the two belongs to another program
 */
export async function refuseForeignDocuments<Stored extends Document>(
  collection: ExactCollection<Stored>,
  { filter, option }: OwnDocuments,
): Promise<void> {
  const lookAt = (direction: 1 | -1): Document[] => [
    { $sort: { _id: direction } },
    { $limit: 1 },
    { $match: { $nor: [filter] } },
    { $project: { _id: 1 } },
  ];
  const pipeline = [...lookAt(1), { $unionWith: { coll: collection.name, pipeline: lookAt(-1) } }];
  const [foreign] = await reading(() => collection.aggregate(pipeline, createUnlimitedCall()).toArray());
  if (foreign === undefined) return;
  throw new MemoryError(
    "EIO",
    `EIO: the collection ${collection.name} contains documents of another program, so the store does not use it; name ` +
      `another with the option ${option}`,
  );
}
