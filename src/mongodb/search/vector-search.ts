import type { Document } from "mongodb";
import { invalid } from "../../core/values/errors.js";
import type { ItemFilter } from "../operations/filters.js";
import { vectorField } from "../items/item-document.js";
import { namespacesWithin } from "../operations/namespaces.js";

/** A vector index of MongoDB Search (Atlas), which you make and the store only uses. */
export interface VectorSearchOptions {
  /** An index of type `vectorSearch` on the items. */
  indexName: string;
  /** Fields of values. The index must have each as a `filter` field `value.<name>`. @default none */
  filterFields?: string[];
  /** The number of texts of an item that have a vector field in the index, `…text0`, `…text1` and so on: at most 20. @default 1 */
  textsPerItem?: number;
}

/** The server's limit. */
const maxCandidates = 10_000;

export interface VectorSearch {
  collectionName: string;
  vector: readonly number[];
  selection: Document;
  prefix: readonly string[];
  filter: ItemFilter;
  /** Whether the selection can leave out some items that the vectors find. */
  selective: boolean;
  atMost: number;
}

/** Creates stages that return `{ _id, score }`, best first. The stages also check what the index cannot decide. */
export function createVectorSearchPipeline(options: VectorSearchOptions, search: VectorSearch): Document[] {
  const { atMost, selection } = search;
  if (atMost > maxCandidates) {
    throw invalid(
      `a search by a vector index answers at most ${maxCandidates} items: offset and limit together are more`,
    );
  }
  // Number of neighbours that a search compares.
  const numCandidates = Math.min(Math.max(100, 20 * atMost), maxCandidates);
  const findAt = (position: number): Document[] => [
    {
      $vectorSearch: {
        index: options.indexName,
        path: `embedded.vectors.${vectorField(position)}`,
        queryVector: search.vector,
        numCandidates,
        limit: search.selective ? numCandidates : atMost,
        ...createIndexFilter(options.filterFields ?? [], search),
      },
    },
    { $match: selection },
    // The index answers (1 + c) / 2 for a cosine c.
    { $project: { score: { $subtract: [{ $multiply: [2, { $meta: "vectorSearchScore" }] }, 1] } } },
  ];
  const others = Array.from({ length: (options.textsPerItem ?? 1) - 1 }, (_, index) => findAt(index + 1));
  return [
    ...findAt(0),
    ...others.map((pipeline) => ({ $unionWith: { coll: search.collectionName, pipeline } })),
    ...(others.length > 0 ? [{ $group: { _id: "$_id", score: { $max: "$score" } } }] : []),
    { $sort: { score: -1, _id: 1 } },
    ...(search.filter.matchesAll ? [{ $limit: atMost }] : []),
  ];
}

/** Returns the conditions that the index can decide. None of them leaves out an item that matches. */
function createIndexFilter(fields: readonly string[], { prefix, filter }: VectorSearch): { filter?: Document } {
  const known = filter.equalities.filter(({ key }) => fields.includes(key));
  const conditions = [
    ...(prefix.length > 0 ? [{ ns: namespacesWithin(prefix) }] : []),
    ...known.map(({ key, operands }) => ({ [`value.${key}`]: { $in: operands } })),
  ];
  return conditions.length === 0 ? {} : { filter: { $and: conditions } };
}
