/** The meaning of a text. Only the storage that made it can read it. */
export type Vector = Uint8Array;

/** The embeddings of a storage, for the passages of one memory. Errors of their client are passed on as they are. */
export interface Embeddings {
  /** How many texts of a memory may have a vector. */
  readonly maxTexts: number;
  /** The stored vectors, by their texts. */
  stored(texts: readonly string[]): Promise<ReadonlyMap<string, Vector>>;
  /** Embeds texts by one call, and stores their vectors. */
  embed(texts: readonly string[]): Promise<ReadonlyMap<string, Vector>>;
  /**
   * Removes the vectors that these embeddings have stored for all other texts. Other models have vectors of their own:
   * of those it removes only the vectors of removed texts.
   * @param all every text of the memory, called only where other models have stored something
   */
  keepOnly(texts: Iterable<string>, all: () => Promise<Iterable<string>>): Promise<void>;
  /** Embeds a query. The result is how similar a text is to it, from -1 to 1. */
  createSimilarity(query: string): Promise<(vector: Vector) => number>;
}
