export type { OpenMemory } from "./memory-case.js";
export { defineMemorySuite, type TestRunner } from "./memory-suite.js";
