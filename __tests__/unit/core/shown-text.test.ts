import { describe, expect, it } from "@jest/globals";
import { meantText, shownJson, shownText } from "../../../src/core/display/shown-text.js";
import { anyCharacter } from "../../helpers/any-character.js";
import fc from "../../helpers/fast-check.js";
import { hiddenIn, specialTokens, tokensIn } from "../../helpers/harmful-texts.js";
import { repetitions } from "../../helpers/repetitions.js";

const pieces = fc.oneof(
  fc.constantFrom(
    ...specialTokens,
    "<|",
    "|>",
    "<",
    ">",
    "[",
    "]",
    "/",
    "|",
    "｜",
    "\\",
    "\\u200b",
    " ",
    "\n",
    "\t",
    "\r\n",
    "a",
  ),
  fc.constantFrom(
    "\u200b",
    "\u200d",
    "\ufe0f",
    "\u{e0041}",
    "\u202e",
    "\u001b",
    "\r",
    "\ud800",
    "👩",
    "م",
    "1",
    "\u20e3",
  ),
  anyCharacter,
);
const text = fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join(""));

describe("a text as models are shown it", () => {
  it.each(specialTokens.map((token) => [token]))("holds no token %s of a chat template", (token) => {
    expect(tokensIn(`a ${token} b`)).not.toEqual([]);
    expect(tokensIn(shownText(`a ${token} b`))).toEqual([]);
    expect(shownText(`a ${token} b`)).toMatch(/^a \\u(?:003c|005b|005d|ff5c)\S.* b$/s);
  });

  it("holds neither a token nor a hidden character, whatever it was", () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(tokensIn(shownText(given))).toEqual([]);
        expect(hiddenIn(shownText(given))).toEqual([]);
      }),
      { numRuns: repetitions({ usual: 150, long: 5_000 }) },
    );
  });

  it.each([
    ["format characters", "a\u00adb\u2060c\ufeff", String.raw`a\u00adb\u2060c\ufeff`],
    ["what has no width", "pass\u200bword\u200c\u200d", String.raw`pass\u200bword\u200c\u200d`],
    ["tag characters", "hi\u{e0041}\u{e007f}", String.raw`hi\udb40\udc41\udb40\udc7f`],
    ["marks of direction", "\u202eabc\u202c\u2066x\u2069\u200f", String.raw`\u202eabc\u202c\u2066x\u2069\u200f`],
    ["controls", "\u001b[2J\u0007\u0000\u007f\u009b", String.raw`\u001b[2J\u0007\u0000\u007f\u009b`],
    ["further variation selectors", "a\u{e0100}\ufe00\ufe0f", String.raw`a\udb40\udd00\ufe00\ufe0f`],
    ["fillers", "\u3164\u115f\u034f", String.raw`\u3164\u115f\u034f`],
    ["other line ends", "a\rb\u2028c\u0085", String.raw`a\u000db\u2028c\u0085`],
    ["half surrogates", "a\ud800b", String.raw`a\ud800b`],
    ["a joiner after a digit", "೦\u200d ۱\u200c", "೦\\u200d ۱\\u200c"],
    ["a joiner after what is hidden", "\u17b4\u200d \u061c\u200d", "\\u17b4\\u200d \\u061c\\u200d"],
    ["a second joiner", "👩\u200d\u200d👧 م\u200c\u200c", "👩\\u200d\\u200d👧 م\u200c\\u200c"],
  ])("has escapes for %s", (_what, given, shown) => {
    expect(shownText(given)).toBe(shown);
    expect(meantText(shown)).toBe(given);
  });

  it.each([
    ["emoji", "👩‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈 ❤️ 1️⃣ ☎︎ 🇫🇷"],
    ["Persian", "می‌خواهم"],
    ["Sinhala, Malayalam and Hindi", "ශ්‍රී ന്‍ क्‍ष"],
    ["tabs and line ends", "a\tb\nc\r\nd\r"],
    [
      "code",
      "if (a<b || c>d) x[0] |> f <| g; a <|> b; Map<string, string[]>; - [ ] [x](y) [INFO] <div> </section> A｜B",
    ],
  ])("leaves %s as they are", (_what, given) => {
    expect(shownText(given)).toBe(given);
  });

  it("stays the same when it is shown again", () => {
    fc.assert(fc.property(text, (given) => expect(shownText(shownText(given))).toBe(shownText(given))));
  });

  // Anything quadratic would not end within the time of a test.
  it.each(["<|", "<|||||", "<", "<a|", "[", "]~", "\u200d", "👩\u200d", "\u001b", "\ud800", "<extra_id_1", "<seed:"])(
    "is made of a million characters of %j",
    (piece) => {
      const given = piece.repeat(1_000_000 / piece.length);
      expect(shownText(given).length).toBeGreaterThanOrEqual(given.length);
      expect(shownText(`<${"|".repeat(1_000_000)}`).length).toBe(1_000_001);
    },
  );
});

describe("JSON that models are shown", () => {
  it("means the same, and holds neither a token nor a hidden character", () => {
    const value = fc.dictionary(text, fc.oneof(text, fc.array(text), fc.constant(null), fc.integer()));
    fc.assert(
      fc.property(value, (given) => {
        const json = shownJson(given);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(given)));
        expect(tokensIn(json)).toEqual([]);
        expect(hiddenIn(json)).toEqual([]);
      }),
      { numRuns: repetitions({ usual: 80, long: 2_000 }) },
    );
  });
});

describe("what a model means by escapes", () => {
  it("is only what they are made of", () => {
    const other = String.raw`\u0041 \u000a \u00e9 \n \x1b \u{200b}`;
    expect(meantText(other)).toBe(other);
  });
});
