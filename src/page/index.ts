export { createMemoryPage, type MemoryPage } from "./memory-page.js";
export type { MemoryPageOptions, MemoryPageVisitor } from "./options.js";
