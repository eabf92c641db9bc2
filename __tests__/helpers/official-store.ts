import { MongoDBStore, type MongoDBStoreParams } from "@langchain/langgraph-checkpoint-mongodb";
import type { MongoClient } from "mongodb";

/**
 * The official store over a client of ours. Its types know the clients of its own driver 6 only; those of 7 work too.
 */
export function officialStoreOver(client: MongoClient, options: Omit<MongoDBStoreParams, "client">): MongoDBStore {
  return new MongoDBStore({ ...options, client: client as unknown as MongoDBStoreParams["client"] });
}

/** With its indexes made, which a store with an index of embeddings needs Atlas for. */
export async function startedOfficialStore(
  client: MongoClient,
  options: Omit<MongoDBStoreParams, "client">,
): Promise<MongoDBStore> {
  const store = officialStoreOver(client, options);
  await store.start();
  return store;
}
