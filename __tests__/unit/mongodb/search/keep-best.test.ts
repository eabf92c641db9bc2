import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { keepBest } from "../../../../src/mongodb/search/semantic-ranking.js";

it("keeps the best, the first ones among equals", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -3, max: 3 })),
      fc.oneof(fc.nat(12), fc.constant(Infinity)),
      fc.integer({ min: 1, max: 5 }),
      (scores, capacity, batchSize) => {
        const matches = scores.map((score, value) => ({ value, score }));
        let best: typeof matches = [];
        for (let start = 0; start < matches.length; start += batchSize)
          best = keepBest([...best, ...matches.slice(start, start + batchSize)], capacity);
        const sorted = matches.toSorted((a, b) => b.score - a.score || a.value - b.value);
        expect(best).toEqual(sorted.slice(0, capacity));
      },
    ),
  );
});
