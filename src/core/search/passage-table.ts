import type { Passage } from "./passages.js";

export interface IndexedPassage extends Passage {
  /** The position of its first word among the words of the file. */
  firstWord: number;
  /** The number of its first words that name the speaker. */
  labelWords: number;
  /**
   * The number of the passage after the section of a heading, a date or the path. For body text, the number of the next
   * passage.
   */
  sectionEnd: number;
}

/** The position of each number of a passage. */
const offsets = {
  start: 0,
  end: 1,
  firstLine: 2,
  lastLine: 3,
  level: 4,
  firstWord: 5,
  labelWords: 6,
  sectionEnd: 7,
} as const;
const numbersEach = 8;
const noNumbers = new Int32Array(0);

/**
 * The passages of a file, by their number. Stores them as plain numbers. Reason: as objects, the lines of a hostile
 * memory would take a gigabyte.
 */
export class PassageTable {
  #numbers = noNumbers;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The size of the table in memory. */
  get bytes(): number {
    return this.#numbers.byteLength;
  }

  add({ start, end, firstLine, lastLine, level }: Passage, firstWord: number, labelWords = 0): void {
    const at = this.#length * numbersEach;
    if (at === this.#numbers.length) {
      const larger = new Int32Array(Math.max(2 * at, 16 * numbersEach));
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    // Not from a list, which would be created for each passage.
    this.#numbers[at + offsets.start] = start;
    this.#numbers[at + offsets.end] = end;
    this.#numbers[at + offsets.firstLine] = firstLine;
    this.#numbers[at + offsets.lastLine] = lastLine;
    this.#numbers[at + offsets.level] = level;
    this.#numbers[at + offsets.firstWord] = firstWord;
    this.#numbers[at + offsets.labelWords] = labelWords;
    this.#length += 1;
  }

  at(number: number): IndexedPassage | undefined {
    if (number < 0 || number >= this.#length) return undefined;
    const [start = 0, end = 0, firstLine = 0, lastLine = 0, level = 0, firstWord = 0, labelWords = 0, sectionEnd = 0] =
      this.#numbers.subarray(number * numbersEach, (number + 1) * numbersEach);
    return { start, end, firstLine, lastLine, level, firstWord, labelWords, sectionEnd };
  }

  /** Returns one number of a passage. Undefined if there is no such passage. */
  get(number: number, name: keyof typeof offsets): number | undefined {
    return number >= 0 && number < this.#length ? this.#numbers[number * numbersEach + offsets[name]] : undefined;
  }

  /** Moves the passages into a table without room for more, and leaves this one empty. */
  take(): PassageTable {
    const taken = new PassageTable();
    taken.#numbers = this.#numbers.slice(0, this.#length * numbersEach);
    taken.#length = this.#length;
    this.#length = 0;
    return taken;
  }

  setSectionEnd(number: number, sectionEnd: number): void {
    this.#numbers[number * numbersEach + offsets.sectionEnd] = sectionEnd;
  }
}
