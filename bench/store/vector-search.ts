import { Embeddings } from "@langchain/core/embeddings";
import { Binary, type Document } from "mongodb";
import { MongoMemoryStore } from "../measuring/built-package.js";
import { createRandom } from "../measuring/random.js";
import { tableHead, toRow } from "../measuring/report.js";
import { inDatabase, notWaiting } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { share, time } from "../measuring/times.js";
import { createItem, load, storeDocument } from "./fixture.js";

export const dims = 384;
const prefix = ["vectors"];

/** Exact search over all vectors of a prefix. */
export function measureVectorSearch(uri: string, { rounds, vectorCounts }: Settings): Promise<string[]> {
  return inDatabase(uri, { writeConcern: notWaiting }, async (client, dbName) => {
    const random = createRandom(7);
    const createVector = (): Float32Array => Float32Array.from({ length: dims }, () => random() - 0.5);
    const rows: string[] = [];
    for (const count of vectorCounts) {
      const itemsCollection = `vectors_${count}`;
      await load(
        client.db(dbName).collection(itemsCollection),
        Array.from({ length: count }, (_, index) => createDocument(index, createVector())),
      );
      const index = { dims, embeddings: new QueryEmbeddings(createVector()) };
      const store = new MongoMemoryStore({ client, dbName, itemsCollection, index });
      const times: number[] = [];
      for (let call = 0; call < 5 * rounds; call += 1)
        times.push(await time(() => store.search(prefix, { query: "anything", limit: 10 })));
      rows.push(toRow([count.toLocaleString("en-US"), share(times, 0.5)]));
    }
    return [...tableHead(["vectors", "median, ms"]), ...rows];
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
