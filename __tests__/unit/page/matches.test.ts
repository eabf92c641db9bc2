import { describe, expect, it } from "@jest/globals";
import { markHits } from "../../../src/page/client/files/matches.js";

type Kind = "words" | "text";

const hit = (text: string, path = "/a") => ({ path, line: 1, text });

const marked = (text: string, query: string, kind: Kind = "words") =>
  markHits([hit(text)], { query, kind }).map((each) => each.matches.map(([start, end]) => each.text.slice(start, end)));

describe("the marks of a search in the page", () => {
  it("are the words of the query in all their forms, as the passage spells them", () => {
    expect(marked("She cooked Crêpes, and cooks crepes: CRÊPES!", "who was cooking a crepe?")).toEqual([
      ["cooked", "Crêpes", "cooks", "crepes", "CRÊPES"],
    ]);
    expect(marked("a cat, concatenate, cats and a cat", "cat")).toEqual([["cat", "cats", "cat"]]);
  });

  it("are characters in scripts without spaces", () => {
    expect(marked("今日は寿司を食べた 🍣", "寿司 🍣")).toEqual([["寿", "司", "🍣"]]);
  });

  it("are all places of an exact text, in any case", () => {
    expect(marked("two milk, more Milk", "MILK", "text")).toEqual([["milk", "Milk"]]);
    expect(marked("a.b axb", "a.b", "text")).toEqual([["a.b"]]);
  });

  it("stand near the start of what is shown of a long passage", () => {
    const [shown] = markHits([hit(`${"other ".repeat(100)}milk`)], { query: "milk", kind: "words" });
    expect(shown?.text).toMatch(/^….{100}milk$/);
    expect(shown?.matches).toEqual([[101, 105]]);
  });

  it("leave out passages without a word beside one with it, and keep files without any", () => {
    const hits = [hit("before"), hit("milk"), hit("a vehicle", "/b")];
    expect(markHits(hits, { query: "milk", kind: "words" }).map(({ text }) => text)).toEqual(["milk", "a vehicle"]);
  });
});
