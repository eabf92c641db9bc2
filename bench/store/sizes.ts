import type { Document, MongoClient } from "mongodb";
import { startedOfficialStore } from "../../__tests__/helpers/official-store.js";
import { MongoMemoryStore } from "../measuring/built-package.js";
import { type Call, measureCases } from "../measuring/measure.js";
import { resultCell, tableHead, toRow } from "../measuring/report.js";
import { inDatabase, notWaiting } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { type BenchItem, createItems, createNewItem, load, officialDocument, storeDocument, toId } from "./fixture.js";
import { createOperations } from "./operations.js";

interface Loaded {
  title: string;
  put: Call;
  restore: Call;
  sizes: string;
}

const ttlMs = 30 * 24 * 60 * 60 * 1_000;

/** What the collections take, freshly loaded, and what a put of a new item costs with an option of ours. */
export function measureSizes(uri: string, { rounds, itemCounts }: Settings): Promise<string[]> {
  const count = Math.max(...itemCounts);
  return inDatabase(uri, { writeConcern: notWaiting }, async (client, dbName) => {
    const now = new Date();
    const plain = await loadStore(client, dbName, count, "ours", {}, () => ({}));
    const others = [
      await loadStore(client, dbName, count, "ours with a TTL", { ttl: { defaultTtlMs: ttlMs } }, (_, index) => ({
        expiresAt: new Date(now.getTime() + ttlMs + index),
      })),
      await loadStore(client, dbName, count, "ours with textSearch", { textSearch: true }, ({ value }) => ({
        text: [value.text, value.kind, value.count, ...value.tags].join("\n"),
      })),
    ];
    await startedOfficialStore(client, { dbName, collectionName: "official" });
    const items = createItems(count).map((item) => officialDocument(item, now));
    await load(client.db(dbName).collection("official"), items);
    const results = await measureCases(
      others.map((other) => ({
        row: other.title,
        column: "",
        ours: other.put,
        theirs: plain.put,
        iterations: 100,
        restore: (side, iteration) => (side === "ours" ? other : plain).restore(iteration),
      })),
      { rounds },
    );
    return [
      ...tableHead(["collection", "data, MiB", "data on disk, MiB", "indexes, MiB", "bytes an item: data, indexes"]),
      ...[plain, ...others].map(({ sizes }) => sizes),
      await sizesRow(client, dbName, "official", count),
      "",
      ...results.map((result) => `- A new item put into ${result.row} ÷ into ours: ${resultCell(result)}.`),
    ];
  });
}

/** @param createFields what the option keeps beside an item */
async function loadStore(
  client: MongoClient,
  dbName: string,
  count: number,
  title: string,
  options: object,
  createFields: (item: BenchItem, index: number) => Document,
): Promise<Loaded> {
  const itemsCollection = title.replaceAll(" ", "_");
  const collection = client.db(dbName).collection<{ _id: string }>(itemsCollection);
  const store = new MongoMemoryStore({ client, dbName, itemsCollection, textSearch: false, ...options });
  await store.start();
  await load(
    client.db(dbName).collection(itemsCollection),
    createItems(count).map((item, index) => ({ ...storeDocument(item, new Date()), ...createFields(item, index) })),
  );
  return {
    title,
    put: createOperations(store, count)["put new"],
    restore: (iteration) => {
      const { namespace, key } = createNewItem(iteration);
      return collection.deleteOne({ _id: toId(namespace, key) });
    },
    sizes: await sizesRow(client, dbName, title, count),
  };
}

async function sizesRow(client: MongoClient, dbName: string, title: string, count: number): Promise<string> {
  // Sizes on disk are those of the last checkpoint.
  await client.db("admin").command({ fsync: 1 });
  const stats = (await client.db(dbName).command({ collStats: title.replaceAll(" ", "_") })) as {
    size: number;
    storageSize: number;
    indexSizes: Record<string, number>;
  };
  const toMebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
  const indexes = Object.entries(stats.indexSizes);
  const indexBytes = indexes.reduce((sum, [, bytes]) => sum + bytes, 0);
  return toRow([
    `${title}, ${count.toLocaleString("en-US")} items`,
    toMebibytes(stats.size),
    toMebibytes(stats.storageSize),
    indexes.map(([name, bytes]) => `${name} ${toMebibytes(bytes)}`).join(", "),
    `${Math.round(stats.size / count)}, ${Math.round(indexBytes / count)}`,
  ]);
}
