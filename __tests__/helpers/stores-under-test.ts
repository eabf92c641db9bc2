import { type BaseStore, InMemoryStore } from "@langchain/langgraph-checkpoint";
import { MongoMemoryStore } from "../../src/index.js";
import { testDatabase } from "./test-database.js";

export type OpenStore = () => BaseStore;

/** The stores on which graphs are tested. Each stays open for the whole file. */
export function storesUnderTest(): [name: string, open: OpenStore][] {
  const { client, name: dbName } = testDatabase();
  const [mongo, inMemory] = [new MongoMemoryStore({ client, dbName }), new InMemoryStore()];
  return [
    ["MongoMemoryStore", () => mongo],
    ["InMemoryStore", () => inMemory],
  ];
}
