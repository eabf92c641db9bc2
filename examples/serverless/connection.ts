import { type BaseStore, InMemoryStore } from "@langchain/langgraph";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "langgraph-mongo-memory";

export interface Connection {
  store: BaseStore;
  close: () => Promise<void>;
}

/**
 * A process serves many requests, and a development server loads a changed module anew without ending the process. What
 * lies on `globalThis` outlives both, where a variable of this module would outlive requests only.
 */
const shared = globalThis as { memoryConnection?: Promise<Connection> | undefined; connectionsMade?: number };

/** The one connection of this process. Requests that come while it is being made wait for the same one. */
export function connection(): Promise<Connection> {
  shared.memoryConnection ??= connect().catch((error: unknown) => {
    // A failure is not kept: the next request tries again.
    shared.memoryConnection = undefined;
    throw error;
  });
  return shared.memoryConnection;
}

/** How many connections this process has made. */
export function connectionsMade(): number {
  return shared.connectionsMade ?? 0;
}

async function connect(): Promise<Connection> {
  shared.connectionsMade = connectionsMade() + 1;
  const { MONGODB_URI: uri } = process.env;
  if (!uri) return { store: new InMemoryStore(), close: async () => {} };
  // Few sockets for each process, as there may be many processes.
  const client = await new MongoClient(uri, { maxPoolSize: 5, maxIdleTimeMS: 60_000 }).connect();
  return { store: new MongoMemoryStore({ client }), close: () => client.close() };
}
