import type { Steps } from "../runtime/time-slices.js";
import { type MemoryActor, nameFields } from "../values/actor.js";
import { LiteralSearch } from "../values/literal-search.js";

/** Work yields after so many places, which take less than a millisecond. */
const placesPerYield = 5000;

const label = "[redacted";

/** Characters that can fill a mask. The mask uses the first one that the text does not contain. */
const fillers = ["-", "*", "#", "x", "0", "_"];

/**
 * Finds a text in other texts, and covers it. The cover is as long as the text. Reason: a stored difference names
 * positions in the newer text, which must stay valid while only some versions are covered.
 */
export class TextRedactor {
  readonly text: string;
  readonly mask: string;
  readonly #search: LiteralSearch;

  constructor(text: string) {
    this.text = text;
    this.mask = createMask(text);
    this.#search = new LiteralSearch(text);
  }

  get length(): number {
    return this.text.length;
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
        parts.push(other.slice(end, at), this.mask);
        end = at + this.length;
      }
      covered += parts.join("");
      yield;
    }
    return covered + other.slice(end);
  }

  /** Covers the text in a short text. */
  coverShort(other: string): string {
    return other.replaceAll(this.text, () => this.mask);
  }

  /**
   * Covers the text in sources. Their kinds and the ids of versions stay: no person has written them.
   * @returns the same list if the text is in none of them
   */
  coverSources(sources: string[]): string[] {
    const covered = sources.map((source) => {
      const kind = /^(?:[^:]*:)?/.exec(source)?.[0] ?? "";
      return kind === "version:" ? source : kind + this.coverShort(source.slice(kind.length));
    });
    return covered.every((source, index) => source === sources[index]) ? sources : covered;
  }

  /**
   * Covers the text in the names of an actor. The ids stay, because `forget` finds the data of a user or a thread by
   * them.
   * @returns the same actor if the text is in none of its names
   */
  coverActor<Actor extends MemoryActor | null>(actor: Actor): Actor {
    const names = nameFields.filter((field) => this.isIn(actor?.[field]));
    if (names.length === 0) return actor;
    return { ...actor, ...Object.fromEntries(names.map((field) => [field, this.coverShort(actor?.[field] ?? "")])) };
  }
}

/**
 * `[redacted---]`, as long as the text. At its edges it has no character of the text. Reason: the mask and the text
 * next to it must not form the redacted text again.
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
