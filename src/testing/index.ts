export { defineMemorySuite, type MemorySuiteOptions } from "./memory-suite.js";
