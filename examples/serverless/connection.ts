import { type BaseStore, InMemoryStore } from "@langchain/langgraph";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "langgraph-mongo-memory";

export interface Connection {
  store: BaseStore;
  client?: MongoClient;
}

/** A development server loads a changed module again in one process. A variable of this module would be lost. */
const shared = globalThis as { memoryConnection?: Connection | undefined };

/** Returns the only connection of this process. The first request connects, and the next one if that failed. */
export function connection(): Connection {
  return (shared.memoryConnection ??= createConnection());
}

function createConnection(): Connection {
  const { MONGODB_URI: uri } = process.env;
  if (!uri) return { store: new InMemoryStore() };
  // Few sockets for each process, because there may be many processes.
  const client = new MongoClient(uri, { maxPoolSize: 5, maxIdleTimeMS: 60_000 });
  return { client, store: new MongoMemoryStore({ client }) };
}
