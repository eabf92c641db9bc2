/** What stands for the meaning of a text. Only the storage that made it can read it. */
export type Vector = Uint8Array;

/** The embeddings of a storage, for the passages of one memory. What their client throws is passed on as it is. */
export interface MeaningBackend {
  /** How many texts of a memory may have a vector. */
  readonly maxTexts: number;
  /** The vectors that are stored, by their texts. */
  stored(texts: readonly string[]): Promise<ReadonlyMap<string, Vector>>;
  /** Embeds texts by one call, and stores their vectors. */
  embed(texts: readonly string[]): Promise<ReadonlyMap<string, Vector>>;
  /**
   * Removes the vectors that these embeddings have stored for all other texts. Other models have vectors of their own:
   * of those it removes only the vectors of texts that are gone.
   * @param all every text of the memory, asked for only where others have stored something
   */
  keepOnly(texts: Iterable<string>, all: () => Iterable<string>): Promise<void>;
  /** Embeds a query. The answer tells how near a text is to it, from -1 to 1. */
  nearness(query: string): Promise<(vector: Vector) => number>;
}
