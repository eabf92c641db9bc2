import type { FileText } from "../../src/core/tree/snapshot.js";
import { splitPassages } from "../../src/core/search/passages.js";
import { englishWords } from "../../src/core/search/words.js";

interface NaiveFile {
  path: string;
  passages: { line: number; level: number; words: readonly string[]; speaker: readonly string[] }[];
}

export interface NaiveHit {
  path: string;
  line: number;
  score: number;
}

/** Finds the hits of a search by the formula of ADR 0029 in the most obvious way, in any order. */
export function searchNaively(texts: readonly FileText[], query: string): NaiveHit[] {
  const files = texts.map(readFile);
  const words = englishWords(query);
  const speakers = /\b(?:I|my)\b/.test(query) ? [...words, "user"] : words;
  const pairs = words.slice(1).map((word, index) => [words[index] ?? "", word]);
  const terms = [...words.map((word) => [word]), ...pairs].filter(
    (term, index, all) => all.findIndex((other) => other.join(" ") === term.join(" ")) === index,
  );
  const all = files.flatMap(({ passages }) => passages.slice(1));
  const mean = countWords(all) / all.length || 1;
  const meanFile = countWords(all) / files.length || 1;
  return files.flatMap((file) => {
    const hits = file.passages.slice(1).flatMap((passage, index): NaiveHit[] => {
      const pieces = file.passages.slice(1).filter(({ line }) => line === passage.line);
      const near = file.passages.slice(Math.max(1, index - 1), index + 4);
      const around = [...near, ...getAbove(file, index + 1)];
      const scoreOfTerm = (term: readonly string[]): number => {
        const share = term.length === 1 ? 1 : 0.25;
        const passagesWith = files.flatMap(({ passages }) => passages).filter((each) => count([each], term) > 0).length;
        const filesWith = files.filter(({ passages }) => count(passages, term) > 0).length;
        const asItself = bm25(count([passage], term), Math.sqrt(passage.words.length * countWords(pieces)) / mean);
        const asPart = bm25(count(around, term), countWords(near) / (5 * mean));
        const asFile = bm25(count(file.passages, term), countWords(file.passages.slice(1)) / meanFile);
        return (
          share * (rarity(passagesWith, all.length) * (asItself + asPart) + rarity(filesWith, files.length) * asFile)
        );
      };
      const { speaker = [] } = file.passages.find(({ line }) => line === passage.line) ?? {};
      const weight = speaker.some((word) => speakers.includes(word)) ? 2 : 1;
      const score = weight * terms.reduce((sum, term) => sum + scoreOfTerm(term), 0);
      return terms.some((term) => count(around, term) > 0) ? [{ path: file.path, line: passage.line, score }] : [];
    });
    const bestOfLine = (line: number): NaiveHit[] =>
      hits.filter((hit) => hit.line === line).toSorted((a, b) => b.score - a.score);
    return [...new Set(hits.map(({ line }) => line))].flatMap((line) => bestOfLine(line).slice(0, 1));
  });
}

function readFile({ path, content }: FileText): NaiveFile {
  const passages = Array.from(splitPassages(content), ({ start, end, firstLine, level }) => ({
    line: firstLine,
    level,
    words: englishWords(content.slice(start, end)),
    speaker: level < 8 ? [] : englishWords(/^[A-Z][^:\n]{0,40}:(?=\s)/.exec(content.slice(start, end))?.[0] ?? ""),
  }));
  return { path, passages: [{ line: 0, level: 0, words: englishWords(path), speaker: [] }, ...passages] };
}

/**
 * Returns the headings, dates and the path above a passage, without those that are separated from it by an equal or
 * higher level.
 */
function getAbove({ passages }: NaiveFile, number: number): NaiveFile["passages"] {
  return passages.filter(
    ({ level }, index) =>
      index < number && level < 8 && passages.slice(index + 1, number + 1).every((between) => between.level > level),
  );
}

function countWords(passages: NaiveFile["passages"]): number {
  return passages.reduce((sum, { words }) => sum + words.length, 0);
}

function count(passages: NaiveFile["passages"], term: readonly string[]): number {
  return passages
    .flatMap(({ words }) => words.map((_, index) => term.every((word, offset) => words[index + offset] === word)))
    .filter(Boolean).length;
}

function rarity(containing: number, all: number): number {
  return Math.log(1 + (Math.max(all, containing) - containing + 0.5) / (containing + 0.5));
}

function bm25(occurrences: number, length: number): number {
  return (2.2 * occurrences) / (occurrences + 1.2 * (0.25 + 0.75 * length));
}
