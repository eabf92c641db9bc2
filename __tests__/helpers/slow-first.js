import TestSequencer from "@jest/test-sequencer";

/**
 * Files that take many times as long as others. If they began last, one worker would run them alone.
 */
const slow = [
  // To count steps takes longer in a process that has loaded more.
  "unit/core/search/search-in-turns",
  "unit/core/blame-work",
  "unit/core/search/linear-search",
  "unit/connector/descriptions",
  "integration/examples",
  "conformance/store-mongodb",
  "integration/store/races",
  "integration/store/memory-use",
  "integration/store/isolation",
  "integration/memories/concurrency",
  "conformance/verbs",
  "integration/fuzz",
  "integration/page/servers",
  "conformance/dialects",
  "integration/page/browser",
  "integration/mcp/stdio",
];

export default class SlowFirst extends TestSequencer {
  sort(tests) {
    return [...tests].toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ path }) {
  const place = slow.findIndex((name) => path.endsWith(`${name}.test.ts`));
  return place === -1 ? slow.length : place;
}
