import type { FileText } from "../tree/snapshot.js";
import { getPathPrefix } from "../values/paths.js";
import { compareCodeUnits } from "../values/text.js";
import type { Steps } from "../runtime/turns.js";
import { bodyLevel, findPassages, type Passage } from "./passages.js";
import { englishWords, type SearchWords, splitWords } from "./words.js";

export interface IndexedFile {
  path: string;
  content: string;
  /** Passage 0 is the path. It is the heading of all others. */
  passages: IndexedPassage[];
  /** The words of all passages in their order, those of the path first. */
  words: string[];
  /** How many words the text has, without its path. */
  wordCount: number;
  /** Estimated size in memory, with its postings. */
  bytes: number;
}

export interface IndexedPassage extends Passage {
  file: IndexedFile;
  /** Its position among the passages of the file. */
  number: number;
  /** Where its words begin among those of the file. */
  firstWord: number;
  /** The passage after the section of a heading, a date or the path. For body text, the next passage. */
  sectionEnd: number;
}

/** The words of a memory at one moment. */
export interface MemoryIndex {
  /** Sorted by path, in code-unit order. */
  readonly files: readonly IndexedFile[];
  /** Of all files, in their order. */
  readonly passages: readonly IndexedPassage[];
  /** For each word the positions in `passages` where it is, ascending, once for each occurrence. */
  readonly postings: ReadonlyMap<string, readonly number[]>;
  /** Estimated size in memory. */
  readonly bytes: number;
}

/** Work yields after so many small steps, which take less than a millisecond. */
export const stepsPerYield = 5000;

/** Indexes texts. A file that is the same in `previous` is taken from there. */
export function* indexTexts(
  texts: readonly FileText[],
  searchWords: SearchWords,
  previous: MemoryIndex | null,
): Steps<MemoryIndex> {
  const known = new Map(previous?.files.map((file) => [file.path, file]));
  const files: IndexedFile[] = [];
  for (const text of texts.toSorted((a, b) => compareCodeUnits(a.path, b.path))) {
    const file = known.get(text.path);
    files.push(file?.content === text.content ? file : yield* indexFile(text, searchWords));
    yield;
  }
  return yield* collectPostings(files);
}

function* indexFile({ path, content }: FileText, searchWords: SearchWords): Steps<IndexedFile> {
  const file: IndexedFile = { path, content, passages: [], words: [], wordCount: 0, bytes: 0 };
  const { passages, words } = file;
  const add = ({ start, end, firstLine, lastLine, level }: Passage, text: string): void => {
    // A spread takes ten times as long.
    passages.push({
      file,
      number: passages.length,
      start,
      end,
      firstLine,
      lastLine,
      level,
      firstWord: words.length,
      sectionEnd: 0,
    });
    for (const word of splitWords(searchWords, text)) words.push(word);
  };
  add({ start: 0, end: 0, firstLine: 1, lastLine: 1, level: 0 }, path);
  const wordsOfPath = words.length;
  for (const passage of findPassages(content)) {
    if (passage !== null) add(passage, content.slice(passage.start, passage.end));
    yield;
  }
  yield* setSectionEnds(passages);
  file.wordCount = words.length - wordsOfPath;
  // The words of `englishWords` share their strings.
  const wordBytes = searchWords === englishWords ? 0 : words.reduce((sum, word) => sum + 30 + 2 * word.length, 0);
  const contentBytes = (notLatin.test(content) ? 2 : 1) * content.length;
  file.bytes = 500 + 2 * path.length + contentBytes + 120 * passages.length + 20 * words.length + wordBytes;
  return file;
}

/** A text of Latin letters alone takes a byte for each. */
const notLatin = /[^\0-\xff]/;

function* setSectionEnds(passages: readonly IndexedPassage[]): Steps<void> {
  /** The headings above the passage at hand, the innermost last. */
  const open: IndexedPassage[] = [];
  for (const [number, passage] of passages.entries()) {
    if (number % stepsPerYield === 0) yield;
    passage.sectionEnd = passage.level === bodyLevel ? number + 1 : passages.length;
    if (passage.level === bodyLevel) continue;
    for (let last = open.at(-1); last !== undefined && last.level >= passage.level; last = open.at(-1)) {
      last.sectionEnd = number;
      open.pop();
    }
    open.push(passage);
  }
}

function* collectPostings(files: readonly IndexedFile[]): Steps<MemoryIndex> {
  const postings = new Map<string, number[]>();
  const passages: IndexedPassage[] = [];
  let bytes = 1000;
  for (const file of files) {
    bytes += file.bytes;
    for (const passage of file.passages) {
      for (const word of getWords(passage)) {
        const positions = postings.get(word);
        if (positions === undefined) {
          postings.set(word, [passages.length]);
          bytes += 150 + 2 * word.length;
        } else positions.push(passages.length);
      }
      passages.push(passage);
      yield;
    }
  }
  return { files, passages, postings, bytes };
}

export function getWords({ file, number, firstWord }: IndexedPassage): readonly string[] {
  return file.words.slice(firstWord, file.passages[number + 1]?.firstWord);
}

/** Whether a file is at `path` or below it. */
export function isWithin(path: string): (file: { path: string }) => boolean {
  const prefix = getPathPrefix(path);
  return (file) => file.path === path || file.path.startsWith(prefix);
}
