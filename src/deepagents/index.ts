export { DeepAgentsBackend as MemoryBackend } from "./deep-agents-backend.js";
export type { MemoryBackendOptions } from "./options.js";
