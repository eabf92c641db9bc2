import { types } from "node:util";
import type { IndexConfig, SearchItem } from "@langchain/langgraph-checkpoint";
import type { MongoClient } from "mongodb";
import { binaryOfSubtype } from "../driver/client.js";
import { Embedder } from "../meaning/embedder.js";
import { type ItemCollection, maxBatchItems } from "../items/item-collection.js";
import {
  type EmbeddedTexts,
  type ItemDocument,
  itemFromDocument,
  type RankedFields,
  vectorField,
} from "../items/item-document.js";
import type { ItemPut } from "../items/item-updates.js";
import { restoredValue } from "../places/values.js";
import { placesWithin } from "../places/namespaces.js";
import { unscoredItem } from "../places/unscored-item.js";
import type { PutIndex } from "../places/text-indexing.js";
import { chunksOf } from "../driver/ordered-streams.js";
import type { RankedItems, RankedSearch, Ranking } from "./ranking.js";
import { textsAt } from "./text-paths.js";
import { TopRanked } from "./top-ranked.js";
import { type VectorSearchOptions, vectorSearchPipeline } from "./vector-search.js";
import { VectorScorer, vectorSizeBytes, vectorSubtype } from "../meaning/vectors.js";

export interface SemanticRankingContext {
  /** That of the items. */
  client: MongoClient;
  config: IndexConfig;
  /** Without it every vector of a range is compared. */
  vectorSearch: VectorSearchOptions | undefined;
  collectionName: string;
  /** Whether items may have expired that a vector index still knows. */
  expires: boolean;
}

/** What a text takes beside its vector: its hash and the names of both. */
const otherBytesPerText = 64;

type Search = Parameters<RankedSearch>[0] & { vector: readonly number[]; items: ItemCollection };

/** Ranks by the cosine of embedding vectors; of several vectors of an item the best counts. */
export class SemanticRanking implements Ranking {
  readonly indexes = [];
  readonly #context: SemanticRankingContext;
  readonly #embedder: Embedder;
  readonly #paths: readonly string[];

  constructor(context: SemanticRankingContext) {
    this.#context = context;
    this.#embedder = new Embedder(context.config);
    this.#paths = [...(context.config.fields ?? ["$"])];
  }

  textsOf(value: Record<string, unknown>, index: PutIndex): string[] {
    return index === false ? [] : textsAt(value, index ?? this.#paths);
  }

  sizeBytes(texts: readonly string[]): number {
    return texts.length * (vectorSizeBytes(this.#embedder.dims) + otherBytesPerText);
  }

  /** Vectors of unchanged texts are read and written back: so value and vectors are always of one and the same put. */
  async fieldsOf(puts: readonly ItemPut[], items: ItemCollection): Promise<Map<ItemPut, RankedFields>> {
    const embedded = puts.filter(({ texts }) => texts.length > 0);
    if (embedded.length === 0) return new Map();
    const hashesOf = ({ texts }: ItemPut): string[] => texts.map((text) => this.#embedder.hashOf(text));
    const vectors = await this.#vectorsOf(
      embedded.map(({ place }) => place.id),
      items,
    );
    const missing = new Map<string, string>();
    for (const put of embedded) {
      for (const text of put.texts) {
        const hash = this.#embedder.hashOf(text);
        if (!vectors.has(hash)) missing.set(hash, text);
      }
    }
    const made = await this.#embedder.embedTexts([...missing.values()]);
    [...missing.keys()].forEach((hash, index) => vectors.set(hash, made[index] ?? new Uint8Array()));
    const binary = await binaryOfSubtype(this.#context.client, vectorSubtype);
    return new Map(
      embedded.map((put) => {
        const hashes = hashesOf(put);
        const fields = hashes.map((hash, index) => [vectorField(index), binary(vectors.get(hash) ?? new Uint8Array())]);
        return [put, { embedded: { hashes, vectors: Object.fromEntries(fields) as EmbeddedTexts["vectors"] } }];
      }),
    );
  }

  async prepare(queries: readonly string[], items: ItemCollection): Promise<RankedSearch> {
    const distinct = [...new Set(queries)];
    const vectors = await Promise.all(distinct.map((query) => this.#embedder.embedQuery(query)));
    const vectorOf = new Map(distinct.map((query, index) => [query, vectors[index] ?? []]));
    return (search) => {
      const withVector = { ...search, items, vector: vectorOf.get(search.query) ?? [] };
      return this.#context.vectorSearch === undefined
        ? this.#compareAll(withVector)
        : Promise.resolve(this.#askIndex(withVector, this.#context.vectorSearch));
    };
  }

  /** The packed vectors that items have now, by the hash of their text. */
  async #vectorsOf(ids: readonly string[], items: ItemCollection): Promise<Map<string, Uint8Array>> {
    const [only, ...others] = ids;
    const filter = { _id: others.length === 0 ? only : { $in: ids } };
    const found = items.query<ItemDocument>(filter, { projection: { embedded: 1 } });
    const vectors = new Map<string, Uint8Array>();
    for await (const { embedded } of found) {
      for (const [index, hash] of (embedded?.hashes ?? []).entries()) {
        const vector = embedded?.vectors[vectorField(index)];
        if (types.isUint8Array(vector)) vectors.set(hash, vector);
      }
    }
    return vectors;
  }

  /** Exact: one pass over the vectors of the range, of which a batch is held, and the best places. */
  async #compareAll({ vector, prefix, filter, atMost, items }: Search): Promise<RankedItems> {
    const projection = { embedded: { vectors: 1 }, ...(filter.exact ? {} : { value: 1 }) };
    const options = { projection, sort: { _id: 1 }, batchSize: maxBatchItems } as const;
    const best = new TopRanked<string>(atMost);
    const others: string[] = [];
    const scorer = new VectorScorer(vector);
    const selection = items.selection(placesWithin(prefix), filter);
    for await (const documents of items.queryBatches<ItemDocument>(selection, options)) {
      for (const { _id, value, embedded } of documents) {
        if (!filter.exact && !filter.matches(restoredValue(value))) continue;
        const score = bestScore(scorer, embedded);
        if (score !== undefined) best.push(_id, score);
        else if (others.length < atMost) others.push(_id);
      }
    }
    return {
      scored: this.#itemsOf(each(best.entries().map(({ value, score }) => ({ _id: value, score }))), {
        filter,
        atMost,
        items,
      }),
      unscored: this.#itemsOf(each(others.map((_id) => ({ _id }))), { filter, atMost, items }),
    };
  }

  #askIndex({ vector, prefix, filter, atMost, items }: Search, options: VectorSearchOptions): RankedItems {
    const { collectionName, expires } = this.#context;
    const selection = items.selection(placesWithin(prefix), filter);
    const selective = expires || filter.query.length > 0 || !filter.exact;
    const pipeline = vectorSearchPipeline(options, {
      collectionName,
      vector,
      selection,
      prefix,
      filter,
      selective,
      atMost,
    });
    const withoutVectors = { $and: [selection, { embedded: { $exists: false } }] };
    const found = items.query<FoundPlace>(withoutVectors, { projection: { _id: 1 }, sort: { _id: 1 } });
    return {
      scored: this.#itemsOf(items.aggregate<FoundPlace>(pipeline), { filter, atMost, items }),
      unscored: this.#itemsOf(found, { filter, atMost, items }),
    };
  }

  /** Values are read for the answer only. What changed since it was ranked is left out where it no longer matches. */
  async *#itemsOf(
    places: AsyncIterable<FoundPlace>,
    { filter, atMost, items }: Pick<Search, "filter" | "atMost" | "items">,
  ): AsyncGenerator<SearchItem> {
    for await (const chunk of chunksOf(places, Math.min(atMost, maxBatchItems))) {
      const documents = await items.find(chunk.map(({ _id }) => _id));
      for (const { _id, score } of chunk) {
        const document = documents.get(_id);
        if (document === undefined) continue;
        const item = itemFromDocument(document);
        if (!filter.matches(item.value)) continue;
        yield score === undefined ? unscoredItem(item) : { ...item, score };
      }
    }
  }
}

interface FoundPlace {
  _id: string;
  score?: number;
}

function bestScore(scorer: VectorScorer, embedded: EmbeddedTexts | undefined): number | undefined {
  const scores = Object.values(embedded?.vectors ?? {}).map((vector) =>
    types.isUint8Array(vector) ? scorer.score(vector) : undefined,
  );
  return scores.reduce((best, score) => (score === undefined || (best ?? -Infinity) > score ? best : score), undefined);
}

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
