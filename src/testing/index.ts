export type { MemoryCapabilities, OpenMemory } from "./memory-case.js";
export { defineMemorySuite, type MemorySuiteOptions, type TestRunner } from "./memory-suite.js";
