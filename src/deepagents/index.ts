export { DeepAgentsBackend } from "./deep-agents-backend.js";
