// The package keeps these for its own suite, and exports none of them.
export { freshAddress, openFresh, refuses } from "../../src/testing/memory-case.js";
export { untyped } from "../../src/testing/untyped.js";
