import { deepStrictEqual } from "node:assert/strict";
import { Embeddings } from "@langchain/core/embeddings";
import { Binary, type Collection, type Document, type MongoClient } from "mongodb";
import { compare, type Comparison, measureRound, type Sample } from "../measuring/measure.js";
import type { Package } from "../package/built-package.js";
import { idsWithin, itemAt, storeDocument } from "./fixture.js";
import { load } from "./sides.js";

export interface VectorBenchOptions {
  package: Package;
  client: MongoClient;
  dbName: string;
  counts: number[];
  rounds: number;
}

export interface VectorResult extends Comparison {
  count: number;
  iterations: number;
}

export const dims = 384;
const iterations = 5;
const prefix = ["vectors"];
const limit = 10;

/** Exact search over all vectors of a prefix, ours against the same scan and cosine by hand. */
export async function runVectorBench({
  client,
  dbName,
  counts,
  rounds,
  ...options
}: VectorBenchOptions): Promise<VectorResult[]> {
  const random = randomOf(7);
  const query = vectorOf(random);
  const embeddings = new QueryEmbeddings(query);
  const cases = [];
  for (const count of counts) {
    const itemsCollection = `vectors_${count}`;
    const collection = client.db(dbName).collection(itemsCollection);
    await load(
      collection,
      Array.from({ length: count }, (_, index) => documentOf(index, vectorOf(random))),
    );
    const store = new options.package.MongoMemoryStore({
      client,
      dbName,
      itemsCollection,
      index: { dims, embeddings },
    });
    const pair = {
      ours: () => store.search(prefix, { query: "anything", limit }),
      theirs: () => scan(collection, query),
    };
    const [found, byHand] = await Promise.all([pair.ours(), pair.theirs()]);
    deepStrictEqual(
      found.map(({ key }) => key),
      byHand.map(({ key }) => key),
    );
    deepStrictEqual(
      found.map(({ score }) => score?.toFixed(5)),
      byHand.map(({ score }) => score.toFixed(5)),
    );
    cases.push({ count, pair, samples: [] as Sample[] });
  }
  for (let round = 0; round <= rounds; round += 1) {
    for (const { pair, samples } of cases) {
      const sample = await measureRound(pair, iterations);
      if (round > 0) samples.push(sample);
    }
  }
  return cases.map(({ count, samples }) => ({ count, iterations, ...compare(samples) }));
}

/** Every query is the same vector. */
class QueryEmbeddings extends Embeddings {
  readonly #vector: number[];

  constructor(vector: Float32Array) {
    super({});
    this.#vector = [...vector];
  }

  embedQuery(): Promise<number[]> {
    return Promise.resolve(this.#vector);
  }

  embedDocuments(): Promise<never> {
    return Promise.reject(new Error("the vectors are loaded"));
  }
}

function documentOf(index: number, vector: Float32Array): Document {
  const { key, value } = itemAt(index);
  const document = storeDocument({ namespace: prefix, key: `${key} ${index}`, value }, new Date());
  return { ...document, embedded: { hashes: ["loaded"], vectors: { text0: Binary.fromFloat32Array(vector) } } };
}

/** By hand: the vectors in batches of 1000, the best ten ids, and the items of those. */
async function scan(collection: Collection, query: Float32Array): Promise<{ key: string; score: number }[]> {
  const filter = { _id: idsWithin(prefix) } as Document;
  const projection = { "embedded.vectors.text0": 1 };
  const queryLength = Math.sqrt(dot(query, query));
  const vector = new Float32Array(dims);
  const bytes = new Uint8Array(vector.buffer);
  const scores: { _id: string; score: number }[] = [];
  for await (const found of collection.find(filter, { projection, batchSize: 1_000, promoteBuffers: true })) {
    bytes.set((found["embedded"].vectors.text0 as Uint8Array).subarray(2));
    scores.push({ _id: String(found._id), score: dot(vector, query) / (Math.sqrt(dot(vector, vector)) * queryLength) });
  }
  const best = scores.toSorted((a, b) => b.score - a.score).slice(0, limit);
  const documents = await collection.find({ _id: { $in: best.map(({ _id }) => _id) } } as Document).toArray();
  const keys = new Map(documents.map(({ _id, ...document }) => [String(_id), String(document["key"])]));
  return best.map(({ _id, score }) => ({ key: keys.get(_id) ?? "", score }));
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < dims; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

function vectorOf(random: () => number): Float32Array {
  return Float32Array.from({ length: dims }, () => random() - 0.5);
}

/** The same numbers in every run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
