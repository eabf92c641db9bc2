import type { Document } from "mongodb";
import { MongoMemoryStore } from "../measuring/built-package.js";
import { type Call, measureCases } from "../measuring/measure.js";
import { resultTable } from "../measuring/report.js";
import { inDatabase, notWaiting } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { type BenchItem, createItems, createNewItem, load, storeDocument } from "./fixture.js";
import { createOperations } from "./operations.js";

const ttlMs = 30 * 24 * 60 * 60 * 1_000;

/** What a put of a new item costs with an option, against one without. */
export function measureOptions(uri: string, { rounds, itemCounts }: Settings): Promise<string[]> {
  const count = Math.max(...itemCounts);
  return inDatabase(uri, { writeConcern: notWaiting }, async (client, dbName) => {
    /** @param createFields what the option keeps beside an item */
    const loadStore = async (
      itemsCollection: string,
      options: object,
      createFields: (item: BenchItem, index: number) => Document,
    ): Promise<Record<"put" | "restore", Call>> => {
      const collection = client.db(dbName).collection(itemsCollection);
      const store = new MongoMemoryStore({ client, dbName, itemsCollection, textSearch: false, ...options });
      await store.start();
      await load(
        collection,
        createItems(count).map((item, index) => ({ ...storeDocument(item, new Date()), ...createFields(item, index) })),
      );
      return {
        put: createOperations(store, count)["put new"],
        restore: (iteration) => {
          const { _id } = storeDocument(createNewItem(iteration), new Date());
          return collection.deleteOne({ _id });
        },
      };
    };
    const plain = await loadStore("plain", {}, () => ({}));
    const expiresAt = Date.now() + ttlMs;
    const others = {
      "a TTL": await loadStore("ttl", { ttl: { defaultTtlMs: ttlMs } }, (_, index) => ({
        expiresAt: new Date(expiresAt + index),
      })),
      "`textSearch`": await loadStore("text", { textSearch: true }, ({ value }) => ({
        text: [value.text, value.kind, value.count, ...value.tags].join("\n"),
      })),
    };
    const cases = Object.entries(others).map(([row, other]) => ({
      row,
      column: "put new",
      ours: other.put,
      theirs: plain.put,
      iterations: 100,
      restore: (side: "ours" | "theirs", iteration: number) => (side === "ours" ? other : plain).restore(iteration),
    }));
    return resultTable("option", await measureCases(cases, { rounds }));
  });
}
