import { deepEqual, equal, ok } from "node:assert/strict";
import type { IndexConfig } from "@langchain/langgraph-checkpoint";
import { attempt, getKeys, type OpenIndexedStore, type VariantCase } from "../case.js";
import { untyped } from "../../memory-case.js";

/** The count of each word is one dimension, so a reader can see how similar two texts are. */
const words = ["apple", "bread", "cheese"];

function createVector(text: string): number[] {
  return words.map((word) => text.split(word).length - 1);
}

/** @param embedded receives every text that was embedded for storage */
function createIndex(
  options: { embedded?: string[]; vector?: (text: string) => number[]; fields?: string[] } = {},
): IndexConfig {
  const vector = options.vector ?? createVector;
  const embeddings = {
    embedQuery: async (text: string): Promise<number[]> => createVector(text),
    embedDocuments: async (texts: string[]): Promise<number[][]> => {
      options.embedded?.push(...texts);
      return texts.map(vector);
    },
  };
  return {
    dims: words.length,
    embeddings: untyped(embeddings),
    fields: options.fields ?? ["text"],
  };
}

const dishes = {
  first: "apple apple apple bread",
  second: "apple bread",
  third: "bread bread cheese",
  fourth: "cheese",
};

export const rankingCases: VariantCase<OpenIndexedStore>[] = [
  {
    id: "rank-nearest",
    title: "a query ranks the nearest first, with falling scores",
    run: async ({ open, root }) => {
      const store = await open(createIndex());
      for (const [key, text] of Object.entries(dishes)) await store.put([root], key, { text });
      const found = await store.search([root], { query: "apple" });
      deepEqual(getKeys(found).slice(0, 2), ["first", "second"]);
      const scores = found.slice(0, 2).map((item) => item.score ?? Number.NaN);
      ok((scores[0] ?? 0) > (scores[1] ?? Infinity), `scores fall: ${scores.join(", ")}`);
    },
  },
  {
    id: "rank-filter",
    title: "a query obeys the filter",
    run: async ({ open, root }) => {
      const store = await open(createIndex());
      for (const [key, text] of Object.entries(dishes))
        await store.put([root], key, { text, owner: key === "second" ? "bob" : "ann" });
      deepEqual(getKeys(await store.search([root], { query: "apple", filter: { owner: "bob" } })), ["second"]);
      deepEqual(getKeys(await store.search([root], { query: "apple", filter: { owner: { $in: ["eve"] } } })), []);
    },
  },
  {
    id: "rank-prefix",
    title: "a query finds nothing outside the prefix, of which it takes whole labels",
    run: async ({ open, root }) => {
      const store = await open(createIndex());
      for (const label of ["acme", "acme-corp", "other"]) await store.put([root, label], label, { text: "apple" });
      deepEqual(getKeys(await store.search([root, "acme"], { query: "apple" })), ["acme"]);
    },
  },
  {
    id: "rank-limit",
    title: "a query obeys the limit",
    run: async ({ open, root }) => {
      const store = await open(createIndex());
      for (const [key, text] of Object.entries(dishes)) await store.put([root], key, { text });
      deepEqual(getKeys(await store.search([root], { query: "apple", limit: 1 })), ["first"]);
    },
  },
  {
    id: "rank-index-false",
    title: "an item put with index: false is not embedded",
    run: async ({ open, root }) => {
      const embedded: string[] = [];
      const store = await open(createIndex({ embedded }));
      await store.put([root], "k", { text: "apple" }, false);
      deepEqual(embedded, []);
      deepEqual((await store.get([root], "k"))?.value, { text: "apple" });
    },
  },
  {
    id: "rank-fields",
    title: "embedded is the text of the fields itself, of the index or of the put",
    run: async ({ open, root }) => {
      const embedded: string[] = [];
      const store = await open(createIndex({ embedded }));
      await store.put([root], "k", { text: "apple", title: "bread" });
      await store.put([root], "l", { text: "apple apple", title: "bread bread" }, ["title"]);
      deepEqual(embedded, ["apple", "bread bread"]);
    },
  },
  {
    id: "rank-dimensions",
    title: "a vector of other than the dimensions of the index is refused at the put",
    run: async ({ open, root }) => {
      const store = await open(createIndex({ vector: () => [1, 0] }));
      const put = await attempt(() => store.put([root], "k", { text: "apple" }));
      ok(put.refused, "a vector of 2 dimensions for an index of 3 must be refused");
      equal(await store.get([root], "k"), null);
    },
  },
];
