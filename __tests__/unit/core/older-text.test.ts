import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { encodeOlderText, readOlderText } from "../../../src/core/history/older-text.js";
import { encodeText } from "../../helpers/at-once.js";

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
      { numRuns: 2000 },
    );
  });

  it("of which lines far apart were changed holds those alone", () => {
    const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`);
    const newer = lines.with(10, "changed").with(500, "changed, too").with(990, "").join("\n");
    const { text, kept } = encodeText(lines.join("\n"), newer);
    expect(text).toBe("line 10line 500line 990");
    expect(kept).toHaveLength(2 * 3);
  });

  it("has no parts so small that it would be longer for them", () => {
    const older = "ab\ncd\n".repeat(1000);
    expect(encodeText(older, older.replaceAll("ab", "ba")).kept).toBeUndefined();
  });

  it.each([
    ["that are the same but for one unit", `${"x".repeat(2_000_000)}a`, `${"x".repeat(2_000_000)}b`],
    ["of very short lines", "a\n".repeat(100_000), "b\n".repeat(100_000)],
    ["of very short lines, some of which are kept", "a\nb\n".repeat(50_000), "a\nc\n".repeat(50_000)],
  ])("is made of texts %s in short steps", (_, older, newer) => {
    expect([...encodeOlderText(older, newer)].length).toBeGreaterThanOrEqual(8);
  });
});
