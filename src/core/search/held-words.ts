import type { Hit } from "./best-hits.js";
import { findShownStart } from "./passages.js";
import { getWords, stepsPerYield } from "./word-index.js";
import type { Steps } from "../runtime/turns.js";
import type { SearchHit } from "./search-options.js";
import { type SearchWords, splitWords, splitWritten, type WrittenWord } from "./words.js";

/** Describes hits: their lines, and the words of the query that they contain. */
export function* describeHits(
  hits: readonly Hit[],
  queryWords: readonly string[],
  searchWords: SearchWords,
): Steps<SearchHit[]> {
  const spelling = new Spelling(queryWords, searchWords);
  const described: SearchHit[] = [];
  let steps = 0;
  for (const { file, passage, score } of hits) {
    const place = file.passages.at(passage);
    if (place === undefined) continue;
    const text = file.content.slice(findShownStart(file.content, place), place.end);
    const indexed = getWords(file, passage);
    const words = spelling.findHeld(file.content.slice(place.start, place.end), indexed);
    described.push({ path: file.path, startLine: place.firstLine, endLine: place.lastLine, text, score, words });
    steps += text.length;
    if (steps < stepsPerYield) continue;
    steps = 0;
    yield;
  }
  return described;
}

/** Finds how passages spell the words of a query. */
class Spelling {
  readonly #asked: ReadonlySet<string>;
  readonly #searchWords: SearchWords;
  /**
   * For each written word, the parts of it that are words of the query. Reason: `searchWords` of a user may be slow.
   */
  readonly #found = new Map<string, readonly string[]>();

  constructor(queryWords: readonly string[], searchWords: SearchWords) {
    this.#asked = new Set(queryWords);
    this.#searchWords = searchWords;
  }

  /**
   * Finds the words of the query in a passage, each once, in the order of the passage. @param indexed the words of the
   * passage in the index
   */
  findHeld(text: string, indexed: readonly string[]): string[] {
    const held = indexed.filter((word) => this.#asked.has(word));
    if (held.length === 0) return [];
    const spelled = Array.from(splitWritten(text), (written) => this.#findIn(written)).flat();
    // A function of the user can make one word of several written words. Such words stay as they are in the index.
    return [...new Set(spelled.length === 0 ? held : spelled)];
  }

  #findIn({ text, isSpaced }: WrittenWord): readonly string[] {
    const known = this.#found.get(text);
    if (known !== undefined) return known;
    if (this.#asked.has(text)) return [text];
    const words = splitWords(this.#searchWords, text).filter((word) => this.#asked.has(word));
    // In scripts without spaces, parts of a written run are words.
    const parts = isSpaced ? [] : words.filter((word) => text.includes(word));
    const found = words.length === 0 || parts.length > 0 ? parts : [text];
    this.#found.set(text, found);
    return found;
  }
}

/** Finds the places of some words in a text, ascending and without overlap. @param words the `words` of a hit */
export function* findMarks(text: string, words: readonly string[]): Generator<[start: number, end: number]> {
  const wanted = new Set(words);
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  for (const { text: written, start, isSpaced } of splitWritten(text)) {
    if (wanted.has(written)) yield [start, start + written.length];
    else if (!isSpaced) {
      for (let at = 0; at < written.length; at += 1) {
        const word = longestFirst.find((each) => written.startsWith(each, at));
        if (word === undefined) continue;
        yield [start + at, start + at + word.length];
        at += word.length - 1;
      }
    }
  }
}
