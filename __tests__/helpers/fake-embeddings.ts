import { Embeddings } from "@langchain/core/embeddings";

/**
 * Vectors of small whole numbers, which float32 stores exactly: the number of times that each of the first letters
 * occurs in the text.
 */
export class FakeEmbeddings extends Embeddings {
  /** Null as in a client that names no model. */
  readonly model: string | null;
  readonly dims: number;
  /** The texts of each call of `embedDocuments`. */
  readonly documentCalls: string[][] = [];
  readonly queries: string[] = [];
  /** Thrown by the next calls. */
  failure: Error | undefined;
  /** How many of the next calls for documents never answer. */
  lostCalls = 0;
  /** Number of dimensions that each vector lacks. */
  missingDims = 0;

  constructor(dims = 4, model: string | null = "letters") {
    super({});
    this.dims = dims;
    this.model = model;
  }

  embedDocuments(texts: string[]): Promise<number[][]> {
    this.documentCalls.push(texts);
    if (this.failure) return Promise.reject(this.failure);
    this.lostCalls -= 1;
    if (this.lostCalls >= 0) return new Promise(() => {});
    return Promise.resolve(texts.map((text) => this.#vectorOf(text)));
  }

  embedQuery(query: string): Promise<number[]> {
    this.queries.push(query);
    if (this.failure) return Promise.reject(this.failure);
    return Promise.resolve(this.#vectorOf(query));
  }

  #vectorOf(text: string): number[] {
    const letters = Array.from({ length: this.dims - this.missingDims }, (_, index) =>
      String.fromCodePoint(97 + index),
    );
    return letters.map((letter) => text.split(letter).length - 1);
  }
}
