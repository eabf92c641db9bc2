import type { CallContext } from "../../core/runtime/call.js";
import type { SearchItem } from "@langchain/langgraph-checkpoint";
import type { IndexDescription } from "mongodb";
import type { Batches } from "../driver/ordered-streams.js";
import type { TextIndexing } from "../operations/checked-operation.js";
import type { ItemFilter } from "../operations/filters.js";
import type { RankedFields } from "../items/item-document.js";
import type { ItemCollection } from "../items/item-collection.js";
import type { ItemPut } from "../items/item-updates.js";

/** Ranks the items of a store for a `query`. */
export interface Ranking extends TextIndexing {
  indexes: readonly IndexDescription[];
  /**
   * Creates the fields to store beside the values of these puts. Refuses puts before anything is written. Reads with
   * one command at most.
   */
  createFields(puts: readonly ItemPut[], items: ItemCollection, call: CallContext): Promise<Map<ItemPut, RankedFields>>;
  /** Prepares all queries of a batch at once. */
  prepare(queries: readonly string[], items: ItemCollection, call: CallContext): Promise<RankedSearch>;
}

export interface RankedQuery {
  query: string;
  prefix: readonly string[];
  filter: ItemFilter;
  atMost: number;
}

export type RankedSearch = (query: RankedQuery) => Promise<RankedItems>;

/**
 * The first items, at most `atMost` of each kind: items with a score, best first; items that cannot have a score, in
 * order.
 */
export interface RankedItems {
  scored: Batches<SearchItem>;
  unscored: Batches<SearchItem>;
}
