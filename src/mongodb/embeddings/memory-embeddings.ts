import { types } from "node:util";
import type { MongoClient } from "mongodb";
import type { CheckedAddress } from "../../core/values/address.js";
import { type CallContext, untilAborted } from "../../core/runtime/call.js";
import { TimeSlices } from "../../core/runtime/time-slices.js";
import type { Embeddings, Vector } from "../../core/contract/backend.js";
import { binaryOfSubtype } from "../driver/client.js";
import { type Embedder, shortHash } from "./embedder.js";
import type { VectorCollection } from "./vector-collection.js";
import { VectorScorer, vectorSizeBytes, vectorSubtype } from "./vectors.js";

/** Maximum for one memory: a search keeps all vectors in memory. */
const maxVectorBytes = 50_000_000;
/** The most vectors that one command searches for. A reply of vectors with 3,072 dimensions then has 12 MB. */
const maxIdsPerCommand = 1000;

export interface MemoryEmbeddingsContext {
  client: MongoClient;
  embedder: Embedder;
  vectors: VectorCollection;
  address: CheckedAddress;
  /** The time for which an unchanged memory is kept. Vectors get a new time at half that age. Null: for ever. */
  lifetimeMs: number | null;
}

/** The embeddings of the passages of one memory, for one call. */
export class MemoryEmbeddings implements Embeddings {
  readonly #context: MemoryEmbeddingsContext;
  readonly #call: CallContext;
  readonly maxTexts: number;

  constructor(context: MemoryEmbeddingsContext, call: CallContext) {
    this.#context = context;
    this.#call = call;
    this.maxTexts = Math.floor(maxVectorBytes / vectorSizeBytes(context.embedder.dims));
  }

  async stored(texts: readonly string[]): Promise<Map<string, Vector>> {
    const stored = new Map<string, Vector>();
    for (let start = 0; start < texts.length; start += maxIdsPerCommand) {
      const textById = new Map(texts.slice(start, start + maxIdsPerCommand).map((text) => [this.#id(text), text]));
      const filter = { _id: { $in: [...textById.keys()] } };
      for (const { _id, vector } of await this.#context.vectors.read(filter, { vector: 1 }, this.#call)) {
        // A copy, because the vector is a part of the whole reply of the server.
        if (types.isUint8Array(vector)) stored.set(textById.get(_id) ?? "", Uint8Array.from(vector));
      }
    }
    return stored;
  }

  embed(texts: readonly string[]): Promise<Map<string, Vector>> {
    return untilAborted(this.#call, () => this.#context.embedder.embedTexts(texts));
  }

  async store(created: ReadonlyMap<string, Vector>): Promise<void> {
    const { client, embedder, vectors, address } = this.#context;
    const binary = await binaryOfSubtype(client, vectorSubtype);
    const documents = Array.from(created, ([text, vector]) => ({
      _id: this.#id(text),
      ...address,
      model: embedder.model,
      text: this.#hash(text),
      vector: binary(vector),
    }));
    await vectors.insert(documents, this.#call);
  }

  async keepOnly(texts: Iterable<string>, all: () => Promise<Iterable<string>>): Promise<void> {
    const { vectors, address, lifetimeMs, embedder } = this.#context;
    const { model } = embedder;
    await vectors.delete(
      { ...address, model, text: { $nin: Array.from(texts, (text) => this.#hash(text)) } },
      this.#call,
    );
    if (lifetimeMs !== null) await vectors.renew({ ...address, model }, lifetimeMs / 2, this.#call);
    const ofOtherModels = await vectors.read({ ...address, model: { $ne: model } }, { _id: 0, text: 1 }, this.#call);
    if (ofOtherModels.length === 0) return;
    const kept = new Set<string>();
    const slices = new TimeSlices(this.#call);
    for (const text of await all()) {
      kept.add(this.#hash(text));
      if (slices.isOver()) await slices.next();
    }
    const gone = ofOtherModels.filter(({ text }) => !kept.has(text)).map(({ text }) => text);
    if (gone.length > 0) await vectors.delete({ ...address, text: { $in: [...new Set(gone)] } }, this.#call);
  }

  async createSimilarity(query: string): Promise<(vector: Vector) => number> {
    const scorer = new VectorScorer(await this.#context.embedder.embedQuery(query));
    return (vector) => scorer.score(vector) ?? 0;
  }

  #id(text: string): string {
    return this.#hash(this.#context.embedder.hash(text));
  }

  /** The hash includes the address, so that nobody can see whether two memories contain the same text. */
  #hash(text: string): string {
    return shortHash(JSON.stringify(this.#context.address) + text);
  }
}
