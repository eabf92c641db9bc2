import { SyntheticEmbeddings } from "@langchain/core/utils/testing";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { fixtureOf, text } from "../memories/fixture.js";
import { itemAt, itemsAt, newItemAt, pickOf } from "../store/fixture.js";
import { type OperationName, operationNames, operationsOfStore } from "../store/operations.js";
import type { VersionCall } from "./calls.js";
import { placeOf, type Server } from "./place.js";
import type { Version } from "./versions.js";

const itemCount = 10_000;
const searchedCount = 1_000;

export async function storeCalls(version: Version, server: Server): Promise<VersionCall[]> {
  const { store } = await placeOf(version, server, "with a memory", { textSearch: false });
  await seedItems(store, itemCount);
  const fixture = fixtureOf(100);
  for (const path of fixture.paths) await store.memory({ nodeId: "bench" }).write(path, text);
  return [...itemCalls(store), ...fileItemCalls(store, fixture.paths), ...(await searchCalls(version, server))];
}

function itemCalls(store: BaseStore): VersionCall[] {
  const operations = operationsOfStore(store, itemCount);
  const restores: Partial<Record<OperationName, VersionCall["restore"]>> = {
    "put new": (iteration) => store.delete(newItemAt(iteration).namespace, newItemAt(iteration).key),
    delete: (iteration) => {
      const { namespace, key, value } = itemAt(pickOf(iteration, itemCount));
      return store.put(namespace, key, value);
    },
  };
  return operationNames.map((name) => {
    const isLong = name.startsWith("batch") || name === "listNamespaces";
    const restore = restores[name];
    return { area: "Store", name, iterations: isLong ? 36 : 90, call: operations[name], ...(restore && { restore }) };
  });
}

/** Files of a memory, as the store shows them. */
function fileItemCalls(store: BaseStore, paths: readonly string[]): VersionCall[] {
  const namespace = ["memory", "bench", "global"];
  const pathOf = (iteration: number): string => paths[iteration % paths.length] ?? "";
  const calls: Record<string, VersionCall["call"]> = {
    "get a file": (iteration) => store.get(namespace, pathOf(iteration)),
    "put a file": (iteration) => store.put(namespace, pathOf(iteration), { content: text }),
    "search the files of a memory": () => store.search(namespace, { limit: 10 }),
    "search the files with a filter": () => store.search(namespace, { filter: { content: text }, limit: 10 }),
    "batch of 100 gets of files": () => store.batch(paths.map((key) => ({ namespace, key }))),
  };
  return Object.entries(calls).map(([name, call]) => ({ area: "Store", name, iterations: 60, call }));
}

/** By words and by meaning. */
async function searchCalls(version: Version, server: Server): Promise<VersionCall[]> {
  const embeddings = new SyntheticEmbeddings({ vectorSize: 384 });
  const words = await placeOf(version, server, "by words");
  const vectors = await placeOf(version, server, "by vectors", { index: { dims: 384, embeddings, fields: ["text"] } });
  for (const { store } of [words, vectors]) await seedItems(store, searchedCount);
  const queryOf = (iteration: number): string => String(itemAt(iteration).value["text"]).slice(0, 13);
  const searchOf = (store: BaseStore) => (iteration: number) =>
    store.search(["org1"], { query: queryOf(iteration), limit: 10 });
  return [
    { area: "Store", name: "search by words", iterations: 42, call: searchOf(words.store) },
    { area: "Store", name: "search by vectors", iterations: 42, call: searchOf(vectors.store) },
  ];
}

async function seedItems(store: BaseStore, count: number): Promise<void> {
  const items = itemsAt(count);
  for (let start = 0; start < count; start += 1_000) await store.batch(items.slice(start, start + 1_000));
}
