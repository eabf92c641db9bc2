import { Embeddings } from "@langchain/core/embeddings";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/index.js";

/** A process with little memory that reads many items. Its arguments: URI, database, dimensions and the work. */
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
// Without the usual time limit, which could end the work of a busy machine before its memory does.
const store = new MongoMemoryStore({ client, dbName, timeoutMs: Infinity, ...(work === "vectors" && { index }) });
const prefix = ["scanned"];

const works: Record<string, () => Promise<number>> = {
  /** Reads pages, and drops each page before the next. */
  pages: async () => {
    const limit = 1_000;
    for (let offset = 0; ; offset += limit) {
      const page = await store.search(prefix, { limit, offset });
      if (page.length < limit) return offset + page.length;
    }
  },
  /** A condition that no server evaluates and only the last item meets, so all items reach this process. */
  filter: async () => (await store.search(prefix, { filter: { "is.last": true }, limit: 10 })).length,
  /** An offset after all items, which a limit without an end streams to this process. */
  offset: async () => (await store.search(prefix, { offset: Number.MAX_SAFE_INTEGER, limit: Infinity })).length,
  vectors: async () => (await store.search(prefix, { query: "anything", limit: 10 })).length,
  namespaces: async () => (await store.listNamespaces({ prefix, suffix: ["last"] })).length,
  /** Must not fit into the memory, otherwise the other works would prove nothing. */
  everything: async () => (await store.search(prefix, { limit: Infinity })).length,
};

await client.connect();
console.log(await works[work]?.());
await client.close();
