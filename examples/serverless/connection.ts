import { type BaseStore, InMemoryStore } from "@langchain/langgraph";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "langgraph-mongo-memory";

export interface Connection {
  store: BaseStore;
  close: () => Promise<void>;
}

/**
 * Kept on `globalThis`: a process serves many requests, and a development server reloads a changed module without
 * ending the process. A variable of this module would be lost with each reload.
 */
const shared = globalThis as { memoryConnection?: Promise<Connection> | undefined; connectionsMade?: number };

/** Returns the only connection of this process. Requests wait for the same connection while it is being made. */
export function connection(): Promise<Connection> {
  shared.memoryConnection ??= connect().catch((error: unknown) => {
    // A failure is not kept, so the next request tries again.
    shared.memoryConnection = undefined;
    throw error;
  });
  return shared.memoryConnection;
}

/** Number of connections that this process has made. */
export function connectionsMade(): number {
  return shared.connectionsMade ?? 0;
}

async function connect(): Promise<Connection> {
  shared.connectionsMade = connectionsMade() + 1;
  const { MONGODB_URI: uri } = process.env;
  if (!uri) return { store: new InMemoryStore(), close: async () => {} };
  // Few sockets for each process, because there may be many processes.
  const client = await new MongoClient(uri, { maxPoolSize: 5, maxIdleTimeMS: 60_000 }).connect();
  return { store: new MongoMemoryStore({ client }), close: () => client.close() };
}
