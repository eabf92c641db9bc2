/** The meaning of a text. Only the storage that made it can read it. */
export type Vector = Uint8Array;

/** The embeddings of a storage, for the passages of one memory. Errors of the embeddings client are not changed. */
export interface Embeddings {
  /** The most texts of a memory that may have a vector. */
  readonly maxTexts: number;
  /** Returns the stored vectors, by their texts. */
  stored(texts: readonly string[]): Promise<ReadonlyMap<string, Vector>>;
  /** Embeds texts in one call, and stores their vectors. */
  embed(texts: readonly string[]): Promise<ReadonlyMap<string, Vector>>;
  /**
   * Removes the vectors that these embeddings have stored for all other texts. Vectors of other models are removed only
   * if the memory no longer has their text.
   * @param all returns every text of the memory; called only if other models have stored vectors
   */
  keepOnly(texts: Iterable<string>, all: () => Promise<Iterable<string>>): Promise<void>;
  /** Embeds a query. The returned function gives the similarity of a text's vector to the query, from -1 to 1. */
  createSimilarity(query: string): Promise<(vector: Vector) => number>;
}
