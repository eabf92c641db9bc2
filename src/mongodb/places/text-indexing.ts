/** As `put` takes it: which paths of a value are ranked by; false for none, undefined for those of the store. */
export type PutIndex = false | readonly string[] | undefined;

/** What an item is ranked by. */
export interface TextIndexing {
  /** @param roomBytes what the item's document may still grow by */
  textsOf(value: Record<string, unknown>, index: PutIndex, roomBytes: number): string[];
  /** What they add to the item's document. */
  sizeBytes(texts: readonly string[]): number;
}
