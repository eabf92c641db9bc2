import type { Document, MongoClient } from "mongodb";
import { startedOfficialStore } from "../../__tests__/helpers/official-store.js";
import { compare, type Comparison, measureRound, type Sample } from "../measuring/measure.js";
import type { Package } from "../package/built-package.js";
import { type BenchItem, idOf, itemsAt, keywordsOf, newItemAt, officialDocument, storeDocument } from "./fixture.js";
import { type Operations, operationsOfStore } from "./operations.js";
import { load } from "./sides.js";

export interface SizeResult {
  title: string;
  count: number;
  dataBytes: number;
  storageBytes: number;
  indexBytes: Record<string, number>;
}

/** What a put of a new item costs with an option against without it. */
export interface OptionResult extends Comparison {
  title: string;
}

export interface SizesOptions {
  package: Package;
  client: MongoClient;
  dbName: string;
  count: number;
  rounds: number;
}

interface Loaded extends SizeResult {
  put: Operations["put new"];
  restore: (iteration: number) => Promise<unknown>;
}

const ttlMs = 30 * 24 * 60 * 60 * 1_000;
const iterations = 100;

/** What the collections take, freshly loaded, and what the options of our store cost. */
export async function measureSizes(options: SizesOptions): Promise<{ sizes: SizeResult[]; options: OptionResult[] }> {
  const { client, dbName, count } = options;
  const { MongoMemoryStore } = options.package;
  const now = new Date();
  const endAt = (index: number): Date => new Date(now.getTime() + ttlMs + index);
  const loadedStore = async (
    title: string,
    settings: object,
    documentOf: (item: BenchItem, index: number) => Document,
  ): Promise<Loaded> => {
    const itemsCollection = title.replaceAll(" ", "_");
    const collection = client.db(dbName).collection(itemsCollection);
    const store = new MongoMemoryStore({ client, dbName, itemsCollection, textSearch: false, ...settings });
    await store.start();
    await load(collection, itemsAt(count).map(documentOf));
    const restore = (iteration: number) => {
      const { namespace, key } = newItemAt(iteration);
      return collection.deleteOne({ _id: idOf(namespace, key) } as Document);
    };
    return {
      ...(await sizeOf(options, title, itemsCollection)),
      put: operationsOfStore(store, count)["put new"],
      restore,
    };
  };
  const plain = await loadedStore("ours", {}, (item) => storeDocument(item, now));
  const others = [
    await loadedStore("ours with a TTL", { ttl: { defaultTtlMs: ttlMs } }, (item, index) => ({
      ...storeDocument(item, now),
      expiresAt: endAt(index),
    })),
    await loadedStore("ours with textSearch", { textSearch: true }, (item) => ({
      ...storeDocument(item, now),
      text: keywordsOf(item.value),
    })),
  ];
  await startedOfficialStore(client, { dbName, collectionName: "official" });
  await load(
    client.db(dbName).collection("official"),
    itemsAt(count).map((item) => officialDocument(item, now)),
  );
  const official = await sizeOf(options, "official", "official");
  return { sizes: [plain, ...others, official], options: await compareOptions(plain, others, options.rounds) };
}

async function sizeOf({ client, dbName, count }: SizesOptions, title: string, collection: string): Promise<SizeResult> {
  // Sizes on disk are those of the last checkpoint.
  await client.db("admin").command({ fsync: 1 });
  const { size, storageSize, indexSizes } = (await client.db(dbName).command({ collStats: collection })) as {
    size: number;
    storageSize: number;
    indexSizes: Record<string, number>;
  };
  return { title, count, dataBytes: size, storageBytes: storageSize, indexBytes: indexSizes };
}

async function compareOptions(plain: Loaded, others: readonly Loaded[], rounds: number): Promise<OptionResult[]> {
  const samples = others.map((): Sample[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, other] of others.entries()) {
      const restore = (iteration: number) => Promise.all([plain, other].map((side) => side.restore(iteration)));
      const sample = await measureRound({ ours: other.put, theirs: plain.put, restore }, iterations);
      if (round > 0) samples[index]?.push(sample);
    }
  }
  return others.map(({ title }, index) => ({ title, ...compare(samples[index] ?? []) }));
}
