import type { Item, SearchItem } from "@langchain/langgraph-checkpoint";
import { wrongArgument } from "../../core/settings/wrong-argument.js";
import type { CallContext } from "../../core/runtime/call.js";
import { parseMemoryNamespace, memoryRootLabel, getMemoryNamespace } from "../../core/values/namespace.js";
import { compareCodeUnits } from "../../core/values/text.js";
import { mergeOrdered, takePage } from "../driver/ordered-streams.js";
import type { ItemCollection } from "../items/item-collection.js";
import { parseItem, type RankedFields, withoutScore } from "../items/item-document.js";
import type { ItemPut, ItemWrite } from "../items/item-updates.js";
import { mayHoldMemories } from "../memories/addresses/address-ranges.js";
import { checkFileWrites, type FileWrite, writeFiles } from "../memories/files/file-writes.js";
import { addressesWithin, itemsAt, itemsWithin } from "../memories/files/memory-items.js";
import type { MemoriesContext } from "../memories/memory-context.js";
import {
  type CheckedOperation,
  checkOperation,
  type ItemSearch,
  type NamespaceListing,
  type TextIndexing,
} from "../operations/checked-operation.js";
import type { ItemFilter } from "../operations/filters.js";
import {
  compareNamespaces,
  idsWithin,
  namespacesWithin,
  sortKey,
  createItemId,
  type StoredRange,
} from "../operations/namespaces.js";
import type { RankedItems, RankedSearch, Ranking } from "../search/ranking.js";
import { selectNamespaces, splitMatches } from "./namespace-matches.js";

type OperationOf<Kind extends CheckedOperation["kind"]> = Extract<CheckedOperation, { kind: Kind }>;

/** The parts that a batch reads and changes. */
export interface BatchStorage {
  items: ItemCollection;
  memories: MemoriesContext;
  ranking: Ranking | undefined;
  /** Called if a batch has a query and the store has no ranking. */
  onUnranked: () => void;
}

/** @throws InvalidNamespaceError, MemoryError EINVAL, EFBIG, TypeError */
export function checkBatch(operations: unknown, indexing: TextIndexing | undefined): CheckedOperation[] {
  if (!Array.isArray(operations)) throw wrongArgument("batch: operations", "an array", operations);
  // `map` alone would skip the holes of an array.
  return Array.from<unknown>(operations).map((operation) => checkOperation(operation, indexing));
}

/**
 * Runs batches as the reference does: all reads before all writes. If several writes have the same namespace and key,
 * the last one counts.
 */
export class StoreBatch {
  readonly #storage: BatchStorage;
  readonly #operations: readonly CheckedOperation[];
  readonly #call: CallContext;

  /** @param call ends the batch when it is aborted */
  constructor(storage: BatchStorage, operations: readonly CheckedOperation[], call: CallContext) {
    this.#storage = storage;
    this.#operations = operations;
    this.#call = call;
  }

  /** Returns an answer for each operation, in their order; null for a put or delete. */
  async run(): Promise<unknown[]> {
    const { items, ranking } = this.#storage;
    const checked = this.#operations;
    const writes = selectLastWrites(checked);
    const fileWrites = writes.filter((write) => write.kind === "putMemory" || write.kind === "deleteMemory");
    if (writesOtherPlaces(writes, fileWrites)) await checkFileWrites(this.#storage.memories, fileWrites, this.#call);
    const answers = checked.every(isWrite) ? checked.map(() => null) : await this.#read(checked);
    if (items.refreshesOnRead) {
      const read = checked.flatMap((operation, index) => selectItems(operation, answers[index]));
      await items.refresh(read, this.#call);
    }
    if (writes.length === 0) return answers;
    const itemWrites = writes.filter((write) => write.kind === "putItem" || write.kind === "deleteItem");
    const puts = itemWrites.filter((write) => write.kind === "putItem");
    const ranked = (await ranking?.createFields(puts, items, this.#call)) ?? new Map<ItemPut, RankedFields>();
    // Memories come first, because only they can still refuse a write here.
    if (fileWrites.length > 0) await writeFiles(this.#storage.memories, fileWrites, this.#call);
    if (itemWrites.length > 0) await items.write(itemWrites, ranked, this.#call);
    return answers;
  }

  /** Reads all operations of a kind at once. Most batches have one kind only. */
  async #read(operations: readonly CheckedOperation[]): Promise<unknown[]> {
    const kinds = new Set(operations.map(({ kind }) => kind));
    if (kinds.size <= 1) return this.#readKind(operations);
    const answers = new Map<CheckedOperation, unknown>();
    const readKind = async (kind: CheckedOperation["kind"]): Promise<void> => {
      const ofKind = selectKind(operations, kind);
      const found = await this.#readKind(ofKind);
      ofKind.forEach((operation, index) => answers.set(operation, found[index]));
    };
    await Promise.all([...kinds].map(readKind));
    return operations.map((operation) => answers.get(operation) ?? null);
  }

  /** Returns an answer for each of these operations of one kind, null for a put or delete. */
  async #readKind(operations: readonly CheckedOperation[]): Promise<unknown[]> {
    switch (operations[0]?.kind) {
      case "getItem":
        return this.#getItems(selectKind(operations, "getItem"));
      case "getMemory": {
        const places = selectKind(operations, "getMemory").map(({ location }) => location);
        return itemsAt(this.#storage.memories, places, this.#call);
      }
      case "search":
        return this.#search(selectKind(operations, "search").map(({ search }) => search));
      case "listNamespaces":
        return Promise.all(
          selectKind(operations, "listNamespaces").map(({ listing }) => this.#listNamespaces(listing)),
        );
      case "putItem":
      case "deleteItem":
      case "putMemory":
      case "deleteMemory":
      case undefined:
        return operations.map(() => null);
    }
  }

  async #getItems(gets: readonly OperationOf<"getItem">[]): Promise<(Item | null)[]> {
    const ids = gets.map(({ location }) => location.id);
    const documents = await this.#storage.items.find(ids, this.#call);
    return ids.map((id) => {
      const document = documents.get(id);
      return document === undefined ? null : parseItem(document);
    });
  }

  async #search(searches: readonly ItemSearch[]): Promise<SearchItem[][]> {
    const { items, ranking, onUnranked } = this.#storage;
    const queries = searches.filter(isRanked).map(({ query }) => query);
    if (queries.length > 0 && ranking === undefined) onUnranked();
    const rank = queries.length > 0 ? await ranking?.prepare(queries, items, this.#call) : undefined;
    return Promise.all(searches.map((search) => this.#searchPage(search, rank)));
  }

  async #searchPage(search: ItemSearch, rank: RankedSearch | undefined): Promise<SearchItem[]> {
    const { prefix, filter, offset, limit } = search;
    if (isEmpty(search)) return [];
    if (rank !== undefined && isRanked(search)) {
      const ranked = await rank({ ...search, atMost: offset + limit });
      return takePage(this.#withMemories(search, ranked), offset, limit);
    }
    if (!mayHoldMemories(prefix)) return this.#storage.items.search(idsWithin(prefix), filter, search, this.#call);
    return takePage(this.#searchWithMemories(search, offset + limit), offset, limit);
  }

  /** Nothing ranks the files of memories, so they come among the items that have no score. */
  async *#withMemories({ prefix, filter }: ItemSearch, { scored, unscored }: RankedItems): AsyncGenerator<SearchItems> {
    yield* scored;
    const files = mayHoldMemories(prefix) ? [this.#filesWithin(prefix, filter)] : [];
    yield* mergeOrdered([unscored, ...files], compareItems);
  }

  /**
   * Memories come at the position of their root label in the order. They are not read if the items before that label
   * fill the page.
   */
  async *#searchWithMemories({ prefix, filter }: ItemSearch, atMost: number): AsyncGenerator<SearchItems> {
    const { items } = this.#storage;
    const root = idsWithin(prefix.length > 0 ? prefix : [memoryRootLabel]);
    const batchesWithin = (range: StoredRange) => items.batches(range, filter, atMost, this.#call);
    if (prefix.length === 0) yield* batchesWithin(before(root));
    yield* mergeOrdered([batchesWithin(root), this.#filesWithin(prefix, filter)], compareItems);
    if (prefix.length === 0) yield* batchesWithin(after(root));
  }

  async *#filesWithin(prefix: readonly string[], filter: ItemFilter): AsyncGenerator<SearchItems> {
    for await (const item of itemsWithin(this.#storage.memories, prefix, this.#call)) {
      if (filter.matches(item.value)) yield [withoutScore(item)];
    }
  }

  async #listNamespaces({ matches, maxDepth, offset, limit }: NamespaceListing): Promise<string[][]> {
    if (limit === 0) return [];
    const { prefix, others } = splitMatches(matches);
    const selectsAll = others.length === 0 && maxDepth === Infinity;
    const atMost = selectsAll ? offset + limit : Infinity;
    const ofItems = this.#storage.items.namespaces(namespacesWithin(prefix), atMost, this.#call);
    const all = mayHoldMemories(prefix)
      ? mergeOrdered([ofItems, this.#memoryNamespaces(prefix)], compareNamespaces)
      : ofItems;
    return takePage(selectsAll ? all : selectNamespaces(all, others, maxDepth), offset, limit);
  }

  async *#memoryNamespaces(prefix: readonly string[]): AsyncGenerator<string[][]> {
    for await (const address of addressesWithin(this.#storage.memories, prefix, this.#call))
      yield [getMemoryNamespace(address)];
  }
}

/** Whether a batch writes files, and also something that is not written in one step with them. */
function writesOtherPlaces(writes: readonly (ItemWrite | FileWrite)[], fileWrites: readonly FileWrite[]): boolean {
  const memories = new Set(fileWrites.map(({ location }) => JSON.stringify(location.namespace)));
  return memories.size > 1 || (memories.size === 1 && writes.length > fileWrites.length);
}

type SearchItems = readonly SearchItem[];

const isEmpty = ({ filter, limit }: ItemSearch): boolean => filter.matchesNone || limit === 0;

const isRanked = (search: ItemSearch): boolean => search.query !== "" && !isEmpty(search);

function selectKind<Kind extends CheckedOperation["kind"]>(
  operations: readonly CheckedOperation[],
  kind: Kind,
): OperationOf<Kind>[] {
  return operations.filter((operation): operation is OperationOf<Kind> => operation.kind === kind);
}

/** Selects the items of an answer that are in the items collection. */
function selectItems(operation: CheckedOperation, answer: unknown): { id: string; namespace: string[] }[] {
  if (operation.kind === "getItem") return answer === null ? [] : [operation.location];
  if (operation.kind !== "search") return [];
  // The answer of a search.
  return (answer as SearchItem[])
    .filter(({ namespace }) => parseMemoryNamespace(namespace) === null)
    .map(({ namespace, key }) => ({ namespace, id: createItemId(namespace, key) }));
}

function selectLastWrites(operations: readonly CheckedOperation[]): (ItemWrite | FileWrite)[] {
  const writes = operations.filter(isWrite);
  if (writes.length <= 1) return writes;
  const last = new Map(writes.map((write) => [sortKey(write.location.namespace, write.location.key), write]));
  return [...last.values()];
}

function isWrite(operation: CheckedOperation): operation is ItemWrite | FileWrite {
  const { kind } = operation;
  return kind === "putItem" || kind === "deleteItem" || kind === "putMemory" || kind === "deleteMemory";
}

function compareItems(a: Item, b: Item): number {
  return compareCodeUnits(sortKey(a.namespace, a.key), sortKey(b.namespace, b.key));
}

const before = ({ $gte }: StoredRange): StoredRange => ($gte === undefined ? {} : { $lt: $gte });
const after = ({ $lt }: StoredRange): StoredRange => ($lt === undefined ? {} : { $gte: $lt });
