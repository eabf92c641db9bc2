import { readFileItems } from "../memories/read-file-items.js";
import type { Item, SearchItem } from "@langchain/langgraph-checkpoint";
import type { CallContext } from "../../core/runtime/call.js";
import { parseMemoryNamespace, memoryRootLabel, getMemoryNamespace } from "../../core/values/namespace.js";
import { compareCodeUnits } from "../../core/values/text.js";
import { splitIntoChunks, flattened, mergeOrdered, takePage } from "../driver/ordered-streams.js";
import type { ItemCollection } from "../items/item-collection.js";
import { parseItem, type RankedFields, withoutScore } from "../items/item-document.js";
import type { ItemPut, ItemWrite } from "../items/item-updates.js";
import { mayHoldMemories } from "../memories/addresses/address-ranges.js";
import { checkFileWrites, type FileWrite, writeFiles } from "../memories/file-writes.js";
import type { MemoryLayout } from "../memories/contract/layout.js";
import {
  type CheckedOperation,
  checkOperation,
  type NamespaceListing,
  type ItemSearch,
} from "../operations/checked-operation.js";
import type { ItemFilter } from "../operations/filters.js";
import {
  compareNamespaces,
  idsWithin,
  namespacesWithin,
  sortKey,
  storedId,
  type StoredRange,
} from "../operations/namespaces.js";
import type { RankedItems, RankedSearch, Ranking } from "../search/ranking.js";
import { pageOfNamespaces, splitMatches } from "./namespace-matches.js";

type OperationOf<Kind extends CheckedOperation["kind"]> = Extract<CheckedOperation, { kind: Kind }>;

/** The parts that a batch reads and changes. */
export interface BatchStorage {
  items: ItemCollection;
  memories: MemoryLayout;
  /** Ends the batch when it is aborted. */
  call: CallContext;
  ranking: Ranking | undefined;
  /** Called if a batch has a query and the store has no ranking. */
  onUnranked: () => void;
}

/**
 * Runs batches as the reference does. It checks everything before it does anything, and it does all reads before all
 * writes. If several writes have the same namespace and key, the last one counts.
 */
export class StoreBatch {
  readonly #storage: BatchStorage;

  constructor(storage: BatchStorage) {
    this.#storage = storage;
  }

  /** Returns an answer for each operation, in their order; null for a put or delete. */
  async run(operations: readonly unknown[]): Promise<unknown[]> {
    if (!Array.isArray(operations)) throw new TypeError("batch: operations must be an array");
    const { items, memories, ranking, call } = this.#storage;
    // `map` would skip the holes of an array.
    const checked = Array.from<unknown, CheckedOperation>(operations, (operation) =>
      checkOperation(operation, ranking),
    );
    const writes = selectLastWrites(checked);
    const itemWrites = writes.filter((write) => write.kind === "putItem" || write.kind === "deleteItem");
    const fileWrites = writes.filter((write) => write.kind === "putMemory" || write.kind === "deleteMemory");
    if (writesOtherPlaces(writes, fileWrites)) await checkFileWrites(memories, fileWrites, call);
    const answers = await this.#read(checked);
    await items.refresh(
      checked.flatMap((operation, index) => selectItems(operation, answers[index])),
      call,
    );
    const puts = itemWrites.filter((write) => write.kind === "putItem");
    const ranked = (await ranking?.createFields(puts, items, call)) ?? new Map<ItemPut, RankedFields>();
    // Memories come first, because only they can still refuse a write here.
    await writeFiles(memories, fileWrites, call);
    await items.write(itemWrites, ranked, call);
    return answers;
  }

  async #read(operations: readonly CheckedOperation[]): Promise<unknown[]> {
    const answers = await Promise.all([
      this.#getItems(operations.filter((operation) => operation.kind === "getItem")),
      this.#getFiles(operations.filter((operation) => operation.kind === "getMemory")),
      this.#search(operations.filter((operation) => operation.kind === "search")),
      this.#listNamespaces(operations.filter((operation) => operation.kind === "listNamespaces")),
    ]);
    const byOperation = new Map<CheckedOperation, unknown>(answers.flat());
    return operations.map((operation) => byOperation.get(operation) ?? null);
  }

  async #getItems(gets: OperationOf<"getItem">[]): Promise<Answer[]> {
    const documents = await this.#storage.items.find(
      gets.map(({ location }) => location.id),
      this.#storage.call,
    );
    return gets.map((get) => {
      const document = documents.get(get.location.id);
      return [get, document ? parseItem(document) : null];
    });
  }

  async #getFiles(gets: OperationOf<"getMemory">[]): Promise<Answer[]> {
    const places = gets.map(({ location }) => location);
    const items = await readFileItems(this.#storage.memories, places, this.#storage.call);
    return gets.map((get, index) => [get, items[index] ?? null]);
  }

  async #search(searches: OperationOf<"search">[]): Promise<Answer[]> {
    const { items, ranking, onUnranked, call } = this.#storage;
    const queries = searches.filter(({ search }) => isRanked(search)).map(({ search }) => search.query);
    if (queries.length > 0 && ranking === undefined) onUnranked();
    const rank = queries.length > 0 ? await ranking?.prepare(queries, items, call) : undefined;
    return Promise.all(
      searches.map(async (operation): Promise<Answer> => [operation, await this.#searchPage(operation.search, rank)]),
    );
  }

  async #searchPage(search: ItemSearch, rank: RankedSearch | undefined): Promise<SearchItem[]> {
    const { prefix, filter, offset, limit } = search;
    if (isEmpty(search)) return [];
    if (rank !== undefined && isRanked(search)) {
      const ranked = await rank({ ...search, atMost: offset + limit });
      return takePage(this.#withMemories(search, ranked), offset, limit);
    }
    if (!mayHoldMemories(prefix))
      return this.#storage.items.search(idsWithin(prefix), filter, search, this.#storage.call);
    return takePage(this.#searchWithMemories(search, offset + limit), offset, limit);
  }

  /** Nothing ranks the files of memories, so they come among the items that have no score. */
  async *#withMemories({ prefix, filter }: ItemSearch, { scored, unscored }: RankedItems): AsyncGenerator<SearchItem> {
    yield* scored;
    const files = mayHoldMemories(prefix) ? [this.#filesWithin(prefix, filter)] : [];
    yield* mergeOrdered([unscored, ...files], compareItems);
  }

  /**
   * Memories come at the position of their root label in the order. They are not read if the items before that label
   * fill the page.
   */
  async *#searchWithMemories({ prefix, filter }: ItemSearch, atMost: number): AsyncGenerator<SearchItem> {
    const { items, call } = this.#storage;
    const root = idsWithin(prefix.length > 0 ? prefix : [memoryRootLabel]);
    if (prefix.length === 0) yield* items.stream(before(root), filter, atMost, call);
    yield* mergeOrdered([items.stream(root, filter, atMost, call), this.#filesWithin(prefix, filter)], compareItems);
    if (prefix.length === 0) yield* items.stream(after(root), filter, atMost, call);
  }

  async *#filesWithin(prefix: readonly string[], filter: ItemFilter): AsyncGenerator<SearchItem> {
    for await (const item of this.#storage.memories.itemsWithin(prefix, this.#storage.call)) {
      if (filter.matches(item.value)) yield withoutScore(item);
    }
  }

  #listNamespaces(listings: OperationOf<"listNamespaces">[]): Promise<Answer[]> {
    return Promise.all(
      listings.map(async (operation): Promise<Answer> => [operation, await this.#listPage(operation.listing)]),
    );
  }

  async #listPage(listing: NamespaceListing): Promise<string[][]> {
    const { prefix, others } = splitMatches(listing.matches);
    const { maxDepth, offset, limit } = listing;
    if (limit === 0) return [];
    const atMost = others.length === 0 && maxDepth === Infinity ? offset + limit : Infinity;
    const ofItems = this.#storage.items.namespaces(namespacesWithin(prefix), atMost, this.#storage.call);
    if (!mayHoldMemories(prefix)) return pageOfNamespaces(ofItems, { ...listing, matches: others });
    const all = mergeOrdered([flattened(ofItems), this.#memoryNamespaces(prefix)], compareNamespaces);
    return pageOfNamespaces(splitIntoChunks(all, 1), listing);
  }

  async *#memoryNamespaces(prefix: readonly string[]): AsyncGenerator<string[]> {
    for await (const address of this.#storage.memories.memories(prefix, this.#storage.call))
      yield getMemoryNamespace(address);
  }
}

/** Whether a batch writes files, and also something that is not written in one step with them. */
function writesOtherPlaces(writes: readonly (ItemWrite | FileWrite)[], fileWrites: readonly FileWrite[]): boolean {
  const memories = new Set(fileWrites.map(({ location }) => JSON.stringify(location.namespace)));
  return memories.size > 1 || (memories.size === 1 && writes.length > fileWrites.length);
}

type Answer = [CheckedOperation, unknown];

const isEmpty = ({ filter, limit }: ItemSearch): boolean => filter.matchesNone || limit === 0;

const isRanked = (search: ItemSearch): boolean => search.query !== "" && !isEmpty(search);

/** Selects the items of an answer that are in the items collection. */
function selectItems(operation: CheckedOperation, answer: unknown): { id: string; namespace: string[] }[] {
  if (operation.kind === "getItem") return answer === null ? [] : [operation.location];
  if (operation.kind !== "search") return [];
  // The answer of a search.
  return (answer as SearchItem[])
    .filter(({ namespace }) => parseMemoryNamespace(namespace) === null)
    .map(({ namespace, key }) => ({ namespace, id: storedId(namespace, key) }));
}

function selectLastWrites(operations: readonly CheckedOperation[]): (ItemWrite | FileWrite)[] {
  const writes = new Map<string, ItemWrite | FileWrite>();
  for (const operation of operations) {
    const { kind } = operation;
    if (kind === "putItem" || kind === "deleteItem" || kind === "putMemory" || kind === "deleteMemory") {
      writes.set(sortKey(operation.location.namespace, operation.location.key), operation);
    }
  }
  return [...writes.values()];
}

function compareItems(a: Item, b: Item): number {
  return compareCodeUnits(sortKey(a.namespace, a.key), sortKey(b.namespace, b.key));
}

const before = ({ $gte }: StoredRange): StoredRange => ($gte === undefined ? {} : { $lt: $gte });
const after = ({ $lt }: StoredRange): StoredRange => ($lt === undefined ? {} : { $gte: $lt });
