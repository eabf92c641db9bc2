import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { MongoClient } from "mongodb";
import {
  type MemoryAddress,
  type Memory,
  mountMemories,
  type MemoryOptions,
  MongoMemoryStore,
  openMemory,
} from "../../src/index.js";
import { openDirectoryMemory } from "../../src/backends/directory/index.js";
import { testDatabase } from "./test-database.js";
import { openInFolder, testFolder } from "./test-folder.js";
import { useClient } from "./use-client.js";

/** A backend on which the dialects are tested. */
export interface BackendUnderTest {
  /**
   * Opens the memory of an address, alternately as this process and as another process would open it, if the backend
   * supports several processes.
   */
  open: (address: MemoryAddress, options?: MemoryOptions) => Memory;
  /** Opens a memory whose storage fails at every call. */
  openFailing: () => Memory;
}

/** Secrets of the failing storages. No answer may contain any of them. */
export const storageSecrets = /hunter2|127\.0\.0\.1|mongodb:|memory-test-|node_modules|\.[jt]s\b|\n\s+at /;

/** Lists every backend. A new backend becomes a row of this list. */
export function backendsUnderTest(): [name: string, backend: BackendUnderTest][] {
  return [
    ["an InMemoryStore", inMemory()],
    ["MongoDB", mongodb()],
    ["a folder", directory()],
    ["a tree of mounts", mounts()],
  ];
}

/** Mounts the memory of the address at the root, with another memory below it. */
function mounts(): BackendUnderTest {
  const { open, openFailing } = inMemory();
  const tree = (memory: Memory): Memory =>
    mountMemories({ "/": memory, "/mounted/here": openMemory(new InMemoryStore(), { nodeId: "other" }) });
  return { open: (address, options) => tree(open(address, options)), openFailing: () => tree(openFailing()) };
}

class FailingStore extends InMemoryStore {
  override async batch(): Promise<never> {
    throw new Error("connect ECONNREFUSED mongodb://admin:hunter2@127.0.0.1:27017");
  }
}

function inMemory(): BackendUnderTest {
  const store = new InMemoryStore();
  return {
    open: (address, options) => openMemory(store, address, options),
    openFailing: () => openMemory(new FailingStore(), { nodeId: "failing" }),
  };
}

function mongodb(): BackendUnderTest {
  const { uri, name: dbName } = testDatabase();
  const stores = [uri, uri].map((each) => new MongoMemoryStore({ client: useClient(new MongoClient(each)), dbName }));
  const unreachable = useClient(
    new MongoClient("mongodb://admin:hunter2@127.0.0.1:1/", { serverSelectionTimeoutMS: 100 }),
  );
  const failing = new MongoMemoryStore({ client: unreachable });
  let opened = 0;
  return {
    open: (address, options) => {
      const store = stores[opened % stores.length] ?? failing;
      opened += 1;
      return store.memory(address, options);
    },
    openFailing: () => failing.memory({ nodeId: "failing" }),
  };
}

function directory(): BackendUnderTest {
  const folder = testFolder();
  const dir = join(folder, "no folder");
  writeFileSync(dir, "");
  return {
    open: (address, options) => openInFolder(folder, address, options),
    openFailing: () => openDirectoryMemory({ dir }),
  };
}
