/**
 * The longest pattern that `indexOf` searches for. V8 compares the last 250 units of a pattern in linear time
 * (Boyer-Moore), but all earlier units again at every position. A pattern of half a million units, such as `a…b…a`, in
 * a text of a megabyte blocks the process for half a minute.
 */
const nativeUnits = 250;

/**
 * The most positions that begin like the pattern and are compared one by one. Texts that people write rarely have a
 * second such position.
 */
const maxGuesses = 4;

/** Searches for a literal text. The time is linear in both texts. One object can search many texts. */
export class LiteralSearch {
  readonly #pattern: string;
  #compiled: { units: Uint16Array; borders: Int32Array } | undefined;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  /** Returns the first position at or after `from`, or -1, like `indexOf`. */
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

  /** Returns the first `max` positions, including overlapping ones. */
  placesIn(text: string, max: number): number[] {
    const first = this.firstIn(text);
    if (this.#pattern.length > nativeUnits) return first === -1 ? [] : this.#scan(text, first, max);
    const places: number[] = [];
    for (let at = first; at !== -1 && places.length < max; at = text.indexOf(this.#pattern, at + 1)) places.push(at);
    return places;
  }

  /** Splits a text at all matches, left to right and not overlapping, like `split` with a pattern that is not empty. */
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

  /** Searches with the algorithm of Knuth, Morris and Pratt: no unit of the text is read again after a mismatch. */
  #scan(text: string, from: number, max: number): number[] {
    const { units, borders } = (this.#compiled ??= compiled(this.#pattern));
    const places: number[] = [];
    let matched = 0;
    for (let at = from; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      while (matched > 0 && units[matched] !== unit) matched = borders[matched - 1] ?? 0;
      if (units[matched] === unit) matched += 1;
      if (matched < units.length) continue;
      places.push(at + 1 - matched);
      if (places.length >= max) break;
      matched = borders[matched - 1] ?? 0;
    }
    return places;
  }
}

/**
 * Prepares a pattern. `units` is an array, because it takes a third of the time of the text itself. `borders` has, for
 * each start of the pattern, the length of the longest shorter text with which that start both begins and ends.
 */
function compiled(pattern: string): { units: Uint16Array; borders: Int32Array } {
  const units = new Uint16Array(pattern.length);
  for (let at = 0; at < pattern.length; at += 1) units[at] = pattern.charCodeAt(at);
  const borders = new Int32Array(pattern.length);
  let length = 0;
  for (let at = 1; at < units.length; at += 1) {
    const unit = units[at];
    while (length > 0 && units[length] !== unit) length = borders[length - 1] ?? 0;
    if (units[length] === unit) length += 1;
    borders[at] = length;
  }
  return { units, borders };
}
