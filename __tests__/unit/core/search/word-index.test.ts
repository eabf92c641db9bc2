import { describe, expect, it } from "@jest/globals";
import { createUnlimitedCall } from "../../../../src/core/runtime/call.js";
import { runInTimeSlices } from "../../../../src/core/runtime/time-slices.js";
import { readQuery } from "../../../../src/core/search/query-words.js";
import { rank } from "../../../../src/core/search/rank.js";
import { indexTexts, type WordIndex } from "../../../../src/core/search/word-index.js";
import { englishWords } from "../../../../src/core/search/words.js";
import fc from "../../../helpers/fast-check.js";

type Texts = Record<string, string>;

function index(texts: Texts, previous: WordIndex | null): Promise<WordIndex> {
  const files = Object.entries(texts).map(([path, content]) => ({ path, content }));
  return runInTimeSlices(indexTexts(files, englishWords, previous), createUnlimitedCall());
}

async function search(from: WordIndex, query: string): Promise<unknown[]> {
  const ranked = rank(from, readQuery(englishWords, query), { path: "/", limit: 100, per: "passage" });
  const hits = await runInTimeSlices(ranked, createUnlimitedCall());
  return hits.map(({ file: { path }, passage, score }) => ({ path, passage, score }));
}

const createWords = (from: number, count: number): string =>
  Array.from({ length: count }, (_, word) => `word${from + word}`).join(" ");

describe("the index of words", () => {
  it("ranks after any changes as one that is made anew", async () => {
    const line = fc.array(fc.constantFrom("fox", "dog", "猫", "the", "# tree", "cafés"), { maxLength: 5 });
    const text = fc.array(line, { maxLength: 5 }).map((lines) => lines.map((words) => words.join(" ")).join("\n"));
    const texts = fc.dictionary(fc.constantFrom("/a", "/fox", "/c/d"), text, { noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 2, maxLength: 4 }), line, async (states, query) => {
        let changed: WordIndex | null = null;
        for (const state of states) changed = await index(state, changed);
        const anew = await index(states.at(-1) ?? {}, null);
        expect(changed && (await search(changed, query.join(" ")))).toEqual(await search(anew, query.join(" ")));
      }),
      { numRuns: 60 },
    );
  });

  it("takes an unchanged file as it is", async () => {
    const first = await index({ "/a": "one", "/b": "two" }, null);
    const second = await index({ "/a": "one", "/b": "three" }, first);
    expect(second.files[0]).toBe(first.files[0]);
    expect(await search(second, "two")).toEqual([]);
    expect(await search(second, "three")).toMatchObject([{ path: "/b" }]);
  });

  it("takes less than its text again beside the text, and each different word once", async () => {
    const repeated = `${createWords(0, 20)}\n`.repeat(5000);
    const { bytes, vocabulary } = await index({ "/a": repeated }, null);
    expect(vocabulary.size).toBe(20);
    expect(bytes).toBeLessThan(2 * repeated.length);
    const more = await index({ "/a": repeated, "/b": createWords(1000, 1000) }, null);
    expect(more.bytes - bytes).toBeGreaterThan(1000 * 80);
  });

  it("does not keep the words of all texts that were ever there", async () => {
    let current: WordIndex | null = null;
    for (let change = 0; change < 20; change += 1)
      current = await index({ "/a": createWords(change * 2000, 2000) }, current);
    expect(current?.vocabulary.size).toBeLessThan(20_000);
    expect(current && (await search(current, "word39999"))).toHaveLength(1);
    expect(current && (await search(current, "word1"))).toEqual([]);
  });
});
