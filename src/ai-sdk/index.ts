export { createAiMemory, type AiMemory } from "./ai-memory.js";
export type { AiMemoryOptions } from "./options.js";
