export type { Embeddings as MeaningBackend, Vector } from "./embeddings.js";
