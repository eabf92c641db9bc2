import type { FileText } from "../tree/snapshot.js";
import { getPathPrefix } from "../values/paths.js";
import { comparePaths } from "../values/text.js";
import { mergeSort } from "../runtime/sort-in-steps.js";
import type { Steps } from "../runtime/time-slices.js";
import { PassageTable } from "./passage-table.js";
import { bodyLevel, findPassages, type Passage } from "./passages.js";
import { Vocabulary } from "./vocabulary.js";
import { type SearchWords, splitWords } from "./words.js";

export interface IndexedFile {
  path: string;
  content: string;
  /** Passage 0 is the path. It is the heading of all other passages. */
  passages: PassageTable;
  /** The words of all passages in their order, by their numbers in the vocabulary. The words of the path come first. */
  words: Uint32Array;
  /** Number of words in the text, without its path. */
  wordCount: number;
  /** Its size in memory. */
  bytes: number;
}

/** The words of a memory at one point in time. */
export interface WordIndex {
  /** Sorted by path, in code-unit order. */
  readonly files: readonly IndexedFile[];
  readonly vocabulary: Vocabulary;
  /** The size of the vocabulary when all texts were indexed. */
  readonly firstSize: number;
  /** Size in memory. */
  readonly bytes: number;
}

/** Number of small steps after which work yields. They take less than a millisecond. */
export const stepsPerYield = 5000;

/** A vocabulary may grow by so many words, and to twice its size, before it is made anew. */
const spareWords = 10_000;

/** Indexes texts. Takes an unchanged file from `previous`. */
export function* indexTexts(
  texts: readonly FileText[],
  searchWords: SearchWords,
  previous: WordIndex | null,
): Steps<WordIndex> {
  // Words that no text has any more stay in the vocabulary.
  const isFull = previous !== null && previous.vocabulary.size > 2 * previous.firstSize + spareWords;
  const base = isFull ? null : previous;
  const vocabulary = base?.vocabulary ?? new Vocabulary();
  const known = new Map(base?.files.map((file) => [file.path, file]));
  const files: IndexedFile[] = [];
  const table = new PassageTable();
  let bytes = 1000;
  for (const text of yield* mergeSort(texts, comparePaths)) {
    const found = known.get(text.path);
    const file = found?.content === text.content ? found : yield* indexFile(text, { searchWords, vocabulary, table });
    files.push(file);
    bytes += file.bytes;
    yield;
  }
  const firstSize = base?.firstSize ?? vocabulary.size;
  return { files, vocabulary, firstSize, bytes: bytes + vocabulary.bytes };
}

interface Indexing {
  searchWords: SearchWords;
  vocabulary: Vocabulary;
  /** An empty table that all files use, so that each of their own tables has exactly its size. */
  table: PassageTable;
}

function* indexFile({ path, content }: FileText, { searchWords, vocabulary, table }: Indexing): Steps<IndexedFile> {
  const found: number[] = [];
  const add = (passage: Passage, text: string): void => {
    const [label = ""] = (passage.level === bodyLevel && labelPattern.exec(text)) || [];
    const labelWords = label === "" ? 0 : splitWords(searchWords, label).length;
    table.add(passage, found.length, labelWords);
    const spelled = passage.level < bodyLevel ? spellDates(text) : text;
    for (const word of splitWords(searchWords, spelled)) found.push(vocabulary.add(word));
  };
  add({ start: 0, end: 0, firstLine: 1, lastLine: 1, level: 0 }, path);
  const wordsOfPath = found.length;
  for (const passage of findPassages(content)) {
    if (passage !== null) add(passage, content.slice(passage.start, passage.end));
    yield;
  }
  yield* setSectionEnds(table);
  const passages = table.take();
  const words = Uint32Array.from(found);
  const contentBytes = (notLatin.test(content) ? 2 : 1) * content.length;
  const bytes = 600 + 2 * path.length + contentBytes + passages.bytes + words.byteLength;
  return { path, content, passages, words, wordCount: words.length - wordsOfPath, bytes };
}

/** The name of the speaker at the start of a line. Lower case, list marks and long texts are labels of other things. */
const labelPattern = /^[\p{Lu}\p{Lo}][^:\n]{0,40}:(?=\s)/u;

const months = "January February March April May June July August September October November December".split(" ");

/** Adds a date in words to each date of a path or a heading, because questions name months: `2026-05-08 8 May 2026`. */
function spellDates(text: string): string {
  return text.replaceAll(
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

/** Creates a test: whether a file is at `path` or below it. */
export function isWithin(path: string): (file: { path: string }) => boolean {
  const prefix = getPathPrefix(path);
  return (file) => file.path === path || file.path.startsWith(prefix);
}
