import type { Item, SearchItem } from "@langchain/langgraph-checkpoint";

/** As a search without a ranking answers: the reference has the field, undefined, which its own type does not allow. */
export function unscoredItem(item: Item): SearchItem {
  const searchItem: Item & { score: undefined } = Object.assign({}, item, { score: undefined });
  return searchItem as Item;
}
