import type { Turns } from "../runtime/turns.js";
import { bodyLevel, type Passage, passagesOf } from "./passages.js";
import type { WordNumbers } from "./word-numbers.js";

/** A number for each word of a memory, so that a file keeps numbers. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  /** About what it takes in memory. */
  bytes = 0;

  add(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(word, number);
    this.bytes += 64 + 2 * word.length;
    return number;
  }

  numberOf(word: string): number | undefined {
    return this.#numbers.get(word);
  }

  get size(): number {
    return this.#numbers.size;
  }
}

/** What a search needs to know of one file. */
export interface IndexedFile {
  readonly path: string;
  readonly content: string;
  /**
   * Rows of numbers, `passageFields` for each passage. Passage 0 is the path: it stands above all others, as a heading
   * does above its section.
   */
  readonly passages: Uint32Array;
  /** The numbers of the words of all passages, in their order. */
  readonly words: Uint32Array;
  /** How many of them are not in the path. */
  readonly size: number;
}

/**
 * Of a passage: where it starts and ends in the text, its first and last line, its first word, the first passage after
 * it that it does not stand above.
 */
const passageFields = 6;
const firstWordField = 4;
const sectionEndField = 5;

/** Indexes a file, and lets others have the event loop meanwhile. */
export async function indexFile(
  { path, content }: { path: string; content: string },
  wordNumbers: WordNumbers,
  turns: Pick<Turns, "isOver" | "next">,
): Promise<IndexedFile> {
  const passages: number[] = [];
  const levels: number[] = [];
  const words: number[] = [];
  const note = ({ start, end, firstLine, lastLine, level }: Passage): void => {
    passages.push(start, end, firstLine, lastLine, words.length, 0);
    levels.push(level);
  };
  note({ start: 0, end: 0, firstLine: 1, lastLine: 1, level: 0 });
  wordNumbers.push(words, path, 0, path.length);
  const pathWords = words.length;
  for (const passage of passagesOf(content)) {
    note(passage);
    wordNumbers.push(words, content, passage.start, passage.end);
    if (turns.isOver()) await turns.next();
  }
  const rows = new Uint32Array(passages);
  noteSections(rows, levels);
  return { path, content, passages: rows, words: new Uint32Array(words), size: words.length - pathWords };
}

function noteSections(passages: Uint32Array, levels: readonly number[]): void {
  /** For each level the first passage after the one at hand that is of that level or a higher one. */
  const ends = Array<number>(bodyLevel + 1).fill(levels.length);
  for (let passage = levels.length - 1; passage >= 0; passage -= 1) {
    const level = levels[passage] ?? bodyLevel;
    passages[passageFields * passage + sectionEndField] =
      level === bodyLevel ? passage + 1 : (ends[level] ?? levels.length);
    if (level < bodyLevel) ends.fill(passage, level);
  }
}

export function countPassages({ passages }: IndexedFile): number {
  return passages.length / passageFields;
}

/** Where a passage is in its text. */
export function placeOf(
  { passages }: IndexedFile,
  passage: number,
): Pick<Passage, "start" | "end" | "firstLine" | "lastLine"> {
  const [start = 0, end = 0, firstLine = 1, lastLine = 1] = passages.subarray(passageFields * passage);
  return { start, end, firstLine, lastLine };
}

/** Beyond the last passage the number of all words. */
export function firstWordOf({ passages, words }: IndexedFile, passage: number): number {
  return passages[passageFields * passage + firstWordField] ?? words.length;
}

export function sectionEndOf({ passages }: IndexedFile, passage: number): number {
  return passages[passageFields * passage + sectionEndField] ?? 0;
}

const notLatin = /[^\0-\xff]/;

/**
 * About what it takes in memory, beside the vocabulary and the postings. A text of Latin letters alone takes a byte for
 * each.
 */
export function bytesOf({ path, content, passages, words }: IndexedFile): number {
  return (
    500 + 2 * path.length + (notLatin.test(content) ? 2 : 1) * content.length + passages.byteLength + words.byteLength
  );
}
