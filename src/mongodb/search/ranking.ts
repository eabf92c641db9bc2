import type { CallContext } from "../../core/runtime/call.js";
import type { SearchItem } from "@langchain/langgraph-checkpoint";
import type { IndexDescription } from "mongodb";
import type { TextIndexing } from "../operations/checked-operation.js";
import type { ItemFilter } from "../operations/filters.js";
import type { RankedFields } from "../items/item-document.js";
import type { ItemCollection } from "../items/item-collection.js";
import type { ItemPut } from "../items/item-updates.js";

/** How a store answers a `query`. */
export interface Ranking extends TextIndexing {
  indexes: readonly IndexDescription[];
  /**
   * What to store beside the values of those puts. Refuses before anything is written; reads with one command at most.
   */
  createFields(puts: readonly ItemPut[], items: ItemCollection, call: CallContext): Promise<Map<ItemPut, RankedFields>>;
  /** Gets ready for all queries of a batch at once. */
  prepare(queries: readonly string[], items: ItemCollection, call: CallContext): Promise<RankedSearch>;
}

export interface RankedQuery {
  query: string;
  prefix: readonly string[];
  filter: ItemFilter;
  atMost: number;
}

export type RankedSearch = (query: RankedQuery) => Promise<RankedItems>;

/** The first items, at most so many of each: those with a score best first, those that cannot have one in order. */
export interface RankedItems {
  scored: AsyncIterable<SearchItem>;
  unscored: AsyncIterable<SearchItem>;
}
