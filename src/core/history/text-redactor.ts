import type { Steps } from "../runtime/turns.js";
import { LiteralSearch } from "../values/literal-search.js";

/** Work yields after so many places, which take less than a millisecond. */
const placesPerYield = 5000;

const label = "[redacted";

/** What may fill a mask. The first that the text lacks is taken. */
const fillers = ["-", "*", "#", "x", "0", "_"];

/**
 * Finds a text in others, and covers it there. The cover is as long as the text: a stored difference names positions in
 * the newer text, and they stay right while only some of the versions are covered.
 */
export class TextRedactor {
  readonly length: number;
  readonly #search: LiteralSearch;
  readonly #mask: string;

  constructor(text: string) {
    this.length = text.length;
    this.#search = new LiteralSearch(text);
    this.#mask = createMask(text);
  }

  isIn(other: string | null | undefined): boolean {
    return typeof other === "string" && this.#search.firstIn(other) !== -1;
  }

  /** Finds the places of the text, in order and not overlapping. */
  *find(other: string): Steps<number[]> {
    const places: number[] = [];
    for (let at = this.#search.firstIn(other); at !== -1; at = this.#search.firstIn(other, at + this.length))
      if (places.push(at) % placesPerYield === 0) yield;
    return places;
  }

  *cover(other: string): Steps<string> {
    const places = yield* this.find(other);
    let covered = "";
    let end = 0;
    for (let index = 0; index < places.length; index += placesPerYield) {
      const parts: string[] = [];
      for (const at of places.slice(index, index + placesPerYield)) {
        parts.push(other.slice(end, at), this.#mask);
        end = at + this.length;
      }
      covered += parts.join("");
      yield;
    }
    return covered + other.slice(end);
  }
}

/**
 * `[redacted---]`, as long as the text. It shares no unit with the text where the two could meet, so that the text
 * cannot arise again from the mask and what stands beside it.
 */
function createMask(text: string): string {
  const canBeLabelled = text.length > label.length && !/[[\]]/.test(text);
  if (canBeLabelled) return `${label.padEnd(text.length - 1, "-")}]`;
  return (fillers.find((each) => !text.includes(each)) ?? findFiller(text)).repeat(text.length);
}

function findFiller(text: string): string {
  const used = new Set(text);
  let unit = 0x2580;
  while (used.has(String.fromCharCode(unit))) unit += 1;
  return String.fromCharCode(unit);
}
