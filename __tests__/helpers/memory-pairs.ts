import { MongoClient } from "mongodb";
import { type Memory, MongoMemoryStore, openMemory } from "../../src/index.js";
import { freshAddress } from "./memory-case.js";
import { storesUnderTest } from "./stores-under-test.js";
import type { TestDatabase } from "./test-database.js";
import { useClient } from "./use-client.js";

type OpenPair = () => [one: Memory, other: Memory];

/** Lists ways to open one memory twice: in each store, and in two stores that share nothing, as in two processes. */
export function memoryPairs({ uri, name }: Pick<TestDatabase, "uri" | "name">): [title: string, open: OpenPair][] {
  const inOneStore = storesUnderTest().map(([title, open]): [string, OpenPair] => [
    title,
    () => {
      const address = freshAddress();
      return [openMemory(open(), address), openMemory(open(), address)];
    },
  ]);
  const openStore = (): MongoMemoryStore =>
    new MongoMemoryStore({ client: useClient(new MongoClient(uri)), dbName: name });
  const [one, other] = [openStore(), openStore()];
  const inTwoStores: OpenPair = () => {
    const address = freshAddress();
    return [one.memory(address), other.memory(address)];
  };
  return [...inOneStore, ["two MongoMemoryStores", inTwoStores]];
}
