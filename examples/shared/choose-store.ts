import { type BaseStore, InMemoryStore } from "@langchain/langgraph";
import { MongoMemoryStore } from "langgraph-mongo-memory";

export interface ChosenStore {
  store: BaseStore;
  /** For people. */
  name: string;
  close: () => Promise<void>;
}

/** MongoDB where `MONGODB_URI` is set, otherwise LangGraph's own store in the memory of this process. */
export async function chooseStore(): Promise<ChosenStore> {
  const { MONGODB_URI: uri } = process.env;
  if (!uri) {
    return { store: new InMemoryStore(), name: "InMemoryStore (set MONGODB_URI for MongoDB)", close: async () => {} };
  }
  const store = await MongoMemoryStore.fromConnString(uri);
  return { store, name: "MongoMemoryStore", close: () => store.stop() };
}
