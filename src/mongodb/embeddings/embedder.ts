import { createHash } from "node:crypto";
import type { IndexConfig } from "@langchain/langgraph-checkpoint";
import { invalid } from "../../core/values/errors.js";
import { warnOnce } from "../../core/runtime/warn-once.js";
import { packVector } from "./vectors.js";

/** The embeddings of a store. */
export interface EmbeddingsConfig extends IndexConfig {
  /**
   * The name of the model. Vectors are compared with vectors of the same name and dimensions only. @default `model` or
   * `modelName` of the client, or else the name of its class, with a warning
   */
  model?: string;
}

type EmbeddingsCall = "embedDocuments" | "embedQuery";

export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

/** Checks the results of an embeddings client. Errors of the client are passed on unchanged. */
export class Embedder {
  readonly dims: number;
  /** Name of the model and its dimensions: vectors of different models are never compared. */
  readonly model: string;
  readonly #embeddings: IndexConfig["embeddings"];
  readonly #hashPrefix: string;

  constructor({ dims, embeddings, model }: EmbeddingsConfig) {
    this.dims = dims;
    this.#embeddings = embeddings;
    const name = model ?? getModelName(embeddings);
    this.model = `${name}, ${dims}`;
    this.#hashPrefix = `${name}\0${dims}\0`;
  }

  /** Returns a hash of the text and the model: if either changes, the text is embedded again. */
  hash(text: string): string {
    return shortHash(this.#hashPrefix + text);
  }

  /** Returns packed vectors by their texts, from one call of the client. @throws MemoryError EINVAL */
  async embedTexts(texts: readonly string[]): Promise<Map<string, Uint8Array>> {
    if (texts.length === 0) return new Map();
    const vectors: unknown = await this.#embeddings.embedDocuments([...texts]);
    if (!Array.isArray(vectors) || vectors.length !== texts.length) {
      const count = Array.isArray(vectors) ? vectors.length : "no";
      throw invalid(`embedDocuments answered ${count} vectors for ${texts.length} texts`);
    }
    const pack = (vector: unknown): Uint8Array => packVector(Float32Array.from(this.#check(vector, "embedDocuments")));
    return new Map(texts.map((text, index) => [text, pack(vectors[index])]));
  }

  /** @throws MemoryError EINVAL */
  async embedQuery(query: string): Promise<number[]> {
    return this.#check(await this.#embeddings.embedQuery(query), "embedQuery");
  }

  #check(vector: unknown, call: EmbeddingsCall): number[] {
    if (!Array.isArray(vector) && !ArrayBuffer.isView(vector)) throw invalid(`${call} did not return a vector`);
    // A DataView has no length, and so counts as empty.
    const numbers: unknown[] = Array.from(vector as ArrayLike<unknown>);
    if (numbers.length !== this.dims) {
      throw invalid(
        `${call} returned a vector of ${numbers.length} dimensions; it must have ${this.dims} (index.dims)`,
      );
    }
    if (!numbers.every((number): number is number => typeof number === "number" && isFloat32(number))) {
      throw invalid(`${call} returned a vector with a value that is not a finite number of 32 bits`);
    }
    return numbers;
  }
}

const isFloat32 = (number: number): boolean => Number.isFinite(Math.fround(number));

/** Clients of LangChain have one field or the other. */
function getModelName(embeddings: { model?: unknown; modelName?: unknown } & object): string {
  const name = embeddings.model ?? embeddings.modelName;
  if (typeof name === "string" && name !== "") return name;
  const { name: className } = embeddings.constructor;
  warnOnce(
    `model of ${className}`,
    `an embeddings client of the class ${className} names no model, so its vectors count as those of every such ` +
      "client; set index.model",
  );
  return className;
}
