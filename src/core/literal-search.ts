/**
 * V8 compares the last 250 units of a pattern in linear time (Boyer-Moore), and any further ones again at every place:
 * half a million in a megabyte, such as `a…b…a`, take half a minute, in which the process stands still.
 */
const nativeUnits = 250;

/** How many places that begin like the pattern are compared one by one. Texts that somebody wrote rarely have a second one. */
const maxGuesses = 4;

/** A literal text to search for, in time linear in both texts whatever they are. It may be used for many texts. */
export class LiteralSearch {
  readonly #pattern: string;
  #borders: Int32Array | undefined;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  /** The first place at or after `from`, or -1, as `indexOf` has it. */
  firstIn(text: string, from = 0): number {
    const pattern = this.#pattern;
    if (pattern.length <= nativeUnits) return text.indexOf(pattern, from);
    if (text.length - from < pattern.length) return -1;
    const start = pattern.slice(0, nativeUnits);
    let at = text.indexOf(start, from);
    for (let guess = 0; guess < maxGuesses; guess += 1) {
      if (at === -1 || text.startsWith(pattern, at)) return at;
      at = text.indexOf(start, at + 1);
    }
    return at === -1 ? -1 : (this.#scan(text, at, 1)[0] ?? -1);
  }

  /** The first `max` places. Overlapping ones all count. */
  placesIn(text: string, max: number): number[] {
    const first = this.firstIn(text);
    if (this.#pattern.length > nativeUnits) return first === -1 ? [] : this.#scan(text, first, max);
    const places: number[] = [];
    for (let at = first; at !== -1 && places.length < max; at = text.indexOf(this.#pattern, at + 1)) places.push(at);
    return places;
  }

  /** The text between the places, left to right, not overlapping: as `split` with a pattern that is not empty. */
  split(text: string): string[] {
    const pattern = this.#pattern;
    if (pattern.length <= nativeUnits) return text.split(pattern);
    const parts: string[] = [];
    let start = 0;
    for (let at = this.firstIn(text); at !== -1; at = this.firstIn(text, start)) {
      parts.push(text.slice(start, at));
      start = at + pattern.length;
    }
    return [...parts, text.slice(start)];
  }

  /** By Knuth, Morris and Pratt: no unit of the text is looked at again after a mismatch. */
  #scan(text: string, from: number, max: number): number[] {
    const pattern = this.#pattern;
    const borders = (this.#borders ??= bordersOf(pattern));
    const places: number[] = [];
    let matched = 0;
    for (let at = from; at < text.length && places.length < max; at += 1) {
      matched = extended(pattern, borders, matched, text.charCodeAt(at));
      if (matched === pattern.length) {
        places.push(at + 1 - matched);
        matched = borders[matched - 1] ?? 0;
      }
    }
    return places;
  }
}

/** For each start of the pattern, how long the longest text is that it both begins and ends with, itself aside. */
function bordersOf(pattern: string): Int32Array {
  const borders = new Int32Array(pattern.length);
  for (let at = 1; at < pattern.length; at += 1) {
    borders[at] = extended(pattern, borders, borders[at - 1] ?? 0, pattern.charCodeAt(at));
  }
  return borders;
}

/** How many units of the pattern are matched with one more unit of a text. */
function extended(pattern: string, borders: Int32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && pattern.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0;
  return pattern.charCodeAt(length) === unit ? length + 1 : length;
}
