import type { Document } from "mongodb";
import { MemoryError } from "../../core/errors.js";
import type { ExactCollection } from "./exact-collection.js";
import { reading } from "./reads.js";

/** What tells the documents of a collection from those of other programs. */
export interface OwnDocuments {
  /** A filter that every document of ours matches. */
  filter: object;
  /** The option that names another collection. */
  option: string;
}

/**
 * Looks at the documents with the least and the greatest id, which costs the same in a collection of any size. Ids of other
 * types sort before or after all of one type.
 * @throws MemoryError EIO where one of them is of another program
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
  const [foreign] = await reading(() => collection.aggregate(pipeline, {}).toArray());
  if (foreign === undefined) return;
  throw new MemoryError(
    "EIO",
    `EIO: the collection ${collection.name} holds documents of another program, so the store leaves it alone; name another with the option ${option}`,
  );
}
