/** A map takes no more than 16,777,216 words. */
const mapWords = 16_000_000;

/** A word in a map, without its characters. */
const wordBytes = 80;

/** Gives each word a number, from 0. An index of numbers takes a fraction of one of texts. */
export class Vocabulary {
  readonly #maps = [new Map<string, number>()];
  #size = 0;
  #bytes = 0;

  get size(): number {
    return this.#size;
  }

  /** Size in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  find(word: string): number | undefined {
    for (const numbers of this.#maps) {
      const number = numbers.get(word);
      if (number !== undefined) return number;
    }
    return undefined;
  }

  /** Returns the number of a word, which may be new. */
  add(word: string): number {
    const known = this.find(word);
    if (known !== undefined) return known;
    const number = this.#size;
    if (number > 0 && number % mapWords === 0) this.#maps.push(new Map());
    // A part of a text would keep all of that text in memory.
    this.#maps.at(-1)?.set(word.split("").join(""), number);
    this.#size += 1;
    this.#bytes += wordBytes + 2 * word.length;
    return number;
  }
}
