import { createUnlimitedCall } from "../../../../src/core/runtime/call.js";
import { expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { parseFilter } from "../../../../src/mongodb/operations/filters.js";
import type { ItemCollection } from "../../../../src/mongodb/items/item-collection.js";
import type { ItemDocument } from "../../../../src/mongodb/items/item-document.js";
import { storedNamespace, createItemId } from "../../../../src/mongodb/operations/namespaces.js";
import { SemanticRanking } from "../../../../src/mongodb/search/semantic-ranking.js";
import { FakeEmbeddings } from "../../../helpers/fake-embeddings.js";

const createDocument = (key: string, n: unknown): ItemDocument => {
  const times = { createdAt: new Date(0), updatedAt: new Date(0) };
  return { _id: createItemId(["a"], key), ns: storedNamespace(["a"]), key, value: { n }, ...times };
};

async function* batch<T>(values: readonly T[]): AsyncGenerator<readonly T[]> {
  yield values;
}

it("answers what $vectorSearch found, in its order, then what has no vector", async () => {
  const documents = [
    createDocument("best", 6),
    createDocument("second", 7),
    createDocument("changed since", 1),
    createDocument("without", 8),
  ];
  const [best, second, changed, without] = documents.map(({ _id }) => _id);
  const asked: { pipeline?: object[]; query?: object } = {};
  const items: Partial<ItemCollection> = {
    selection: (range, filter) => ({ $and: [{ _id: range }, ...filter.query] }),
    find: (ids) =>
      Promise.resolve(
        new Map(documents.filter(({ _id }) => ids.includes(_id)).map((document) => [document._id, document])),
      ),
    aggregate: (pipeline) => {
      asked.pipeline = pipeline;
      const found = [best, second, changed, "deleted since"].map((_id, index) => ({ _id, score: 1 - index / 4 }));
      return batch(found) as AsyncGenerator<never>;
    },
    query: (query) => {
      asked.query = query;
      return batch([{ _id: without }]) as AsyncGenerator<never>;
    },
  };
  const ranking = new SemanticRanking({
    client: new MongoClient("mongodb://unused"),
    config: { dims: 2, embeddings: new FakeEmbeddings(2) },
    vectorSearch: { indexName: "vectors" },
    collectionName: "items",
    expires: true,
  });
  const search = await ranking.prepare(["aab"], items as ItemCollection, createUnlimitedCall());
  const filter = parseFilter({ n: { $gt: "5" } });
  const { scored, unscored } = await search({ query: "aab", prefix: ["a"], filter, atMost: 10 });
  const answers = [];
  for (const batches of [scored, unscored])
    for await (const scores of batches) for (const { key, score } of scores) answers.push([key, score]);
  expect(answers).toEqual([
    ["best", 1],
    ["second", 0.75],
    ["without", undefined],
  ]);
  expect(asked.pipeline?.[0]).toMatchObject({
    $vectorSearch: { queryVector: [2, 1], limit: 200, filter: { $and: [{ ns: { $gte: "a" } }] } },
  });
  expect(asked.query).toMatchObject({
    $and: [{ $and: [{ _id: { $gte: "a\0" } }, {}] }, { embedded: { $exists: false } }],
  });
});
