import { LiteralSearch } from "../values/literal-search.js";

const label = "[redacted";

/** What may fill a mask. The first that the text lacks is taken. */
const fillers = ["-", "*", "#", "█"];

/**
 * Finds a text in others, and covers it there. The cover is as long as the text: a stored difference names positions in
 * the newer text, and they stay right while only some of the versions are covered.
 */
export class TextRedactor {
  readonly #search: LiteralSearch;
  readonly #mask: string;

  constructor(text: string) {
    this.#search = new LiteralSearch(text);
    this.#mask = createMask(text);
  }

  isIn(other: string | null | undefined): boolean {
    return typeof other === "string" && this.#search.firstIn(other) !== -1;
  }

  cover(other: string): string {
    return this.#search.split(other).join(this.#mask);
  }
}

/**
 * `[redacted---]`, as long as the text. It shares no unit with the text where the two could meet, so that the text
 * cannot arise again from the mask and what stands beside it.
 */
function createMask(text: string): string {
  const filler = fillers.find((each) => !text.includes(each)) ?? findFiller(text);
  const canBeLabelled = text.length > label.length && !/[[\]]/.test(text);
  return canBeLabelled ? `${label.padEnd(text.length - 1, "-")}]` : filler.repeat(text.length);
}

function findFiller(text: string): string {
  const used = new Set(text);
  let unit = 0x2580;
  while (used.has(String.fromCharCode(unit))) unit += 1;
  return String.fromCharCode(unit);
}
