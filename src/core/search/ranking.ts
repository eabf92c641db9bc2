import { BestPassages, type Ranked } from "./best-passages.js";
import { countPassages, firstWordOf, type IndexedFile, sectionEndOf } from "./indexed-file.js";
import { isWithin, type MemoryIndex } from "./memory-index.js";
import type { Postings } from "./postings.js";
import type { CheckedSearch } from "./search-options.js";

/*
 * BM25 with half of what lies around a passage. The shares are what did best on long dialogues
 * (bench/search/RESULTS.md), where other values near them make no difference that counts.
 */

/**
 * What counts of the words beside a passage, of the headings, dates and the path above it, and of the scores beside it.
 */
const aroundShare = 0.5;
/** How fast a word that is repeated counts less. */
const saturation = 1.2;
/** How much more a word counts in a short passage, and in a short file. */
const passageLengthShare = 0.4;
const fileLengthShare = 0.75;

/** A file that holds words that are sought. */
interface Candidate {
  file: IndexedFile;
  /**
   * For each word the passages that hold it, once for each time, ascending: between two places in `hits` of the
   * postings, which count from `firstPassage`.
   */
  ranges: Uint32Array;
  firstPassage: number;
}

/** What is the same for all files: for each word how rare it is, and how long passages and files are. */
interface Weights {
  ofPassages: number[];
  ofFiles: number[];
  meanPassageWords: number;
  meanFileWords: number;
}

/**
 * The best passages, best first; those of one score by path and line.
 * @param atLeast how many files there are at least; those that are not in the index hold nothing that is sought
 */
export function rank(
  index: MemoryIndex,
  sought: readonly number[],
  { path, limit, per }: Omit<CheckedSearch, "query">,
  atLeast = 0,
): Ranked[] {
  const { hits } = index.postings;
  const { candidates, weights } = candidatesWithin(path, index, sought, atLeast);
  const best = new BestPassages({ limit, per });
  for (const candidate of candidates) {
    const fileScore = scoreOfFile(candidate, weights);
    const scores = scoresOfPassages(candidate, hits, weights);
    best.addFile(candidate.file, (passage) => {
      const beside = (passage > 1 ? at(scores, passage - 1) : 0) + at(scores, passage + 1);
      const own = at(scores, passage) + aroundShare * beside;
      return own === 0 ? null : own + fileScore;
    });
  }
  return best.ranked();
}

/** A question has fewer. All of 10,000 characters would keep the process from other work for seconds. */
const maxSoughtWords = 100;

/** The numbers of the words that the index knows, each once. */
export function soughtIn({ vocabulary }: MemoryIndex, words: readonly string[]): number[] {
  return [...new Set(words)].slice(0, maxSoughtWords).flatMap((word) => vocabulary.numberOf(word) ?? []);
}

function candidatesWithin(
  path: string,
  { files, postings }: MemoryIndex,
  sought: readonly number[],
  atLeast: number,
): { candidates: Candidate[]; weights: Weights } {
  // They lie side by side, as files are sorted.
  const first = Math.max(0, files.findIndex(isWithin(path)));
  const within = files.slice(first, files.findLastIndex(isWithin(path)) + 1);
  const { firstPassages, hits } = postings;
  const found = within.map((): Candidate | null => null);
  const passagesWith = sought.map(() => 0);
  const filesWith = sought.map(() => 0);
  sought.forEach((word, index) => {
    forEachFile(word, postings, { first, count: within.length }, (number, start, end) => {
      const file = within[number];
      if (file === undefined) return;
      const candidate = (found[number] ??= {
        file,
        firstPassage: at(firstPassages, first + number),
        ranges: new Uint32Array(2 * sought.length),
      });
      candidate.ranges[2 * index] = start;
      candidate.ranges[2 * index + 1] = end;
      filesWith[index] = at(filesWith, index) + 1;
      passagesWith[index] = at(passagesWith, index) + countDistinct(hits, start, end);
    });
  });
  const words = within.reduce((sum, { size }) => sum + size, 0);
  const passages = at(firstPassages, first + within.length) - at(firstPassages, first) - within.length;
  // Those beyond are as long as these.
  const beyond = Math.max(1, atLeast / Math.max(1, within.length));
  const weights = {
    ofPassages: passagesWith.map((count) => rarity(count, beyond * passages)),
    ofFiles: filesWith.map((count) => rarity(count, beyond * within.length)),
    meanPassageWords: words / Math.max(1, passages) || 1,
    meanFileWords: words / Math.max(1, within.length) || 1,
  };
  return { candidates: found.filter((candidate) => candidate !== null), weights };
}

/**
 * Tells, of some files from `first` on, each that holds a word, by its number among them, and where its hits begin and
 * end.
 */
function forEachFile(
  word: number,
  { firstPassages, starts, hits }: Postings,
  { first, count }: { first: number; count: number },
  tell: (number: number, start: number, end: number) => void,
): void {
  const last = at(starts, word + 1);
  let start = at(starts, word);
  const beyond = (end: number, passage: number): number => {
    let hit = end;
    while (hit < last && (hits[hit] ?? 0) < passage) hit += 1;
    return hit;
  };
  start = beyond(start, at(firstPassages, first));
  for (let number = 0; number < count && start < last; number += 1) {
    const end = beyond(start, at(firstPassages, first + number + 1));
    if (end > start) tell(number, start, end);
    start = end;
  }
}

/** Above 0, also for a word that is everywhere. The path of a file counts as a passage that holds a word. */
function rarity(count: number, all: number): number {
  return Math.log(1 + (Math.max(all, count) - count + 0.5) / (count + 0.5));
}

function countDistinct(ascending: Uint32Array, start: number, end: number): number {
  let count = 1;
  for (let index = start + 1; index < end; index += 1) if (ascending[index] !== ascending[index - 1]) count += 1;
  return count;
}

function scoresOfPassages(
  { file, firstPassage, ranges }: Candidate,
  hits: Uint32Array,
  { ofPassages, meanPassageWords }: Weights,
): Float64Array {
  const scores = new Float64Array(countPassages(file));
  const counts = new Float64Array(scores.length);
  ofPassages.forEach((weight, index) => {
    const [start, end] = [at(ranges, 2 * index), at(ranges, 2 * index + 1)];
    if (start === end) return;
    counts.fill(0);
    for (let hit = start; hit < end; hit += 1) countAround(file, at(hits, hit) - firstPassage, counts);
    for (let passage = 1; passage < counts.length; passage += 1) {
      const count = at(counts, passage);
      if (count === 0) continue;
      const words = firstWordOf(file, passage + 1) - firstWordOf(file, passage);
      const length = 1 - passageLengthShare + passageLengthShare * (words / meanPassageWords);
      scores[passage] = at(scores, passage) + (weight * count * (saturation + 1)) / (count + saturation * length);
    }
  });
  return scores;
}

/** Counts a word for the passage that holds it, and its share for what lies around that. */
function countAround(file: IndexedFile, passage: number, counts: Float64Array): void {
  counts[passage] = at(counts, passage) + 1;
  if (passage > 1) counts[passage - 1] = at(counts, passage - 1) + aroundShare;
  // Of a passage that is no heading only the next one.
  const after = Math.min(counts.length, Math.max(sectionEndOf(file, passage), passage + 2));
  for (let below = passage + 1; below < after; below += 1) counts[below] = at(counts, below) + aroundShare;
}

function scoreOfFile({ file, ranges }: Candidate, { ofFiles, meanFileWords }: Weights): number {
  const length = 1 - fileLengthShare + fileLengthShare * (file.size / meanFileWords);
  return ofFiles.reduce((score, weight, index) => {
    const count = at(ranges, 2 * index + 1) - at(ranges, 2 * index);
    return score + (weight * count * (saturation + 1)) / (count + saturation * length);
  }, 0);
}

/** Beyond the end there is nothing. */
function at(numbers: ArrayLike<number>, index: number): number {
  return numbers[index] ?? 0;
}
