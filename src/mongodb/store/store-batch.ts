import type { Item, SearchItem } from "@langchain/langgraph-checkpoint";
import type { CallContext } from "../../core/runtime/call.js";
import { addressOfNamespace, memoryRootLabel, namespaceOfMemory } from "../../core/values/namespace.js";
import type { ItemCollection } from "../items/item-collection.js";
import { itemFromDocument } from "../items/item-document.js";
import type { ItemPut, ItemWrite } from "../items/item-updates.js";
import { mayHoldMemories } from "../memories/address-ranges.js";
import { checkFileWrites, type FileWrite, writeFiles } from "../memories/file-writes.js";
import type { MemoryLayout } from "../memories/layout.js";
import {
  compareNamespaces,
  namespacesWithin,
  placeOf,
  placesWithin,
  storedPlace,
  type StoredRange,
} from "../places/namespaces.js";
import { type CheckedOperation, checkOperation, type NamespaceListing, type Search } from "../places/operations.js";
import { chunksOf, flattened, mergeOrdered, pageOf } from "../driver/ordered-streams.js";
import type { ItemFilter } from "../places/filters.js";
import { unscoredItem } from "../places/unscored-item.js";
import type { RankedItems, RankedSearch, Ranking } from "../search/ranking.js";
import { commonPrefix, matchesBeside, pageOfNamespaces } from "./namespace-matches.js";

type OperationOf<Kind extends CheckedOperation["kind"]> = Extract<CheckedOperation, { kind: Kind }>;

/** What a batch reads and changes. */
export interface BatchStorage {
  items: ItemCollection;
  memories: MemoryLayout;
  ranking: Ranking | undefined;
  /** Called if there are queries and no ranking. */
  onUnranked: () => void;
}

/**
 * Runs batches as the reference does. It checks everything before it does anything, and it does all reads before all
 * writes. If several writes go to one place, the last one counts.
 */
export class StoreBatch {
  readonly #storage: BatchStorage;
  readonly #call: CallContext | undefined;
  #itemsOfCall: ItemCollection | undefined;
  #memoriesOfCall: MemoryLayout | undefined;

  /** @param call the batch ends with it */
  constructor(storage: BatchStorage, call: CallContext | undefined) {
    this.#storage = storage;
    this.#call = call;
  }

  get #items(): ItemCollection {
    this.#itemsOfCall ??= this.#call === undefined ? this.#storage.items : this.#storage.items.forCall(this.#call);
    return this.#itemsOfCall;
  }

  get #memories(): MemoryLayout {
    this.#memoriesOfCall ??=
      this.#call === undefined ? this.#storage.memories : this.#storage.memories.forCall(this.#call);
    return this.#memoriesOfCall;
  }

  /** Returns an answer for each operation, in their order; null for a put or delete. */
  async run(operations: readonly unknown[]): Promise<unknown[]> {
    if (!Array.isArray(operations)) throw new TypeError("batch: operations must be an array");
    const checked = Array.from(operations as unknown[], (operation) =>
      checkOperation(operation, this.#storage.ranking),
    );
    const writes = lastWritesOf(checked);
    const itemWrites = writes.filter(
      (write): write is ItemWrite => write.kind === "putItem" || write.kind === "deleteItem",
    );
    const fileWrites = writes.filter(
      (write): write is FileWrite => write.kind === "putMemory" || write.kind === "deleteMemory",
    );
    if (fileWrites.length > 0 && writes.length > 1) await checkFileWrites(this.#memories, fileWrites);
    const answers = checked.some(isRead) ? await this.#readAndRefresh(checked) : checked.map(() => null);
    if (writes.length === 0) return answers;
    const puts = itemWrites.filter((write): write is ItemPut => write.kind === "putItem");
    const ranked = puts.length > 0 ? await this.#storage.ranking?.fieldsOf(puts, this.#items) : undefined;
    // Memories come first, because only they can still refuse a write here.
    if (fileWrites.length > 0) await writeFiles(this.#memories, fileWrites);
    if (itemWrites.length > 0) await this.#items.write(itemWrites, ranked ?? new Map<ItemPut, object>());
    return answers;
  }

  async #readAndRefresh(operations: readonly CheckedOperation[]): Promise<unknown[]> {
    const answers = await this.#read(operations);
    await this.#items.refresh(operations.flatMap((operation, index) => itemsIn(operation, answers[index])));
    return answers;
  }

  /**
   * Waits only for the kinds of operations that there are. To wait for an empty kind costs a small call some hundredths
   * of its time.
   */
  async #read(operations: readonly CheckedOperation[]): Promise<unknown[]> {
    const items = operations.filter((operation) => operation.kind === "getItem");
    const files = operations.filter((operation) => operation.kind === "getMemory");
    const pages = operations.filter((operation) => operation.kind === "search" || operation.kind === "listNamespaces");
    const answers = await Promise.all([
      items.length > 0 ? this.#getItems(items) : [],
      files.length > 0 ? this.#getFiles(files) : [],
      pages.length > 0 ? this.#readPages(pages) : [],
    ]);
    const found = new Map<CheckedOperation, unknown>(answers.flat());
    return operations.map((operation) => found.get(operation) ?? null);
  }

  async #getItems(gets: OperationOf<"getItem">[]): Promise<[CheckedOperation, Item | null][]> {
    const documents = await this.#items.find(gets.map((get) => get.place.id));
    return gets.map((get) => {
      const document = documents.get(get.place.id);
      return [get, document ? itemFromDocument(document) : null];
    });
  }

  async #getFiles(gets: OperationOf<"getMemory">[]): Promise<[CheckedOperation, Item | null][]> {
    const items = await this.#memories.itemsAt(gets.map((get) => get.place));
    return gets.map((get, index) => [get, items[index] ?? null]);
  }

  async #readPages(pages: OperationOf<"search" | "listNamespaces">[]): Promise<[CheckedOperation, unknown][]> {
    const ranked = pages.filter((page) => page.kind === "search" && isRanked(page.search));
    const queries = ranked.map((page) => (page.kind === "search" ? page.search.query : ""));
    if (queries.length > 0 && this.#storage.ranking === undefined) this.#storage.onUnranked();
    const rank = queries.length > 0 ? await this.#storage.ranking?.prepare(queries, this.#items) : undefined;
    return Promise.all(
      pages.map(async (operation): Promise<[CheckedOperation, unknown]> => [
        operation,
        operation.kind === "search"
          ? await this.#search(operation.search, rank)
          : await this.#listNamespaces(operation.listing),
      ]),
    );
  }

  async #search(search: Search, rank: RankedSearch | undefined): Promise<SearchItem[]> {
    const { prefix, filter, offset, limit } = search;
    if (filter.never || limit === 0) return [];
    if (rank !== undefined && isRanked(search)) {
      const items = await rank({ ...search, atMost: offset + limit });
      return pageOf(this.#withMemories(search, items), offset, limit);
    }
    if (!mayHoldMemories(prefix)) return this.#items.search(placesWithin(prefix), filter, search);
    return pageOf(this.#searchWithMemories(search, offset + limit), offset, limit);
  }

  /** Nothing ranks the files of memories, so they come among the items that have no score. */
  async *#withMemories({ prefix, filter }: Search, { scored, unscored }: RankedItems): AsyncGenerator<SearchItem> {
    yield* scored;
    const files = mayHoldMemories(prefix) ? [this.#filesWithin(prefix, filter)] : [];
    yield* mergeOrdered([unscored, ...files], comparePlaces);
  }

  /**
   * Memories sort where their root label sorts. If the items before that label fill the page, the memories are not
   * asked.
   */
  async *#searchWithMemories({ prefix, filter }: Search, atMost: number): AsyncGenerator<SearchItem> {
    const root = prefix.length > 0 ? placesWithin(prefix) : placesWithin([memoryRootLabel]);
    const merged = (): AsyncGenerator<SearchItem> =>
      mergeOrdered([this.#items.stream(root, filter, atMost), this.#filesWithin(prefix, filter)], comparePlaces);
    if (prefix.length > 0) {
      yield* merged();
      return;
    }
    yield* this.#items.stream(before(root), filter, atMost);
    yield* merged();
    yield* this.#items.stream(after(root), filter, atMost);
  }

  async *#filesWithin(prefix: readonly string[], filter: ItemFilter): AsyncGenerator<SearchItem> {
    for await (const item of this.#memories.itemsWithin(prefix))
      if (filter.matches(item.value)) yield unscoredItem(item);
  }

  async *#memoryNamespaces(prefix: readonly string[]): AsyncGenerator<string[]> {
    for await (const address of this.#memories.memories(prefix)) yield namespaceOfMemory(address);
  }

  async #listNamespaces(listing: NamespaceListing): Promise<string[][]> {
    const prefix = commonPrefix(listing.matches);
    const ofItems = this.#items.namespaces(namespacesWithin(prefix));
    if (!mayHoldMemories(prefix))
      return pageOfNamespaces(ofItems, { ...listing, matches: matchesBeside(prefix, listing.matches) });
    const all = mergeOrdered([flattened(ofItems), this.#memoryNamespaces(prefix)], compareNamespaces);
    return pageOfNamespaces(chunksOf(all, 1), listing);
  }
}

const isRead = ({ kind }: CheckedOperation): boolean =>
  kind === "getItem" || kind === "getMemory" || kind === "search" || kind === "listNamespaces";

const isRanked = ({ query, filter, limit }: Search): boolean => query !== "" && !filter.never && limit > 0;

/** The items of an answer that lie in the collection. */
function itemsIn(operation: CheckedOperation, answer: unknown): { id: string; namespace: string[] }[] {
  if (operation.kind === "getItem") return answer === null ? [] : [operation.place];
  if (operation.kind !== "search") return [];
  return (answer as SearchItem[])
    .filter(({ namespace }) => addressOfNamespace(namespace) === null)
    .map(({ namespace, key }) => ({ namespace, id: storedPlace(namespace, key) }));
}

function lastWritesOf(operations: readonly CheckedOperation[]): (ItemWrite | FileWrite)[] {
  const writes = new Map<string, ItemWrite | FileWrite>();
  for (const operation of operations) {
    const { kind } = operation;
    if (kind === "putItem" || kind === "deleteItem" || kind === "putMemory" || kind === "deleteMemory") {
      writes.set(placeOf(operation.place.namespace, operation.place.key), operation);
    }
  }
  return [...writes.values()];
}

function comparePlaces(a: Item, b: Item): number {
  return compareNamespaces([placeOf(a.namespace, a.key)], [placeOf(b.namespace, b.key)]);
}

const before = ({ $gte }: StoredRange): StoredRange => ($gte === undefined ? {} : { $lt: $gte });
const after = ({ $lt }: StoredRange): StoredRange => ($lt === undefined ? {} : { $gte: $lt });
