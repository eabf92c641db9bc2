import { MongoDBStore, type MongoDBStoreParams } from "@langchain/langgraph-checkpoint-mongodb";
import type { MongoClient } from "mongodb";

/**
 * Creates the official store over our client. Its types accept only clients of its own driver 6, but clients of driver
 * 7 work, too.
 */
export function officialStoreOver(client: MongoClient, options: Omit<MongoDBStoreParams, "client">): MongoDBStore {
  return new MongoDBStore({ ...options, client: client as unknown as MongoDBStoreParams["client"] });
}

/** Creates the store and its indexes. A store with an index of embeddings needs Atlas for this. */
export async function startedOfficialStore(
  client: MongoClient,
  options: Omit<MongoDBStoreParams, "client">,
): Promise<MongoDBStore> {
  const store = officialStoreOver(client, options);
  await store.start();
  return store;
}
