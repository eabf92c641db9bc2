export { createAiMemory } from "./ai-memory.js";
export type { AiMemoryOptions } from "./options.js";
