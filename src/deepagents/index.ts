export { MemoryBackend } from "./memory-backend.js";
export type { MemoryBackendOptions } from "./options.js";
