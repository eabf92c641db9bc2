import type { CallContext } from "../../core/runtime/call.js";
import { types } from "node:util";
import type { SearchItem } from "@langchain/langgraph-checkpoint";
import type { Binary, MongoClient } from "mongodb";
import { binaryOfSubtype } from "../driver/client.js";
import { type Batches, flattened, splitIntoChunks } from "../driver/ordered-streams.js";
import { Embedder, type EmbeddingsConfig } from "../embeddings/embedder.js";
import { VectorScorer, vectorSizeBytes, vectorSubtype } from "../embeddings/vectors.js";
import { type ItemCollection, maxBatchItems } from "../items/item-collection.js";
import {
  type EmbeddedTexts,
  type ItemDocument,
  parseItem,
  type RankedFields,
  vectorField,
  withoutScore,
} from "../items/item-document.js";
import type { ItemPut } from "../items/item-updates.js";
import type { PutIndex } from "../operations/checked-operation.js";
import { idsWithin } from "../operations/namespaces.js";
import { decodeValue } from "../operations/values.js";
import type { RankedItems, RankedQuery, RankedSearch, Ranking } from "./ranking.js";
import { textsAt } from "./text-paths.js";
import { type VectorSearchOptions, createVectorSearchPipeline } from "./vector-search.js";

export interface SemanticRankingContext {
  /** The client of the items. */
  client: MongoClient;
  config: EmbeddingsConfig;
  /** Without it, every vector of a range is compared. */
  vectorSearch: VectorSearchOptions | undefined;
  collectionName: string;
  /** Whether a vector index may still contain expired items. */
  expires: boolean;
}

/** Size in bytes of a text's entry without its vector: the hash and the names of both fields. */
const otherBytesPerText = 64;

/** A query with the collection and the call of its search. */
type ItemQuery = RankedQuery & { items: ItemCollection; call: CallContext };

type VectorQuery = ItemQuery & { vector: readonly number[] };

interface Match {
  _id: string;
  score?: number;
}

/** Ranks by the cosine of embedding vectors. If an item has several vectors, the best counts. */
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

  selectTexts(value: Record<string, unknown>, index: PutIndex): string[] {
    return index === false ? [] : textsAt(value, index ?? this.#paths);
  }

  sizeBytes(texts: readonly string[]): number {
    return texts.length * (vectorSizeBytes(this.#embedder.dims) + otherBytesPerText);
  }

  /**
   * Reads the vectors of unchanged texts and writes them back, so that value and vectors are always of the same put.
   */
  async createFields(
    puts: readonly ItemPut[],
    items: ItemCollection,
    call: CallContext,
  ): Promise<Map<ItemPut, RankedFields>> {
    const embedded = puts.filter(({ texts }) => texts.length > 0);
    if (embedded.length === 0) return new Map();
    const ids = embedded.map(({ location }) => location.id);
    const stored = await readVectors(ids, items, call);
    const texts = new Set(embedded.flatMap((put) => put.texts));
    const missing = [...texts].filter((text) => !stored.has(this.#embedder.hash(text)));
    const created = await this.#embedder.embedTexts(missing);
    const binary = await binaryOfSubtype(this.#context.client, vectorSubtype);
    const createField = (put: ItemPut): EmbeddedTexts => {
      const hashes = put.texts.map((text) => this.#embedder.hash(text));
      const vectors: Record<string, Binary> = {};
      for (const [position, text] of put.texts.entries()) {
        const vector = stored.get(hashes[position] ?? "") ?? created.get(text) ?? new Uint8Array();
        vectors[vectorField(position)] = binary(vector);
      }
      return { hashes, vectors };
    };
    return new Map(embedded.map((put) => [put, { embedded: createField(put) }]));
  }

  async prepare(queries: readonly string[], items: ItemCollection, call: CallContext): Promise<RankedSearch> {
    const distinct = [...new Set(queries)];
    const vectors = new Map(
      await Promise.all(distinct.map(async (query) => [query, await this.#embedder.embedQuery(query)] as const)),
    );
    const { vectorSearch } = this.#context;
    return (search) => {
      const withVector = { ...search, items, call, vector: vectors.get(search.query) ?? [] };
      if (vectorSearch === undefined) return compareAll(withVector);
      return Promise.resolve(this.#searchIndex(withVector, vectorSearch));
    };
  }

  #searchIndex(search: VectorQuery, options: VectorSearchOptions): RankedItems {
    const { collectionName, expires } = this.#context;
    const { vector, prefix, filter, atMost, items, call } = search;
    const selection = items.selection(idsWithin(prefix), filter);
    const selective = expires || !filter.matchesAll;
    const vectorSearch = { collectionName, vector, selection, prefix, filter, selective, atMost };
    const matches = items.aggregate<Match>(createVectorSearchPipeline(options, vectorSearch), call);
    const withoutVectors = { $and: [selection, { embedded: { $exists: false } }] };
    const others = items.query<Match>(withoutVectors, { projection: { _id: 1 }, sort: { _id: 1 } }, call);
    return { scored: readItems(matches, search), unscored: readItems(others, search) };
  }
}

/** Reads the stored packed vectors of items, by the hash of their text. */
async function readVectors(
  ids: readonly string[],
  items: ItemCollection,
  call: CallContext,
): Promise<Map<string, Uint8Array>> {
  const filter = { _id: ids.length === 1 ? ids[0] : { $in: ids } };
  const vectors = new Map<string, Uint8Array>();
  const documents = items.query<ItemDocument>(filter, { projection: { embedded: 1 } }, call);
  for await (const { embedded } of flattened(documents)) {
    for (const [position, hash] of (embedded?.hashes ?? []).entries()) {
      const vector = embedded?.vectors[vectorField(position)];
      if (types.isUint8Array(vector)) vectors.set(hash, vector);
    }
  }
  return vectors;
}

/**
 * Compares exactly, in one pass over the vectors of the range. Keeps one batch in memory, and the ids of the best
 * items.
 */
async function compareAll(search: VectorQuery): Promise<RankedItems> {
  const { vector, prefix, filter, atMost, items, call } = search;
  const projection = { embedded: { vectors: 1 }, ...(!filter.matchesAll && { value: 1 }) };
  const options = { projection, sort: { _id: 1 }, batchSize: maxBatchItems } as const;
  const scorer = new VectorScorer(vector);
  let best: Scored[] = [];
  const others: Match[] = [];
  const selection = items.selection(idsWithin(prefix), filter);
  for await (const documents of items.query<ItemDocument>(selection, options, call)) {
    const scored: Scored[] = [];
    for (const { _id, value, embedded } of documents) {
      if (!filter.matchesAll && !filter.matches(decodeValue(value))) continue;
      const score = bestScore(scorer, embedded);
      if (score !== undefined) scored.push({ _id, score });
      else if (others.length < atMost) others.push({ _id });
    }
    best = keepBest([...best, ...scored], atMost);
  }
  return { scored: readItems(batch(best), search), unscored: readItems(batch(others), search) };
}

type Scored = Required<Match>;

/** Returns the best matches first. Among equal scores, earlier matches come first. */
export function keepBest<T extends { score: number }>(matches: readonly T[], atMost: number): T[] {
  return matches.toSorted((a, b) => b.score - a.score).slice(0, atMost);
}

function bestScore(scorer: VectorScorer, embedded: EmbeddedTexts | undefined): number | undefined {
  let best: number | undefined;
  for (const vector of Object.values(embedded?.vectors ?? {})) {
    const score = types.isUint8Array(vector) ? scorer.score(vector) : undefined;
    if (score !== undefined && score > (best ?? -Infinity)) best = score;
  }
  return best;
}

/** Reads values only for the result. Leaves out items that have changed since the ranking and no longer match. */
async function* readItems(
  matches: Batches<Match>,
  { filter, atMost, items, call }: ItemQuery,
): AsyncGenerator<SearchItem[]> {
  for await (const chunk of splitIntoChunks(matches, Math.min(atMost, maxBatchItems))) {
    const documents = await items.find(
      chunk.map(({ _id }) => _id),
      call,
    );
    yield chunk.flatMap(({ _id, score }) => {
      const document = documents.get(_id);
      if (document === undefined) return [];
      const item = parseItem(document);
      if (!filter.matches(item.value)) return [];
      return [score === undefined ? withoutScore(item) : { ...item, score }];
    });
  }
}

async function* batch<T>(values: readonly T[]): AsyncGenerator<readonly T[]> {
  yield values;
}
