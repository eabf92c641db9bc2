import { expect, it, describe } from "@jest/globals";
import { MongoClient, Binary } from "mongodb";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { HumanMessage } from "@langchain/core/messages";

import { createUnlimitedCall } from "../../../src/core/runtime/call.js";
import { parseFilter } from "../../../src/mongodb/operations/filters.js";
import type { ItemCollection } from "../../../src/mongodb/items/item-collection.js";
import type { ItemDocument } from "../../../src/mongodb/items/item-document.js";
import { storedNamespace, createItemId } from "../../../src/mongodb/operations/namespaces.js";
import { SemanticRanking } from "../../../src/mongodb/search/semantic-ranking.js";
import { freshMemory } from "../../helpers/fresh-memory.js";
import { FakeEmbeddings } from "../../helpers/fake-embeddings.js";
import { leafTexts, textsAt, textsAtPath } from "../../../src/mongodb/search/text-paths.js";
import { createVectorSearchPipeline, type VectorSearch } from "../../../src/mongodb/search/vector-search.js";
import { packVector, VectorScorer, vectorSizeBytes, vectorSubtype } from "../../../src/mongodb/embeddings/vectors.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { TextRedactor } from "../../../src/core/history/text-redactor.js";
import { logConversation } from "../../../src/index.js";
import { listTextForms } from "../../../src/mongodb/history/redaction/redact-forms.js";
import { doAtOnce } from "../../helpers/at-once.js";

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

const value = {
  title: "t",
  count: 5,
  done: false,
  nothing: null,
  deep: { er: { text: "deep" }, title: "inner" },
  tags: ["x", "y", 3],
  parts: [{ text: "one", list: ["a", "b"] }, { text: "two" }, { other: "three" }],
  "a b": "spaced",
  $: "dollar",
};

describe("textsAtPath", () => {
  it.each([
    "$",
    "title",
    "count",
    "done",
    "nothing",
    "missing",
    "deep",
    "deep.er.text",
    "deep.missing.text",
    "title.length",
    "tags",
    "tags[*]",
    "tags[0]",
    "tags[-1]",
    "tags[9]",
    "tags[-9]",
    "tags[x]",
    "title[0]",
    "parts[*].text",
    "parts[1].text",
    "parts[*].list[*]",
    "*",
    "deep.*",
    "parts.*.text",
    "{title,count}",
    "{title, deep.er.text}",
    "deep.{title}",
    "{missing}",
    "parts[*].{text,other}",
    "a b",
    "$.title",
    "[0]",
    "tags[*",
    "{title",
  ])("finds what InMemoryStore embeds: %s", async (path) => {
    const embeddings = new FakeEmbeddings();
    const reference = new InMemoryStore({ index: { dims: 4, embeddings, fields: [path] } });
    await reference.put(["a"], "k", value);
    expect(textsAt(value, [path]).toSorted()).toEqual(embeddings.documentCalls.flat().toSorted());
  });

  it("finds each object once, by however many ways a path leads to it", () => {
    const levels = 60;
    const deep = JSON.parse(`${'{"a":'.repeat(levels)}"x"${"}".repeat(levels)}`) as Record<string, unknown>;
    expect(textsAt(deep, ["{a,a}".repeat(levels)])).toEqual(["x"]);
  });

  it("finds nothing in what an object inherits, and writes a bigint as its digits", () => {
    expect(textsAtPath(value, "constructor.name")).toEqual([]);
    expect(textsAtPath({ n: 5n }, "n")).toEqual(["5"]);
    expect(textsAtPath({ n: 5n }, "$")).toEqual(['{\n  "n": "5"\n}']);
  });
});

describe("leafTexts", () => {
  it("takes texts and numbers at any depth, and no names", () => {
    const leaves = leafTexts({
      a: "x",
      b: [1, { c: "y", d: null }],
      e: true,
      f: new Date(0),
      g: Uint8Array.of(1),
      h: 5n,
      i: "",
    });
    expect(leaves).toEqual(["x", "1", "y", "5"]);
  });
});

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

const number = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 });

describe("packVector", () => {
  it("packs as BSON does", () => {
    fc.assert(
      fc.property(fc.array(number), (numbers) => {
        const vector = Float32Array.from(numbers);
        const packed = packVector(vector);
        expect(packed).toHaveLength(vectorSizeBytes(numbers.length));
        expect([...packed]).toEqual([...Binary.fromFloat32Array(vector).value()]);
        expect([...new Binary(packed, vectorSubtype).toFloat32Array()]).toEqual([...vector]);
      }),
    );
  });
});

describe("VectorScorer", () => {
  it("answers the cosine, wherever the bytes begin", () => {
    const pairs = fc
      .integer({ min: 1, max: 20 })
      .chain((dims) => fc.tuple(...[0, 1].map(() => fc.array(number, { minLength: dims, maxLength: dims }))));
    fc.assert(
      fc.property(pairs, fc.nat(7), ([query = [], numbers = []], offset) => {
        const packed = packVector(Float32Array.from(numbers));
        const reply = new Uint8Array(offset + packed.length);
        reply.set(packed, offset);
        const stored = [...Float32Array.from(numbers)];
        const dot = query.reduce((sum, each, index) => sum + each * (stored[index] ?? 0), 0);
        const magnitude = Math.hypot(...query) * Math.hypot(...stored);
        expect(new VectorScorer(query).score(reply.subarray(offset))).toBeCloseTo(
          magnitude === 0 ? 0 : dot / magnitude,
          9,
        );
      }),
    );
  });

  it("is zero without a direction, and nothing between vectors of different dimensions", () => {
    const packed = packVector(Float32Array.of(0, 0));
    expect(new VectorScorer([1, 1]).score(packed)).toBe(0);
    expect(new VectorScorer([0, 0]).score(packVector(Float32Array.of(1, 1)))).toBe(0);
    expect(new VectorScorer([1]).score(packed)).toBeUndefined();
    expect(new VectorScorer([1]).score(new Uint8Array())).toBeUndefined();
  });
});

/** Returns the log of a message, and of what the user said before and after it. */
async function logMessage(content: string): Promise<string> {
  const memory = freshMemory();
  const messages = ["before", content, "after"].map((text) => new HumanMessage(text));
  await logConversation(memory, messages, { at: new Date("2026-03-04T09:05:00Z") });
  return memory.read("/conversations/2026-03-04/no-thread.md");
}

const coverForms = (secret: string, text: string): string =>
  listTextForms(secret).reduce((covered, form) => doAtOnce(new TextRedactor(form).cover(covered)), text);

/** A message as the log of `logMessage` has it, without its speaker. */
const loggedMessage = /(?<=\nUser: before\n\^[a-z]{8}\nUser: )[^]*(?=\n\^[a-z]{8}\nUser: after\n)/;

const lineEnd = fc.constantFrom("\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029");
const line = fc.constantFrom(
  "",
  " ",
  "  ",
  "one",
  "  two",
  "[three]",
  "User: four",
  "## 10:00 x",
  "^abcdefgh",
  "-*#x0_",
);
const someMessage = fc
  .array(fc.tuple(lineEnd, line), { minLength: 1, maxLength: 8 })
  .map((lines) => `the start${lines.flat().join("")} and end`)
  .chain((text) => fc.constantFrom(text, `\n ${text}\r\n`));

describe("the forms of a text", () => {
  it("cover each line of a message in a log, and nothing else, if the message is redacted as it was said", async () => {
    await assertProperty(
      fc.asyncProperty(someMessage, async (said) => {
        const log = await logMessage(said);
        const logged = loggedMessage.exec(log)?.[0] ?? "";
        expect(logged).toMatch(/^the start.* and end$/s);
        expect(coverForms(said, log)).toBe(log.replace(loggedMessage, () => new TextRedactor(logged).mask));
      }),
      { usual: 100, long: 5000 },
    );
  });

  it("cover a message that the log has cut", async () => {
    const said = `${"é\n".repeat(10_000)}more`;
    const covered = coverForms(said, await logMessage(said));
    expect([covered.includes("é"), covered.includes("more")]).toEqual([false, false]);
  });

  it("cover a part of a message, and leave the rest", async () => {
    const log = await logMessage("one\ntwo\nthree\nfour");
    expect(coverForms("two\nthree", log)).toBe(log.replace("two\nUser: three", "[redacted-----]"));
  });

  it("cover a text of several lines with either line end", () => {
    const text = "a\r\nb, a\nb, ab";
    for (const secret of ["a\nb", "a\r\nb"]) expect(coverForms(secret, text)).toBe("----, ---, ab");
  });

  it("are only the text itself for a text of one line", () => {
    expect(listTextForms(" sk-4711 ")).toEqual([" sk-4711 "]);
    expect(listTextForms("sk-4711\n")).toEqual(["sk-4711\r\n", "sk-4711\n"]);
  });

  it("come to an end in a megabyte that nearly is the text everywhere", () => {
    const half = "a\n".repeat(100_000);
    const text = `${"a\nUser: ".repeat(60_000)}${"a\r\n".repeat(100_000)}${half}`;
    expect(coverForms(`${half}b${half}`, text)).toBe(text);
    expect(coverForms("a\na", text)).not.toMatch(/a\r?\n(?:User: )?a/);
  });
});
