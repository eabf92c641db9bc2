import { createHash } from "node:crypto";
import type { IndexConfig } from "@langchain/langgraph-checkpoint";
import { invalid } from "../../core/values/errors.js";
import { packVector } from "./vectors.js";

type EmbeddingsCall = "embedDocuments" | "embedQuery";

/** Checks what an embeddings client answers; what it throws is passed on as it is. */
export class Embedder {
  readonly dims: number;
  /** What tells its vectors from those of others. */
  readonly model: string;
  readonly #embeddings: IndexConfig["embeddings"];
  readonly #hashPrefix: string;

  constructor({ dims, embeddings }: IndexConfig) {
    this.dims = dims;
    this.#embeddings = embeddings;
    this.model = `${modelOf(embeddings)}, ${dims}`;
    this.#hashPrefix = `${modelOf(embeddings)}\0${dims}\0`;
  }

  /** Of the text and the model: a text is embedded again where either changes. */
  hashOf(text: string): string {
    return createHash("sha256")
      .update(this.#hashPrefix + text)
      .digest("base64url")
      .slice(0, 22);
  }

  /** Packed vectors of the texts in their order, by one call of the client. @throws MemoryError EINVAL */
  async embedTexts(texts: readonly string[]): Promise<Uint8Array[]> {
    if (texts.length === 0) return [];
    const vectors: unknown = await this.#embeddings.embedDocuments([...texts]);
    if (!Array.isArray(vectors) || vectors.length !== texts.length) {
      const count = Array.isArray(vectors) ? vectors.length : "no";
      throw invalid(`embedDocuments answered ${count} vectors for ${texts.length} texts`);
    }
    return vectors.map((vector) => packVector(Float32Array.from(this.#checked(vector, "embedDocuments"))));
  }

  /** @throws MemoryError EINVAL */
  async embedQuery(query: string): Promise<number[]> {
    return this.#checked(await this.#embeddings.embedQuery(query), "embedQuery");
  }

  #checked(vector: unknown, call: EmbeddingsCall): number[] {
    if (!Array.isArray(vector) && !ArrayBuffer.isView(vector)) throw invalid(`${call} answered no vector`);
    const numbers: unknown[] = Array.from(vector as ArrayLike<unknown>);
    if (numbers.length !== this.dims) {
      throw invalid(
        `${call} answered a vector of ${numbers.length} dimensions; expected are ${this.dims} (index.dims)`,
      );
    }
    if (!numbers.every((number): number is number => typeof number === "number" && isFloat32(number))) {
      throw invalid(`${call} answered a vector with what is no finite number of 32 bits`);
    }
    return numbers;
  }
}

const isFloat32 = (number: number): boolean => Number.isFinite(Math.fround(number));

/** The clients of LangChain call it one or the other. */
function modelOf(embeddings: object): string {
  const { model, modelName } = embeddings as { model?: unknown; modelName?: unknown };
  const name = model ?? modelName;
  return typeof name === "string" ? name : embeddings.constructor.name;
}
