import { createHash } from "node:crypto";
import type { MongoClient } from "mongodb";
import type { CheckedAddress } from "../../core/values/address.js";
import type { MeaningBackend, Vector } from "../../core/search/meaning.js";
import { binaryOfSubtype } from "../driver/client.js";
import type { Embedder } from "./embedder.js";
import type { VectorCollection } from "./vector-collection.js";
import { VectorScorer, vectorSizeBytes, vectorSubtype } from "./vectors.js";

/** Of one memory: a search holds them all. */
const maxVectorBytes = 50_000_000;
/** How many one command looks for: a reply of vectors with 3,072 dimensions is 12 MB then. */
const maxIdsPerCommand = 1000;

export interface MemoryMeaningContext {
  client: MongoClient;
  embedder: Embedder;
  vectors: VectorCollection;
  address: CheckedAddress;
  /** How long the memory is kept that nobody changes. Null: for ever. */
  lifetimeMs: number | null;
}

/** The embeddings of the passages of one memory. */
export class MemoryMeaning implements MeaningBackend {
  readonly #context: MemoryMeaningContext;
  readonly maxTexts: number;

  constructor(context: MemoryMeaningContext) {
    this.#context = context;
    this.maxTexts = Math.floor(maxVectorBytes / vectorSizeBytes(context.embedder.dims));
  }

  async stored(texts: readonly string[]): Promise<Map<string, Vector>> {
    const found = new Map<string, Vector>();
    for (let start = 0; start < texts.length; start += maxIdsPerCommand) {
      const textOfId = new Map(texts.slice(start, start + maxIdsPerCommand).map((text) => [this.#idOf(text), text]));
      for (const [id, vector] of await this.#context.vectors.find([...textOfId.keys()]))
        found.set(textOfId.get(id) ?? "", vector);
    }
    return found;
  }

  async embed(texts: readonly string[]): Promise<Map<string, Vector>> {
    const { client, embedder, vectors, address } = this.#context;
    const made = await embedder.embedTexts(texts);
    const binary = await binaryOfSubtype(client, vectorSubtype);
    const vectorOf = new Map(texts.map((text, index) => [text, made[index] ?? new Uint8Array()]));
    const { model } = embedder;
    await vectors.insert(
      address,
      model,
      Array.from(vectorOf, ([text, vector]) => ({
        _id: this.#idOf(text),
        text: this.#hashOf(text),
        vector: binary(vector),
      })),
    );
    return vectorOf;
  }

  async keepOnly(texts: Iterable<string>, all: () => Iterable<string>): Promise<void> {
    const { vectors, address, lifetimeMs, embedder } = this.#context;
    await vectors.keepOnly(
      address,
      embedder.model,
      Array.from(texts, (text) => this.#hashOf(text)),
      lifetimeMs,
    );
    const ofOthers = await vectors.textsOfOthers(address, embedder.model);
    if (ofOthers.size === 0) return;
    for (const text of all()) ofOthers.delete(this.#hashOf(text));
    await vectors.removeTexts(address, [...ofOthers]);
  }

  async nearness(query: string): Promise<(vector: Vector) => number> {
    const scorer = new VectorScorer(await this.#context.embedder.embedQuery(query));
    return (vector) => scorer.score(vector) ?? 0;
  }

  #idOf(text: string): string {
    return this.#hashOf(this.#context.embedder.hashOf(text));
  }

  /** With the memory in it: nobody can tell whether two memories hold the same text. */
  #hashOf(text: string): string {
    return createHash("sha256")
      .update(JSON.stringify(this.#context.address))
      .update(text)
      .digest("base64url")
      .slice(0, 22);
  }
}
