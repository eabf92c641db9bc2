export type { Embeddings as MeaningBackend, Vector } from "../contract/embeddings.js";
