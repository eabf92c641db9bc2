import { describe, expect, it } from "@jest/globals";
import { encodeOlderText, readOlderText } from "../../../src/core/history/older-text.js";
import { encodeText } from "../../helpers/at-once.js";
import fc from "../../helpers/fast-check.js";
import { repetitions } from "../../helpers/repetitions.js";

const someLines = fc
  .array(fc.constantFrom("", "a", "b😀", "😀", "😁", "a line of some length", "x".repeat(100)), { maxLength: 30 })
  .map((lines) => lines.join("\n"));

/** Two texts that have much in common. */
const someTexts = fc
  .tuple(
    someLines,
    fc.array(fc.tuple(fc.nat(), fc.nat(40), fc.constantFrom("", "!", "\n", "😁", "y\nz")), { maxLength: 4 }),
  )
  .map(([older, edits]) => {
    const newer = edits.reduce((text, [place, count, added]) => {
      const start = text.length === 0 ? 0 : place % text.length;
      return text.slice(0, start) + added + text.slice(start + count);
    }, older);
    return { older, newer: newer.toWellFormed() };
  });

describe("an older text", () => {
  it("is read by the newer one", () => {
    fc.assert(
      fc.property(someTexts, ({ older, newer }) => {
        const told = encodeText(older, newer);
        expect(readOlderText(told, newer)).toBe(older);
        expect(told.text.isWellFormed()).toBe(true);
      }),
      { numRuns: repetitions({ usual: 500, long: 10_000 }) },
    );
  });

  it("holds what lies between the first difference and the last one, and no more", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const newer = lines.with(10, "changed").with(12, "").join("\n");
    expect(encodeText(lines.join("\n"), newer).text).toBe("line 10\nline 11\nline 12");
  });

  it.each([
    ["that are the same but for one unit", `${"x".repeat(2_000_000)}a`, `${"x".repeat(2_000_000)}b`],
    ["that are the same but for the first unit", `a${"x".repeat(2_000_000)}`, `b${"x".repeat(2_000_000)}`],
  ])("is made of texts %s in short steps", (_, older, newer) => {
    expect([...encodeOlderText(older, newer)].length).toBeGreaterThanOrEqual(8);
  });
});
