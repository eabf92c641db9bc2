import { deepStrictEqual } from "node:assert/strict";
import { Embeddings } from "@langchain/core/embeddings";
import { Binary, type Collection, type Document } from "mongodb";
import { MongoMemoryStore } from "../measuring/built-package.js";
import { type Case, measureCases } from "../measuring/measure.js";
import { createRandom } from "../measuring/random.js";
import { resultCell, tableHead, toRow, toShort } from "../measuring/report.js";
import { inDatabase, notWaiting } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { createItem, idsWithin, load, storeDocument } from "./fixture.js";

export const dims = 384;
const prefix = ["vectors"];
const limit = 10;

/** Exact search over all vectors of a prefix, ours against the same scan and cosine by hand. */
export function measureVectorSearch(uri: string, { rounds, vectorCounts }: Settings): Promise<string[]> {
  return inDatabase(uri, { writeConcern: notWaiting }, async (client, dbName) => {
    const random = createRandom(7);
    const createVector = (): Float32Array => Float32Array.from({ length: dims }, () => random() - 0.5);
    const query = createVector();
    const cases: Case[] = [];
    for (const count of vectorCounts) {
      const itemsCollection = `vectors_${count}`;
      const collection = client.db(dbName).collection(itemsCollection);
      await load(
        collection,
        Array.from({ length: count }, (_, index) => createDocument(index, createVector())),
      );
      const index = { dims, embeddings: new QueryEmbeddings(query) };
      const store = new MongoMemoryStore({ client, dbName, itemsCollection, index });
      const ours = () => store.search(prefix, { query: "anything", limit });
      const theirs = () => scan(collection, query);
      const toScores = (found: readonly { key: string; score?: number }[]) =>
        found.map(({ key, score }) => [key, score?.toFixed(5)]);
      deepStrictEqual(toScores(await ours()), toScores(await theirs()));
      cases.push({ row: String(count), column: "", ours, theirs, iterations: 5, atMost: 1.15 });
    }
    return [
      ...tableHead(["vectors (n = 5 a round)", "ours ÷ raw, ms", "ours, ms for each 1,000 vectors"]),
      ...(await measureCases(cases, { rounds })).map((result) => {
        const count = Number(result.row);
        return toRow([count.toLocaleString("en-US"), resultCell(result), toShort((1_000 * result.oursMs) / count)]);
      }),
    ];
  });
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

function createDocument(index: number, vector: Float32Array): Document {
  const { key, value } = createItem(index);
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
