import { BestHits, getLine, type Hit } from "./best-hits.js";
import { type IndexedFile, isWithin, type WordIndex, stepsPerYield } from "./word-index.js";
import type { QueryWords } from "./query-words.js";
import type { Steps } from "../runtime/time-slices.js";
import type { CheckedSearch } from "./search-options.js";

/*
 * The score of a passage is the sum of three BM25 scores of equal weight: of the passage, of its surroundings, and of
 * its file. It is higher in a line whose speaker the query names.
 * Only the size of the surroundings and the weights of a pair and of a speaker are tuned (bench/search/RESULTS.md).
 */

/** The usual numbers of BM25: how fast a repeated word counts less, and how much more a word counts in a short text. */
const saturation = 1.2;
const lengthShare = 0.75;
/** Number of passages on each side that are the surroundings of a passage: the text just before and after it. */
const nearPassages = 2;
/** The weight of two words that are neighbours in the query and in a passage. It adds to the weights of the words. */
const pairShare = 0.25;

/** A question has fewer words. */
const maxQueryWords = 100;

/** A word or a pair of words of the query. */
interface Term {
  /** How much it counts, beside its rarity. */
  share: number;
  /** Number of passages that contain it. The path of a file counts as a passage. */
  passageCount: number;
  fileCount: number;
}

/** A term in a file. */
interface TermHits {
  term: Term;
  /** The passages of the file that contain it, ascending, once for each occurrence. */
  passages: readonly number[];
}

/** Finds the best passages, best first. Passages with equal scores are ordered by path and line. */
export function* rank(
  index: WordIndex,
  { words: queryWords, speakers }: QueryWords,
  { path, limit, per }: Omit<CheckedSearch, "query">,
): Steps<Hit[]> {
  const words = takeDistinct(queryWords);
  const pairs = takePairs(queryWords, words);
  const files = index.files.filter(isWithin(path));
  const passageCount = files.reduce((sum, { passages }) => sum + passages.length - 1, 0);
  const wordCount = files.reduce((sum, file) => sum + file.wordCount, 0);
  const meanPassage = wordCount / Math.max(1, passageCount) || 1;
  const meanFile = wordCount / Math.max(1, files.length) || 1;
  const candidates = yield* findTerms(index, files, words, pairs);
  const numbers = createNumbers(files);
  const { scores } = numbers;
  const best = new BestHits({ limit, per });
  const named = new Map(Array.from(speakers, ([word, weight]) => [index.vocabulary.find(word), weight]));
  for (const file of files) {
    const hits = candidates.get(file);
    if (hits === undefined) continue;
    yield* measurePassages(file, meanPassage, numbers);
    const fileDamping = getDamping(file.wordCount / meanFile);
    let fileScore = 0;
    for (const { term, passages } of hits) {
      // A rarer term counts more.
      fileScore += term.share * getRarity(term.fileCount, files.length) * bm25(passages.length, fileDamping);
      yield* addScores(file, passages, term.share * getRarity(term.passageCount, passageCount), numbers);
    }
    let line = 0;
    let weight = 1;
    yield* best.addFile(file, (passage) => {
      const own = getLine(file, passage);
      if (own !== line) weight = weighSpeaker(file, passage, named);
      line = own;
      const score = scores[passage] ?? 0;
      return score === 0 ? null : weight * (score + fileScore);
    });
    yield;
  }
  return best.sorted();
}

/** @param first the first piece of a line */
function weighSpeaker(
  { passages, words }: IndexedFile,
  first: number,
  named: ReadonlyMap<number | undefined, number>,
): number {
  const firstWord = passages.get(first, "firstWord") ?? 0;
  const label = words.subarray(firstWord, firstWord + (passages.get(first, "labelWords") ?? 0));
  return label.reduce((most, word) => Math.max(most, named.get(word) ?? 1), 1);
}

/** Returns the words of a query that count, each once. */
function takeDistinct(queryWords: readonly string[]): string[] {
  return [...new Set(queryWords)].slice(0, maxQueryWords);
}

/** Returns neighbouring words of the query, each pair once. Only words that count make pairs. */
function takePairs(queryWords: readonly string[], words: readonly string[]): [word: string, next: string][] {
  const counted = new Set(words);
  const pairs = new Map<string, [word: string, next: string]>();
  for (let index = 1; index < queryWords.length && pairs.size < maxQueryWords; index += 1) {
    const [word = "", next = ""] = queryWords.slice(index - 1, index + 1);
    if (counted.has(word) && counted.has(next)) pairs.set(JSON.stringify([word, next]), [word, next]);
  }
  return [...pairs.values()];
}

/** Finds each file that contains a term, with its terms in their order. */
function* findTerms(
  { vocabulary }: WordIndex,
  files: readonly IndexedFile[],
  words: readonly string[],
  pairs: readonly (readonly [word: string, next: string])[],
): Steps<Map<IndexedFile, TermHits[]>> {
  const createTerm = (share: number): Term => ({ share, passageCount: 0, fileCount: 0 });
  const terms = [...words.map(() => createTerm(1)), ...pairs.map(() => createTerm(pairShare))];
  const queryTerms: QueryTerms = { byWord: new Uint8Array(vocabulary.size), pairs: new Map() };
  for (const [place, word] of words.entries()) {
    const number = vocabulary.find(word);
    if (number !== undefined) queryTerms.byWord[number] = place + 1;
  }
  for (const [place, [word, next]] of pairs.entries())
    queryTerms.pairs.set(getPairKey(words.indexOf(word) + 1, words.indexOf(next) + 1), words.length + place);
  const candidates = new Map<IndexedFile, TermHits[]>();
  for (const file of files) {
    const found = yield* findInFile(file, queryTerms);
    const hits = terms.flatMap((term, place): TermHits[] => {
      const passages = found.get(place);
      return passages === undefined ? [] : [{ term, passages }];
    });
    for (const { term, passages } of hits) {
      term.fileCount += 1;
      term.passageCount += passages.reduce((sum, passage, at) => (passage === passages[at - 1] ? sum : sum + 1), 0);
    }
    if (hits.length > 0) candidates.set(file, hits);
  }
  return candidates;
}

/** The terms of a query by their places. */
interface QueryTerms {
  /** For each word of the vocabulary its place plus 1. 0: the query does not contain it. */
  byWord: Uint8Array;
  pairs: Map<number, number>;
}

function getPairKey(word: number, next: number): number {
  return word * (maxQueryWords + 1) + next;
}

/** Finds for each term of a file the passages that contain it, ascending, once for each occurrence. */
function* findInFile({ passages, words }: IndexedFile, queryTerms: QueryTerms): Steps<Map<number, number[]>> {
  const found = new Map<number, number[]>();
  const add = (term: number, passage: number): void => {
    const known = found.get(term);
    if (known === undefined) found.set(term, [passage]);
    else known.push(passage);
  };
  let passage = -1;
  let end = 0;
  let previous = 0;
  for (let at = 0; at < words.length; at += 1) {
    if (at % stepsPerYield === 0) yield;
    for (; at >= end; previous = 0) {
      passage += 1;
      end = passages.get(passage + 1, "firstWord") ?? words.length;
    }
    const word = queryTerms.byWord[words[at] ?? 0] ?? 0;
    if (word > 0) add(word - 1, passage);
    const pair = word > 0 && previous > 0 ? queryTerms.pairs.get(getPairKey(previous, word)) : undefined;
    if (pair !== undefined) add(pair, passage);
    previous = word;
  }
  return found;
}

/** Numbers of each passage of a file. All files share the arrays. Reason: creating them takes longer than filling them. */
interface PassageNumbers {
  scores: Float64Array;
  damping: Float64Array;
  dampingAround: Float64Array;
  /** Number of times that the passage contains a term. */
  counts: Float64Array;
  /** The difference between the count around a passage and the count around the passage before it. */
  changes: Float64Array;
}

function createNumbers(files: readonly IndexedFile[]): PassageNumbers {
  const length = files.reduce((most, { passages }) => Math.max(most, passages.length), 0) + 1;
  const create = (): Float64Array => new Float64Array(length);
  return { scores: create(), damping: create(), dampingAround: create(), counts: create(), changes: create() };
}

/** Sets the numbers that are the same for all terms. */
function* measurePassages(
  { passages, words }: IndexedFile,
  meanPassage: number,
  { scores, damping, dampingAround }: PassageNumbers,
): Steps<void> {
  scores.fill(0, 0, passages.length);
  const findWord = (passage: number): number => passages.get(passage, "firstWord") ?? words.length;
  let first = 1;
  let next = 1;
  for (let passage = 1; passage < passages.length; passage += 1) {
    if (passage % stepsPerYield === 0) yield;
    if (passage === next) first = passage;
    while (next <= passage || passages.get(next, "firstLine") === passages.get(first, "firstLine")) next += 1;
    // A long line has a chance with each of its pieces, so a piece counts as longer than it is. It does not count as long
    // as its line: some words that stand on one long line alone would not find it first.
    const length = Math.sqrt((findWord(passage + 1) - findWord(passage)) * (findWord(next) - findWord(first)));
    const lengthAround = findWord(passage + nearPassages + 1) - findWord(Math.max(1, passage - nearPassages));
    damping[passage] = getDamping(length / meanPassage);
    dampingAround[passage] = getDamping(lengthAround / (meanPassage * (2 * nearPassages + 1)));
  }
}

/** Adds the scores of a term to each passage: for the passage and for its surroundings. */
function* addScores(
  { passages }: IndexedFile,
  hits: readonly number[],
  weight: number,
  { scores, damping, dampingAround, counts, changes }: PassageNumbers,
): Steps<void> {
  const { length } = passages;
  counts.fill(0, 0, length);
  changes.fill(0, 0, length + 1);
  let steps = 0;
  for (const passage of hits) {
    steps += 1;
    if (steps % stepsPerYield === 0) yield;
    counts[passage] = (counts[passage] ?? 0) + 1;
    if (passage > 0)
      addRange(changes, Math.max(1, passage - nearPassages), Math.min(length, passage + nearPassages + 1));
    // A heading, a date and the path count for their whole section.
    addRange(changes, passage + 1, passages.get(passage, "sectionEnd") ?? passage + 1);
  }
  let around = 0;
  for (let passage = 1; passage < length; passage += 1) {
    if (passage % stepsPerYield === 0) yield;
    around += changes[passage] ?? 0;
    if (around === 0) continue;
    let score = scores[passage] ?? 0;
    score += weight * bm25(counts[passage] ?? 0, damping[passage] ?? 0);
    score += weight * bm25(around, dampingAround[passage] ?? 0);
    scores[passage] = score;
  }
}

function addRange(changes: Float64Array, start: number, end: number): void {
  changes[start] = (changes[start] ?? 0) + 1;
  changes[end] = (changes[end] ?? 0) - 1;
}

/** Greater than 0, even for a term in all passages. */
function getRarity(count: number, all: number): number {
  return Math.log(1 + (Math.max(all, count) - count + 0.5) / (count + 0.5));
}

/** @param damping the damping of the length of the text */
function bm25(count: number, damping: number): number {
  return (count * (saturation + 1)) / (count + damping);
}

/** @param length the length of a text, divided by the average length of such texts */
function getDamping(length: number): number {
  return saturation * (1 - lengthShare + lengthShare * length);
}
