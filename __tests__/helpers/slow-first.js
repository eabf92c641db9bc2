import TestSequencer from "@jest/test-sequencer";

/**
 * Files that take many times as long as others. If they began last, one worker would run them alone.
 */
const slow = [
  // To count steps takes longer in a process that has loaded more: Node keeps the modules of each file that is done.
  "integration/page/long-answers",
  "unit/core/search/search-in-time-slices",
  "unit/core/blame-work",
  "unit/core/search/linear-search",
  "unit/connector/descriptions",
  "integration/fuzz",
  "conformance/verbs",
  "integration/page/browser",
  "conformance/backends",
  "integration/examples",
  "integration/command-line/transcripts",
  "integration/command-line/process",
  "integration/memories/linearizability",
  "integration/memories/page-writers",
  "integration/memories/pages-history",
  "integration/memories/random-history",
  "integration/memories/sharding",
  "integration/memories/page-races",
  "integration/memories/interleavings",
  "pins/package",
  "integration/memories/killed-writers",
  "integration/memories/redaction-races",
  "integration/memories/random-changes",
  "integration/mcp/stdio",
  "conformance/dialects",
  "integration/command-line/archives",
  "integration/memories/outage",
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
