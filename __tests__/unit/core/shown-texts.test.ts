import { describe, expect, it } from "@jest/globals";
import { applyPatch } from "diff";
import { meantText, shownJson, shownText } from "../../../src/core/display/shown-text.js";
import { anyCharacter } from "../../helpers/any-character.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { hiddenIn, specialTokens, tokensIn } from "../../helpers/harmful-texts.js";
import { shownChange, shownDiff } from "../../../src/core/approval/shown-diff.js";
import { unifiedDiff } from "../../../src/core/history/unified-diff.js";
import { createUnlimitedCall } from "../../../src/core/runtime/call.js";
import { patched } from "../../helpers/patched.js";
import { testFolder } from "../../helpers/test-folder.js";

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
    assertProperty(
      fc.property(text, (given) => {
        expect(tokensIn(shownText(given))).toEqual([]);
        expect(hiddenIn(shownText(given))).toEqual([]);
      }),
      { usual: 60, long: 5_000 },
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
    assertProperty(
      fc.property(value, (given) => {
        const json = shownJson(given);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(given)));
        expect(tokensIn(json)).toEqual([]);
        expect(hiddenIn(json)).toEqual([]);
      }),
      { usual: 40, long: 2_000 },
    );
  });
});

describe("what a model means by escapes", () => {
  it("is only what they are made of", () => {
    const other = String.raw`\u0041 \u000a \u00e9 \n \x1b \u{200b}`;
    expect(meantText(other)).toBe(other);
  });
});

const diffOf = (before: string, after: string): Promise<string> =>
  unifiedDiff({ name: "a/a", text: before }, { name: "b/a", text: after }, null);

describe("a unified diff", () => {
  it.each<[string, string | null, string | null, string]>([
    ["a change", "one\ntwo\nthree\n", "one\n2\nthree\n", "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"],
    ["a new file", null, "x", "--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n"],
    ["a file that goes", "x\n", null, "--- a/a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n"],
    ["a new empty file", null, "", "--- /dev/null\n+++ b/a\n"],
  ])("shows %s", async (_name, before, after, diff) => {
    expect(await shownChange("/a", { before, after }, createUnlimitedCall())).toBe(diff);
  });

  it("makes the one text of the other", async () => {
    const anyText = fc
      .array(fc.constantFrom("a", "b", "c\n", "\n", "\r\n", "é"), { maxLength: 30 })
      .map((parts) => parts.join(""));
    const property = fc.asyncProperty(
      anyText,
      anyText,
      async (before, after) => applyPatch(before, await diffOf(before, after)) === after,
    );
    await fc.assert(property);
  });

  it("replaces all lines of texts that have too little in common, in time that grows with them alone", async () => {
    const lines = (factor: number, prime: number): string =>
      Array.from({ length: 60_000 }, (_, index) => (index * factor) % prime).join("\n");
    const [before, after] = [lines(7919, 10_007), lines(7907, 10_009)];
    const diff = await diffOf(before, after);
    expect(diff).toContain(
      "@@ -1,60000 +1,60000 @@ too different to show line by line: everything is removed and added\n",
    );
    expect(applyPatch(before, diff)).toBe(after);
  });
});

describe("a diff as people are shown it", () => {
  const shownOf = async (before: string, after: string): Promise<string[]> =>
    (await shownChange("/a", { before, after }, createUnlimitedCall())).split("\n").slice(2, -1);

  it.each([
    ["an append to a text without a newline at its end", "a\nb", "a\nb\nc", ["@@ -1,2 +1,3 @@", " a", " b", "+c"]],
    ["an append that ends the last line too", "a", "a\nb\n", ["@@ -1,1 +1,2 @@", " a", "+b"]],
    ["a cut that leaves no newline at the end", "a\nb\n", "a", ["@@ -1,2 +1,1 @@", " a", "-b"]],
    ["the last line, which moved up", "a\nb", "b\nc\n", ["@@ -1,2 +1,2 @@", "-a", " b", "+c"]],
    ["an empty line at the end", "a\n", "a\n\n", ["@@ -1,1 +1,2 @@", " a", "+"]],
    ["the first line of an empty text", "", "a", ["@@ -0,0 +1,1 @@", "+a"]],
    ["an empty line alone", "", "\n", ["@@ -0,0 +1,1 @@", "+"]],
  ])("shows no line as changed that did not change: %s", async (_, before, after, diff) => {
    expect(await shownOf(before, after)).toEqual(diff);
  });

  it.each([
    ["added", "1\n2\n3\n4", "1\n2\n3\n4\n"],
    ["removed", "1\n2\n3\n4\n", "1\n2\n3\n4"],
  ])("says that only the newline at the end is %s", async (what, before, after) => {
    expect(await shownOf(before, after)).toEqual([
      `@@ -2,3 +2,3 @@ no line changes: only the newline at the end is ${what}`,
      " 2",
      " 3",
      " 4",
    ]);
  });

  it("hides no character", async () => {
    const hidden = "a\u200bb\u202ec\u{e0041}d\u001b[2Ke\rf\u0000";
    expect(await shownChange("/a\u200b", { before: "a", after: hidden }, createUnlimitedCall())).toBe(
      '--- "a/a\\342\\200\\213"\n+++ "b/a\\342\\200\\213"\n@@ -1,1 +1,1 @@\n-a\n+a\\u200bb\\u202ec\\udb40\\udc41d\\u001b[2Ke\\u000df\\u0000\n',
    );
    expect(shownDiff("+a\r\n")).toBe("+a\\r\n");
  });

  it("says how much of a long one is left out", () => {
    const shown = shownDiff(`+${"x".repeat(60_000)}\n`);
    expect(shown.length).toBeLessThan(50_100);
    expect(shown).toMatch(/x\n\[10002 more characters are not shown\]\n$/);
  });
});

describe("a unified diff, given to patch,", () => {
  const folder = testFolder();
  const many = (older: string): string => Array.from({ length: 1200 }, (_, index) => `${older} ${index}`).join("\n");

  it.each([
    ["of a file that is made", "", "a\nb"],
    ["of a file that is emptied", "a\nb\n", ""],
    ["of a file without a newline at its end", "a\nb", "a\nc\n"],
    ["that adds such an end", "a\nb\n", "a\nb"],
    ["of carriage returns", "a\r\nb\rc\n", "a\nb\rc\r\n"],
    ["of lines that look like a diff", "--- a\n+++ b\n@@ -1 +1 @@\n", "+++ b\n--- a\n\\ No newline at end of file"],
    ["of more lines than are compared", many("old"), `${many("new")}\n`],
  ])("%s makes the one text of the other", async (_, before, after) => {
    expect(patched(folder, before, await diffOf(before, after))).toBe(after);
  });
});
