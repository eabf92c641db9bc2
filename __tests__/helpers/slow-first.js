import TestSequencer from "@jest/test-sequencer";

/**
 * Files that take many times as long as others, the longest first. If they began last, one worker would run them alone.
 */
const slow = [
  "integration/examples",
  "conformance/store-mongodb",
  "integration/store/races",
  "integration/store/memory-use",
  "integration/store/isolation",
  "integration/memories/concurrency",
  "conformance/verbs",
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
