import { createUnlimitedCall } from "../../../../src/core/runtime/call.js";
import { expect, it } from "@jest/globals";
import { runInTimeSlices } from "../../../../src/core/runtime/time-slices.js";
import type { Hit } from "../../../../src/core/search/best-hits.js";
import { fuse } from "../../../../src/core/search/fusion.js";
import { type IndexedFile, indexTexts } from "../../../../src/core/search/word-index.js";
import { englishWords } from "../../../../src/core/search/words.js";

async function indexFile(path: string, content: string): Promise<IndexedFile> {
  const { files } = await runInTimeSlices(indexTexts([{ path, content }], englishWords, null), createUnlimitedCall());
  if (files[0] === undefined) throw new Error("the text is indexed");
  return files[0];
}

const file = await indexFile("/a", "A line.\n".repeat(300));
const ranking = (...passages: number[]): Hit[] => passages.map((passage) => ({ file, passage, score: 1 / passage }));
const fused = (byWords: Hit[], byMeaning: Hit[]): number[] =>
  fuse(byWords, byMeaning, { limit: 10, per: "passage" }).map(({ passage }) => passage);
const from = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index);

it("a passage that is first by words comes before those that are low in both rankings", () => {
  const low = from(10, 50);
  expect(fused(ranking(1, 2, ...low), ranking(...from(100, 10), ...low))[0]).toBe(1);
});

it("the passage that is nearest in meaning is among the first ten, even if many others hold a word of the query and it holds none", () => {
  expect(fused(ranking(...from(10, 90)), ranking(1, ...from(200, 99))).indexOf(1)).toBe(4);
});

it("a passage that is first in both rankings keeps its score by words", () => {
  const [best] = fuse([{ file, passage: 1, score: 7 }], ranking(1, 2), { limit: 1, per: "passage" });
  expect(best).toMatchObject({ passage: 1, score: 7 });
});

it("the pieces of a long line are one hit, the piece of the ranking in which it is higher", async () => {
  const long = await indexFile("/long", "word ".repeat(500));
  const hits = (...passages: number[]): Hit[] => passages.map((passage) => ({ file: long, passage, score: 1 }));
  const found = fuse([...ranking(1, 2), ...hits(1)], hits(3), { limit: 10, per: "passage" });
  expect(found.map(({ file: { path }, passage }) => `${path} ${passage}`)).toEqual(["/long 3", "/a 1", "/a 2"]);
});
