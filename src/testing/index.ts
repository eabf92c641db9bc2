export type { MemoryCapabilities, OpenMemory } from "./memory-case.js";
export { defineMemorySuite, type MemorySuiteOptions, type TestDefinition, type TestRunner } from "./memory-suite.js";
export type { StoreCapabilities } from "./store-case.js";
export { defineStoreSuite, type OpenStore, type StoreSuiteOptions } from "./store-suite.js";
export type { OpenExpiringStore, OpenIndexedStore } from "./store-variants.js";
