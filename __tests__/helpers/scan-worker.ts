import { Embeddings } from "@langchain/core/embeddings";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";

/** Reads many items in a process with little memory: URI, database, dimensions and what to do are its arguments. */
const [uri = "", dbName = "", dims = "", work = ""] = process.argv.slice(2);

class OneVector extends Embeddings {
  embedQuery(): Promise<number[]> {
    return Promise.resolve(Array.from({ length: Number(dims) }, () => 1));
  }

  embedDocuments(texts: string[]): Promise<number[][]> {
    return Promise.all(texts.map(() => this.embedQuery()));
  }
}

const client = new MongoClient(uri);
const index = { dims: Number(dims), embeddings: new OneVector({}) };
const store = new MongoMemoryStore({ client, dbName, ...(work === "vectors" && { index }) });
const prefix = ["scanned"];

const works: Record<string, () => Promise<number>> = {
  /** In pages, each thrown away before the next. */
  pages: async () => {
    const limit = 1_000;
    for (let offset = 0; ; offset += limit) {
      const page = await store.search(prefix, { limit, offset });
      if (page.length < limit) return offset + page.length;
    }
  },
  /** By a condition that no server decides, which only the last item satisfies: all of them come here. */
  filter: async () => (await store.search(prefix, { filter: { "is.last": true }, limit: 10 })).length,
  /** Past everything, which a limit without an end streams here. */
  offset: async () => (await store.search(prefix, { offset: Number.MAX_SAFE_INTEGER, limit: Infinity })).length,
  vectors: async () => (await store.search(prefix, { query: "anything", limit: 10 })).length,
  namespaces: async () => (await store.listNamespaces({ prefix, suffix: ["last"] })).length,
  /** What must not fit, or the others would prove nothing. */
  everything: async () => (await store.search(prefix, { limit: Infinity })).length,
};

await client.connect();
console.log(await works[work]?.());
await client.close();
