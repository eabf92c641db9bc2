import { englishWords, type SearchWords, wordsBy } from "./words.js";

/** What numbers the words of a memory. */
interface Vocabulary {
  add(word: string): number;
}

/** Of each unit of ASCII that is a letter or a digit, whatever its case, 1 to 36. 0 of all others. */
const digits = Uint8Array.from(
  { length: 128 },
  (_, unit) => "0123456789abcdefghijklmnopqrstuvwxyz".indexOf(String.fromCharCode(unit).toLowerCase()) + 1,
);
const base = 37;
/** A number holds so many digits exactly. */
const maxDigits = 10;

const places = 16_384;
const triedPlaces = 8;
const noWord = -1;

/**
 * Numbers the words of texts. English texts repeat theirs, so a run of letters is known again as a number of base 37: a
 * string for each, to look it up by, takes twice as long.
 */
export class WordNumbers {
  readonly #wordsOf: SearchWords;
  readonly #vocabulary: Vocabulary;
  /** A table of runs. One that finds no free place near its own is looked up as a word each time. */
  readonly #runs = new Float64Array(places);
  readonly #numbers = new Int32Array(places);

  constructor(wordsOf: SearchWords, vocabulary: Vocabulary) {
    this.#wordsOf = wordsOf;
    this.#vocabulary = vocabulary;
  }

  /** Adds the numbers of the words between two places of a text. */
  push(numbers: number[], text: string, start: number, end: number): void {
    const before = numbers.length;
    if (this.#wordsOf === englishWords && this.#pushAscii(numbers, text, start, end)) return;
    numbers.length = before;
    for (const word of wordsBy(this.#wordsOf, text.slice(start, end))) numbers.push(this.#vocabulary.add(word));
  }

  /** @returns false for a text that has other characters */
  #pushAscii(numbers: number[], text: string, start: number, end: number): boolean {
    let run = 0;
    let runStart = start;
    for (let at = start; at <= end; at += 1) {
      const unit = at < end ? text.charCodeAt(at) : 0;
      if (unit >= 128) return false;
      const digit = digits[unit] ?? 0;
      if (digit > 0) {
        run = run * base + digit;
        continue;
      }
      if (at > runStart) {
        const number = this.#numberOf(run, text, runStart, at);
        if (number !== noWord) numbers.push(number);
      }
      run = 0;
      runStart = at + 1;
    }
    return true;
  }

  #numberOf(run: number, text: string, start: number, end: number): number {
    const place = end - start <= maxDigits ? this.#placeOf(run) : null;
    if (place !== null && this.#runs[place] === run) return this.#numbers[place] ?? noWord;
    const [word] = englishWords(text.slice(start, end));
    const number = word === undefined ? noWord : this.#vocabulary.add(word);
    if (place !== null) {
      this.#runs[place] = run;
      this.#numbers[place] = number;
    }
    return number;
  }

  /** Where the run is or can be; null where all places near its own are taken. */
  #placeOf(run: number): number | null {
    const first = Math.imul(run | 0, 0x9e37_79b1) >>> 18;
    for (let tried = 0; tried < triedPlaces; tried += 1) {
      const place = (first + tried) & (places - 1);
      const found = this.#runs[place];
      if (found === run || found === 0) return place;
    }
    return null;
  }
}
