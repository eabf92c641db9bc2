export { defineMemorySuite } from "./memory-suite.js";
