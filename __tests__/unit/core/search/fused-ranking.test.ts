import { expect, it } from "@jest/globals";
import type { Ranked } from "../../../../src/core/search/best-passages.js";
import { fuse } from "../../../../src/core/search/fused-ranking.js";

const file = { path: "/a", content: "", passages: new Uint32Array(), words: new Uint32Array(), size: 0 };
const ranking = (...passages: number[]): Ranked[] => passages.map((passage) => ({ file, passage, score: 1 / passage }));
const fused = (byWords: Ranked[], byMeaning: Ranked[]): number[] =>
  fuse(byWords, byMeaning, { limit: 10, per: "passage" }).map(({ passage }) => passage);
const from = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index);

// Requirement: search.meaning
it("a passage that is first by words comes before those that are low in both rankings", () => {
  const low = from(10, 50);
  expect(fused(ranking(1, 2, ...low), ranking(...from(100, 10), ...low))[0]).toBe(1);
});

// Requirement: search.meaning
it("the passage that is nearest in meaning is among the first ten, even if many others hold a word of the query and it holds none", () => {
  expect(fused(ranking(...from(10, 90)), ranking(1, ...from(200, 99))).indexOf(1)).toBe(4);
});

// Requirement: search.meaning
it("a passage that is first in both rankings keeps its score by words", () => {
  const [best] = fuse([{ file, passage: 1, score: 7 }], ranking(1, 2), { limit: 1, per: "passage" });
  expect(best).toMatchObject({ passage: 1, score: 7 });
});
