import type { Db } from "mongodb";
import { isStrict, openMemoriesDatabase } from "../driver/client.js";
import { ExactCollection } from "../driver/exact-collection.js";
import { Expiry } from "../items/expiry.js";
import { ItemCollection } from "../items/item-collection.js";
import { defaultItemsCollection, type ItemDocument } from "../items/item-document.js";
import type { HistorySettings, StoreContext } from "../memories/store-context.js";
import { openCollections } from "../memories/collections.js";
import type { MemoriesContext } from "../memories/memory-context.js";
import { KeywordRanking } from "../search/keyword-ranking.js";
import type { Ranking } from "../search/ranking.js";
import { SemanticRanking } from "../search/semantic-ranking.js";
import type { BatchStorage } from "./store-batch.js";
import { type MongoMemoryStoreOptions, pageBytesOption } from "./store-options.js";

/** Opens the memories of a store. Sends nothing to the server. */
export function openMemories(
  options: MongoMemoryStoreOptions,
  context: Pick<StoreContext, "connect" | "clock" | "makesIndexes">,
): MemoriesContext {
  const { client, dbName, index } = options;
  return openCollections({
    ...context,
    db: openMemoriesDatabase(client, dbName),
    client,
    collectionName: options.memoriesCollection ?? "memories",
    expireMs: options.expireMs ?? {},
    history: createHistorySettings(options.history),
    embeddings: index ?? null,
    pageBytes: options[pageBytesOption],
  });
}

/** Opens the other items of a store. Sends nothing to the server. */
export function openItems(
  options: MongoMemoryStoreOptions,
  database: Db,
  { connect, clock }: Pick<StoreContext, "connect" | "clock">,
): Omit<BatchStorage, "memories"> {
  const collection = new ExactCollection(
    database.collection<ItemDocument>(options.itemsCollection ?? defaultItemsCollection),
  );
  const ranking = createRanking(options, collection.name);
  const items = new ItemCollection({
    collection,
    connect,
    clock,
    expiry: new Expiry(options.ttl),
    indexes: ranking?.indexes ?? [],
    ranked: ranking !== undefined,
  });
  const onUnranked = ranking === undefined && options.textSearch === undefined ? warnOnce() : (): void => undefined;
  return { items, ranking, onUnranked };
}

function createHistorySettings(history: MongoMemoryStoreOptions["history"] = false): HistorySettings | null {
  if (history === false) return null;
  return { begins: true, ...(history !== true && history) };
}

function createRanking(
  { client, index, vectorSearch, textSearch, ttl }: MongoMemoryStoreOptions,
  collectionName: string,
): Ranking | undefined {
  if (index !== undefined) {
    return new SemanticRanking({ collectionName, client, config: index, vectorSearch, expires: ttl !== undefined });
  }
  if (textSearch === false || (textSearch === undefined && isStrict(client))) return undefined;
  return new KeywordRanking(typeof textSearch === "object" ? textSearch : {});
}

/** Warns once for each store that a query has no effect because of the client. */
function warnOnce(): () => void {
  let warned = false;
  return () => {
    if (warned) return;
    warned = true;
    const reason =
      "the client's strict Stable API has no text index; set index, or textSearch: false to turn this warning off";
    process.emitWarning(`a query does not rank items: ${reason}`, { type: "MemoryWarning" });
  };
}
