import { describe, expect, it } from "@jest/globals";
import {
  covers,
  type PageBounds,
  type PageRange,
  selectPages,
} from "../../../../src/mongodb/memories/reading/known-pages.js";
import { getParents } from "../../../../src/core/values/paths.js";
import fc from "../../../helpers/fast-check.js";
import { randomPaths } from "../../../helpers/random-paths.js";
import { compareKeys, getOrderKey, getStartBelow } from "../../../../src/mongodb/memories/documents/page-order.js";
import { repetitions } from "../../../helpers/repetitions.js";

interface Setting {
  /** Every position that matters: of the paths, and of the beginning of each directory. */
  positions: string[];
  /** Where pages begin, the first of them at the empty position. */
  starts: string[];
  range: PageRange;
}

const settings: fc.Arbitrary<Setting> = fc.uniqueArray(randomPaths, { minLength: 4, maxLength: 25 }).chain((paths) => {
  const all = [...new Set(["/", ...paths.flatMap((path) => [...getParents(path), path])])];
  const some = fc.subarray(all, { maxLength: 3 });
  return fc.record({
    positions: fc.constant([...all.map(getOrderKey), ...all.map(getStartBelow)]),
    starts: fc.subarray(paths).map((chosen) => ["", ...chosen.map(getOrderKey)].toSorted(compareKeys)),
    range: fc.record({ paths: some, below: some }),
  });
});

/** Whether a call needs a position: that of a path, or one from the beginning of a directory to its last path. */
function needs({ paths, below }: PageRange, position: string): boolean {
  return (
    paths.some((path) => getOrderKey(path) === position) ||
    below.some((path) => position.startsWith(getStartBelow(path)))
  );
}

const isIn = ({ lo = "", hi }: PageBounds, position: string): boolean =>
  compareKeys(lo, position) <= 0 && (hi === undefined || compareKeys(position, hi) < 0);

const createPages = (starts: readonly string[]): { _id: string; lo: string; hi: string | undefined }[] =>
  starts.map((lo, index) => ({ _id: String(index), lo, hi: starts[index + 1] }));

describe("the known pages", () => {
  it("are selected if they have a position that is needed", () => {
    fc.assert(
      fc.property(settings, ({ positions, starts, range }) => {
        const pages = createPages(starts);
        const needed = positions.filter((position) => needs(range, position));
        const expected = pages.filter((page) => needed.some((position) => isIn(page, position)));
        expect(
          selectPages(pages, range)
            .map(({ lo }) => lo)
            .toSorted(compareKeys),
        ).toEqual(expected.map(({ lo }) => lo));
      }),
      { numRuns: repetitions({ usual: 300, long: 5_000 }) },
    );
  });

  it("cover what is needed if each needed position lies in one of them", () => {
    fc.assert(
      fc.property(settings, fc.array(fc.boolean()), ({ positions, starts, range }, kept) => {
        const pages = createPages(starts).filter((_, index) => kept[index] !== false);
        const needed = positions.filter((position) => needs(range, position));
        const areCovered = needed.every((position) => pages.some((page) => isIn(page, position)));
        expect(covers(pages, range)).toBe(areCovered);
      }),
      { numRuns: repetitions({ usual: 300, long: 5_000 }) },
    );
  });
});
