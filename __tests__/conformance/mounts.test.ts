import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { describe } from "@jest/globals";
import { type Memory, mountMemories, MongoMemoryStore, openMemory } from "../../src/index.js";
import type { OpenMemory } from "../../src/testing/memory-case.js";
import { freshAddress } from "../helpers/memory-case.js";
import { testBackend } from "../helpers/backend-suite.js";
import { defineMountProperty } from "../helpers/model-property.js";
import { partOfTree } from "../helpers/part-of-tree.js";
import { isLong, repetitions } from "../helpers/repetitions.js";
import { testDatabase } from "../helpers/test-database.js";
import { openInFolder, testFolder } from "../helpers/test-folder.js";

const { client, name: dbName } = testDatabase();
const mongodb = new MongoMemoryStore({ client, dbName });
const store = new InMemoryStore();
const folder = testFolder();

const backends: Record<string, OpenMemory> = {
  MongoDB: (address, options) => mongodb.memory(address, options),
  "a BaseStore": (address, options) => openMemory(store, address, options),
  "a folder": (address, options) => openInFolder(folder, address, options),
};

const points = { MongoDB: "/", "a BaseStore": "/mounted/store", "a folder": "/mounted/folder" };
const mounts = ["/mounted", "/mounted/store", "/mounted/folder"];

/** A tree of one memory on each backend, of which one has the address. */
const treeWith =
  (backend: string, point: string): OpenMemory =>
  (address, options) => {
    const others = Object.entries(points).filter(([name]) => name !== backend);
    const memories = others.map(([name, at]): [string, Memory] => [
      at === point ? points[backend as keyof typeof points] : at,
      open(name)(freshAddress(), options),
    ]);
    const tree = mountMemories({ ...Object.fromEntries(memories), [point]: open(backend)(address, options) });
    return partOfTree(tree, point, mounts);
  };

function open(backend: string): (...args: Parameters<OpenMemory>) => Memory {
  return (address, options) => backends[backend]?.(address, options) as Memory;
}

const usual = [["MongoDB", "/mounted/store"]] as const;
const further = [
  ["a BaseStore", "/"],
  ["MongoDB", "/"],
  ["a folder", "/mounted/folder"],
  ["a folder", "/"],
  ["a BaseStore", "/mounted/folder"],
] as const;

for (const [backend, point] of isLong ? [...usual, ...further] : usual) {
  const capabilities = backend === "a folder" ? { keepsCreatedAt: false, createsAnyName: false } : {};
  testBackend(
    `mounts: ${backend} at ${point}, other backends beside it`,
    treeWith(backend, point),
    repetitions({ usual: 3, long: 30 }),
    capabilities,
  );
}

describe("random trees of mounts on every backend", () => {
  let opened = 0;
  const inTurn: OpenMemory = (address, options) => {
    opened += 1;
    return open(Object.keys(backends)[opened % Object.keys(backends).length] ?? "")(address, options);
  };
  defineMountProperty(inTurn, repetitions({ usual: 12, long: 100 }));
});

describe("random trees of mounts in memory", () => {
  defineMountProperty(
    (address, options) => openMemory(new InMemoryStore(), address, options),
    repetitions({ usual: 100, long: 1_000 }),
  );
});
