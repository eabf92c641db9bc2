export { DeepAgentsBackend } from "./deep-agents-backend.js";
export type { DeepAgentsBackendOptions } from "./options.js";
