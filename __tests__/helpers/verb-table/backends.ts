import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { MongoClient } from "mongodb";
import {
  type Memory,
  mountMemories,
  type MemoryOptions,
  type MemoryAddress,
  MongoMemoryStore,
  openMemory,
} from "../../../src/index.js";
import { backendsUnderTest } from "../backends-under-test.js";
import { testDatabase } from "../test-database.js";
import { useClient } from "../use-client.js";

export type Backends = [name: string, open: Open][];
export type Open = (address: MemoryAddress, options?: MemoryOptions) => Memory;

/** The backends of the dialects' tests, MongoDB also with a history, and as a mount. */
export function backendsOfTable(): Backends {
  return [
    ...backendsUnderTest().map(([name, { open }]): [string, Open] => [shortName(name), open]),
    ["MongoDB with history", recording()],
    ["mount", mounted(recording())],
  ];
}

const shortName = (name: string): string => name.replace(/^an? /, "");

function recording(): Open {
  const { uri, name: dbName } = testDatabase();
  const store = new MongoMemoryStore({ client: useClient(new MongoClient(uri)), dbName, history: true });
  return (address, options) => store.memory(address, options);
}

function mounted(open: Open): Open {
  return (address, options) =>
    mountMemories({
      "/": openMemory(new InMemoryStore(), { nodeId: "root" }, options),
      "/docs": open(address, options),
    });
}
