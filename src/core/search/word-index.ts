import type { FileText } from "../tree/snapshot.js";
import { getPathPrefix } from "../values/paths.js";
import { comparePaths } from "../values/text.js";
import { mergeSort } from "../runtime/sort-in-steps.js";
import type { Steps } from "../runtime/time-slices.js";
import { PassageTable } from "./passage-table.js";
import { bodyLevel, findPassages, type Passage } from "./passages.js";
import { englishWords, type SearchWords, splitWords } from "./words.js";

export interface IndexedFile {
  path: string;
  content: string;
  /** Passage 0 is the path. It is the heading of all other passages. */
  passages: PassageTable;
  /** The words of all passages in their order. The words of the path come first. */
  words: string[];
  /** Number of words in the text, without its path. */
  wordCount: number;
  /** Estimated size in memory, with its postings. */
  bytes: number;
}

/** For each word, the positions of the passages that contain it, ascending, once for each occurrence. */
export type Postings = ReadonlyMap<string, readonly number[]>;

/** The words of a memory at one point in time. */
export interface WordIndex {
  /** Sorted by path, in code-unit order. */
  readonly files: readonly IndexedFile[];
  /** For each file, the position of its first passage among the passages of all files. */
  readonly firstPositions: readonly number[];
  /** Null until the index is used again. Reason: most indexes are used once, because a log changes with each turn. */
  readonly postings: Postings | null;
  /** Estimated size in memory. */
  readonly bytes: number;
}

/** Number of small steps after which work yields. They take less than a millisecond. */
export const stepsPerYield = 5000;

/** Indexes texts. Takes an unchanged file from `previous`. */
export function* indexTexts(
  texts: readonly FileText[],
  searchWords: SearchWords,
  previous: WordIndex | null,
): Steps<WordIndex> {
  const known = new Map(previous?.files.map((file) => [file.path, file]));
  const files: IndexedFile[] = [];
  const table = new PassageTable();
  for (const text of yield* mergeSort(texts, comparePaths)) {
    const file = known.get(text.path);
    files.push(file?.content === text.content ? file : yield* indexFile(text, searchWords, table));
    yield;
  }
  return joinFiles(files);
}

/** @param table an empty table that all files use, so that each of their own tables has exactly its size */
function* indexFile({ path, content }: FileText, searchWords: SearchWords, table: PassageTable): Steps<IndexedFile> {
  const found: string[] = [];
  const add = (passage: Passage, text: string): void => {
    table.add(passage, found.length);
    for (const word of splitWords(searchWords, text)) found.push(word);
  };
  add({ start: 0, end: 0, firstLine: 1, lastLine: 1, level: 0 }, spellDates(path));
  const wordsOfPath = found.length;
  for (const passage of findPassages(content)) {
    if (passage !== null) add(passage, content.slice(passage.start, passage.end));
    yield;
  }
  yield* setSectionEnds(table);
  const passages = table.take();
  const words = found.slice();
  // Equal words of `englishWords` are one string.
  const wordBytes = searchWords === englishWords ? 0 : words.reduce((sum, word) => sum + 30 + 2 * word.length, 0);
  const contentBytes = (notLatin.test(content) ? 2 : 1) * content.length;
  const bytes = 400 + 2 * path.length + contentBytes + passages.bytes + 18 * words.length + wordBytes;
  return { path, content, passages, words, wordCount: words.length - wordsOfPath, bytes };
}

const months = "January February March April May June July August September October November December".split(" ");

/** Adds a date in words to each date of a path, because questions name months: `2026-05-08 8 May 2026`. */
function spellDates(path: string): string {
  return path.replaceAll(
    /(\d{4})-(\d\d)-(\d\d)/g,
    (date, year: string, month: string, day: string) =>
      `${date} ${Number(day)} ${months[Number(month) - 1] ?? ""} ${year}`,
  );
}

/** A text of Latin letters alone takes one byte for each letter. */
const notLatin = /[^\0-\xff]/;

function* setSectionEnds(passages: PassageTable): Steps<void> {
  /** The headings above the current passage, the innermost last. */
  const open: { number: number; level: number }[] = [];
  for (let number = 0; number < passages.length; number += 1) {
    if (number % stepsPerYield === 0) yield;
    const level = passages.get(number, "level") ?? bodyLevel;
    passages.setSectionEnd(number, level === bodyLevel ? number + 1 : passages.length);
    if (level === bodyLevel) continue;
    for (let last = open.at(-1); last !== undefined && last.level >= level; last = open.at(-1)) {
      passages.setSectionEnd(last.number, number);
      open.pop();
    }
    open.push({ number, level });
  }
}

function joinFiles(files: readonly IndexedFile[]): WordIndex {
  const firstPositions: number[] = [];
  let position = 0;
  let bytes = 1000;
  for (const file of files) {
    firstPositions.push(position);
    position += file.passages.length;
    bytes += file.bytes;
  }
  return { files, firstPositions, postings: null, bytes };
}

/** Returns the index with the postings of all words. */
export function* addPostings(index: WordIndex): Steps<WordIndex> {
  const postings = yield* collectPostings(index, null);
  let { bytes } = index;
  let steps = 0;
  for (const word of postings.keys()) {
    bytes += 165 + 2 * word.length;
    steps += 1;
    if (steps % stepsPerYield === 0) yield;
  }
  return { ...index, postings, bytes };
}

/** Their words are looked up in less than a millisecond. */
const passagesPerStep = 20;

/** Collects the postings of some words. @param only null: of all words */
export function* collectPostings({ files }: WordIndex, only: readonly string[] | null): Steps<Postings> {
  const postings = new Map(only?.map((word): [string, number[]] => [word, []]));
  let position = 0;
  for (const { passages, words } of files) {
    let next = 0;
    for (let number = 0; number < passages.length; number += 1, position += 1) {
      const end = passages.get(number + 1, "firstWord") ?? words.length;
      for (; next < end; next += 1) {
        const word = words[next] ?? "";
        const positions = postings.get(word);
        if (positions !== undefined) positions.push(position);
        else if (only === null) postings.set(word, [position]);
      }
      if (number % passagesPerStep === 0) yield;
    }
  }
  return postings;
}

/** Finds the file and passage of positions that come in ascending order. */
export class PassagePlace {
  readonly #index: WordIndex;
  #file = 0;
  /** The number of the passage in its file. */
  number = 0;

  constructor(index: WordIndex) {
    this.#index = index;
  }

  get file(): IndexedFile | undefined {
    return this.#index.files[this.#file];
  }

  moveTo(position: number): void {
    const { firstPositions } = this.#index;
    while ((firstPositions[this.#file + 1] ?? Infinity) <= position) this.#file += 1;
    this.number = position - (firstPositions[this.#file] ?? 0);
  }
}

/** Creates a test: whether a file is at `path` or below it. */
export function isWithin(path: string): (file: { path: string }) => boolean {
  const prefix = getPathPrefix(path);
  return (file) => file.path === path || file.path.startsWith(prefix);
}
