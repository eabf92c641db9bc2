import { randomUUID } from "node:crypto";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { HostileCall } from "./hostile-call.js";
import { longNames } from "./texts.js";

function query(
  name: string,
  input: string,
  find: (store: BaseStore, label: string, bytes: number) => Promise<void>,
  call: (store: BaseStore, label: string, bytes: number) => Promise<unknown>,
): HostileCall {
  return {
    name: `store: ${name}`,
    input,
    prepare: async ({ client, dbName, package: { MongoMemoryStore } }, bytes) => {
      const collections = { itemsCollection: `items ${randomUUID()}`, memoriesCollection: "memories" };
      const store = new MongoMemoryStore({ client, dbName, ...collections, textSearch: true });
      await find(store, "hostile", bytes);
      return () => call(store, "hostile", bytes);
    },
  };
}

const words = (bytes: number): string =>
  Array.from({ length: bytes / 8 }, (_, index) => String(index).padStart(7, "w")).join(" ");
const deep = (bytes: number): Record<string, unknown> => ({
  text: "x".repeat(bytes),
  list: Array.from({ length: bytes / 10 }, () => 1),
});

async function itemsOf(store: BaseStore, label: string): Promise<void> {
  const puts = Array.from({ length: 1000 }, (_, index) => ({
    namespace: [label],
    key: `${index}`,
    value: { text: words(400), index },
  }));
  await store.batch(puts);
}

async function namespacesOf(store: BaseStore, label: string, bytes: number): Promise<void> {
  const puts = longNames(bytes).map((name) => ({ namespace: [label, name, "end"], key: "k", value: { x: 1 } }));
  for (let first = 0; first < puts.length; first += 500) await store.batch(puts.slice(first, first + 500));
}

export const storeCalls: HostileCall[] = [
  query(
    "put",
    "a long text and a long list",
    async (store) => void (await store.get(["a"], "b")),
    (store, label, bytes) => store.put([label], "k", deep(bytes)),
  ),
  query(
    "get",
    "a long text and a long list",
    (store, label, bytes) => store.put([label], "k", deep(bytes)),
    (store, label) => store.get([label], "k"),
  ),
  query("search by words", "different words, 1,000 items", itemsOf, (store, label, bytes) =>
    store.search([label], { query: words(bytes) }),
  ),
  query("search by a filter", "a long text, 1,000 items", itemsOf, (store, label, bytes) =>
    store.search([label], { filter: { text: "x".repeat(bytes) } }),
  ),
  query("search", "all of many namespaces", namespacesOf, (store, label) => store.search([label], { limit: 100_000 })),
  query("listNamespaces", "long names that begin alike, a suffix", namespacesOf, (store) =>
    store.listNamespaces({ suffix: ["*", "end"], limit: 100_000 }),
  ),
];
