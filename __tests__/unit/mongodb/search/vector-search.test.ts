import { describe, expect, it } from "@jest/globals";
import { parseFilter } from "../../../../src/mongodb/operations/filters.js";
import { createVectorSearchPipeline, type VectorSearch } from "../../../../src/mongodb/search/vector-search.js";

const selection = { $and: [{ _id: { $gte: "" } }] };

function pipelineOf(
  options: Partial<Parameters<typeof createVectorSearchPipeline>[0]> = {},
  search: Partial<VectorSearch> = {},
): ReturnType<typeof createVectorSearchPipeline> {
  const defaults = {
    collectionName: "items",
    vector: [1, 0],
    selection,
    prefix: [],
    filter: parseFilter(undefined),
    selective: false,
    atMost: 10,
  };
  return createVectorSearchPipeline({ indexName: "vectors", ...options }, { ...defaults, ...search });
}

const stageOf = (...given: Parameters<typeof pipelineOf>): Record<string, unknown> =>
  pipelineOf(...given)[0]?.["$vectorSearch"];

describe("createVectorSearchPipeline", () => {
  it("asks the index for the nearest, and makes a cosine of their score", () => {
    expect(pipelineOf()).toEqual([
      {
        $vectorSearch: {
          index: "vectors",
          path: "embedded.vectors.text0",
          queryVector: [1, 0],
          numCandidates: 200,
          limit: 10,
        },
      },
      { $match: selection },
      { $project: { score: { $subtract: [{ $multiply: [2, { $meta: "vectorSearchScore" }] }, 1] } } },
      { $sort: { score: -1, _id: 1 } },
      { $limit: 10 },
    ]);
  });

  it("takes the best of several texts of an item", () => {
    const pipeline = pipelineOf({ textsPerItem: 3 });
    const paths = pipeline.slice(3, 5).map((stage) => stage["$unionWith"].pipeline[0].$vectorSearch.path);
    expect(paths).toEqual(["embedded.vectors.text1", "embedded.vectors.text2"]);
    expect(pipeline.slice(3, 5).map((stage) => stage["$unionWith"].coll)).toEqual(["items", "items"]);
    expect(pipeline.slice(5)).toEqual([
      { $group: { _id: "$_id", score: { $max: "$score" } } },
      { $sort: { score: -1, _id: 1 } },
      { $limit: 10 },
    ]);
  });

  it("tells the index the prefix, and what it knows of the filter: no condition that leaves out an item that matches", () => {
    const filter = parseFilter({
      kind: "x",
      n: { $in: [1, 2] },
      unknown: "x",
      list: { $eq: null },
      mixed: { $in: ["a", null] },
      not: { $ne: 1 },
      more: { $gt: 1 },
      "a.b": 1,
    });
    const filterFields = ["kind", "n", "list", "mixed", "not", "more", "a.b"];
    expect(stageOf({ filterFields }, { prefix: ["a", "b"], filter, selective: true })).toMatchObject({
      filter: {
        $and: [
          { ns: { $gte: "a\0b", $lt: "a\0b\u0001" } },
          { "value.kind": { $in: ["x"] } },
          { "value.n": { $in: [1, 2] } },
        ],
      },
      limit: 200,
    });
    expect(pipelineOf({ filterFields }, { filter }).at(-1)).toEqual({ $sort: { score: -1, _id: 1 } });
  });

  it("stays within what the server allows", () => {
    expect(stageOf({}, { atMost: 1 })).toMatchObject({ numCandidates: 100, limit: 1 });
    expect(stageOf({}, { atMost: 60 })).toMatchObject({ numCandidates: 1200, limit: 60 });
    expect(stageOf({}, { atMost: 10_000 })).toMatchObject({ numCandidates: 10_000 });
    expect(() => pipelineOf({}, { atMost: 10_001 })).toThrow(/at most 10000/);
    expect(() => pipelineOf({}, { atMost: Infinity })).toThrow(/at most 10000/);
  });
});
