import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { TopRanked } from "../../../../src/mongodb/search/top-ranked.js";

it("keeps the best, the first ones among equals", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -3, max: 3 })),
      fc.oneof(fc.nat(12), fc.constant(Infinity)),
      (scores, capacity) => {
        const top = new TopRanked<number>(capacity);
        for (const [index, score] of scores.entries()) top.push(index, score);
        const sorted = scores
          .map((score, value) => ({ value, score }))
          .toSorted((a, b) => b.score - a.score || a.value - b.value);
        expect(top.entries()).toEqual(sorted.slice(0, capacity));
      },
    ),
  );
});
