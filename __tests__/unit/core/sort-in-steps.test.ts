import { describe, expect, it } from "@jest/globals";
import fc from "../../helpers/fast-check.js";
import { repetitions } from "../../helpers/repetitions.js";
import { mergeSort, sortInTimeSlices } from "../../../src/core/runtime/sort-in-steps.js";

const byKey = (a: { key: number }, b: { key: number }): number => a.key - b.key;

/** Elements whose keys repeat, so that only a stable sort keeps their order. */
const createList = (length: number, keys: number): { key: number; index: number }[] =>
  Array.from({ length }, (_, index) => ({ key: (index * 7919) % keys, index }));

describe("a sort in turns", () => {
  it("gives what the sort of the language gives, for any length", async () => {
    const property = fc.asyncProperty(fc.nat(40_000), fc.integer({ min: 1, max: 50_000 }), async (length, keys) => {
      const list = createList(length, keys);
      expect(await sortInTimeSlices(list, byKey, null)).toEqual(list.toSorted(byKey));
    });
    await fc.assert(property, { numRuns: repetitions({ usual: 6, long: 50 }) });
  });

  it("pauses after each few thousand elements", () => {
    let pauses = 0;
    for (const work = mergeSort(createList(100_000, 1000), byKey); work.next().done !== true;) pauses += 1;
    // 20 pieces, which are merged five times.
    expect(pauses).toBeGreaterThan(60);
  });

  it("ends when nobody waits for it any more", async () => {
    const waiting = AbortSignal.abort(new Error("enough"));
    const slow = (a: { key: number }, b: { key: number }): number => {
      for (let step = 0; step < 200; step += 1) a.key += 0;
      return byKey(a, b);
    };
    await expect(sortInTimeSlices(createList(200_000, 1000), slow, waiting)).rejects.toThrow("enough");
  });
});
