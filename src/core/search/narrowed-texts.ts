import type { FoundText } from "../tree/snapshot.js";

/** What a storage has chosen of a large memory for a search. */
export interface NarrowedTexts {
  texts: FoundText[];
  /** How many files the memory has at least. Those that were not chosen are taken to hold no word of the query. */
  files: number;
}
