import { describe, expect, it } from "@jest/globals";
import { LiteralSearch } from "../../../src/core/values/literal-search.js";
import fc from "../../helpers/fast-check.js";
import { repetitions } from "../../helpers/repetitions.js";

/** Longer than what the engine searches for by itself. */
const long = 400;

function overlapping(text: string, pattern: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + 1)) places.push(at);
  return places;
}

/** Texts of few letters that repeat themselves, so that nearly everything is nearly found. */
const repeated = fc
  .tuple(fc.stringMatching(/^[ab]{1,4}$/), fc.integer({ min: 1, max: 400 }), fc.constantFrom("", "b", "é", "a😀"))
  .map(([unit, times, end]) => unit.repeat(times) + end);
const patternAndText = fc
  .tuple(
    fc.array(repeated, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
    fc.array(repeated, { maxLength: 3 }).map((parts) => parts.join("")),
    fc.array(repeated, { maxLength: 3 }).map((parts) => parts.join("")),
  )
  .map(([pattern, before, after]) => ({ pattern, text: before + pattern + after + pattern.slice(1) }));

describe("a literal search", () => {
  it("finds what indexOf and split find, in texts with the pattern and in others", () => {
    fc.assert(
      fc.property(patternAndText, fc.nat({ max: 3000 }), ({ pattern, text }, from) => {
        for (const sought of [pattern, `${pattern}!`]) {
          const search = new LiteralSearch(sought);
          expect(search.firstIn(text, from)).toBe(text.indexOf(sought, from));
          expect(search.placesIn(text, Infinity)).toEqual(overlapping(text, sought));
          expect(search.split(text)).toEqual(text.split(sought));
        }
      }),
      { numRuns: repetitions({ usual: 120, long: 5000 }) },
    );
  });

  it("answers as many places as were asked for, overlapping ones too", () => {
    const search = new LiteralSearch("a".repeat(long));
    expect(search.placesIn("a".repeat(long + 5), 3)).toEqual([0, 1, 2]);
    expect(search.split("a".repeat(2 * long + 5))).toEqual(["", "", "aaaaa"]);
  });

  it("searches several texts, one after the other", () => {
    const search = new LiteralSearch(`${"a".repeat(long)}b${"a".repeat(long)}`);
    const found = `${"a".repeat(long + 7)}b${"a".repeat(long)}`;
    expect([found, "a".repeat(5000), found].map((text) => search.firstIn(text))).toEqual([7, -1, 7]);
  });

  // By the engine alone this takes half a minute for each.
  it.each([1000, 250_000, 500_000])(
    "comes to an end for %d characters that nearly occur everywhere in a megabyte",
    (sideChars) => {
      const side = "a".repeat(sideChars);
      const text = "a".repeat(1_000_000);
      const search = new LiteralSearch(`${side.slice(1)}b${side.slice(1)}`);
      expect(search.firstIn(text)).toBe(-1);
      expect(search.placesIn(text, 100)).toEqual([]);
      expect(search.split(text)).toEqual([text]);
    },
  );
});
