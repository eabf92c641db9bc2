import { countStart } from "../runtime/bisection.js";
import type { Steps } from "../runtime/time-slices.js";
import { isWhole, type OlderText, readOlderText } from "./older-text.js";
import type { TextRedactor } from "./text-redactor.js";

/** A text, and the positions where it contains the text to redact. */
export interface SearchedText {
  text: string;
  places: readonly number[];
}

export function* searchText(text: string, redactor: TextRedactor): Steps<SearchedText> {
  return { text, places: yield* redactor.find(text) };
}

/** Reads an older text. Searches only the part that the newer text does not have. */
export function* searchOlderText(older: OlderText, newer: SearchedText, redactor: TextRedactor): Steps<SearchedText> {
  const text = readOlderText(older, newer.text);
  if (isWhole(older)) return yield* searchText(text, redactor);
  const { length } = redactor;
  const places = newer.places.slice(0, countBefore(newer.places, older.start - length + 1));
  const sharedEnd = text.length - older.end;
  const from = Math.max(0, older.start - length + 1, getEnd(places.at(-1), length));
  yield* addMoved(places, yield* redactor.find(text.slice(from, sharedEnd + length - 1)), from);
  const newerEnd = newer.text.length - older.end;
  const newerCount = countBefore(newer.places, newerEnd);
  const rest = Math.max(sharedEnd, getEnd(places.at(-1), length));
  // The search in both texts has come equally far into the shared end, so it finds the same there.
  if (rest - sharedEnd === Math.max(newerEnd, getEnd(newer.places[newerCount - 1], length)) - newerEnd)
    yield* addMoved(places, newer.places.slice(newerCount), sharedEnd - newerEnd);
  else yield* addMoved(places, yield* redactor.find(text.slice(rest)), rest);
  return { text, places };
}

/** Work yields after so many places, which take less than a millisecond. */
const placesPerYield = 5000;

/** Adds the places of a part of a text, which begins at `offset`. */
function* addMoved(places: number[], found: readonly number[], offset: number): Steps<void> {
  for (const [index, place] of found.entries()) {
    if (index % placesPerYield === 0) yield;
    places.push(place + offset);
  }
}

const countBefore = (places: readonly number[], position: number): number =>
  countStart(places, (place) => place < position);

/** Returns where an occurrence ends. Without one it is the start of the text. */
const getEnd = (place: number | undefined, length: number): number => (place ?? -length) + length;

/**
 * Covers a text in a stored difference. The result fits the newer text before and after the newer text is covered: it
 * refers only to text that the cover leaves unchanged, and to occurrences at the same position in both texts. Reason:
 * text that looks like the cover, or like a part of the redacted text, would be read wrongly.
 * @returns the same difference if it need not change
 */
export function* coverOlderText(
  older: OlderText,
  { before, after }: { before: SearchedText; after: SearchedText },
  redactor: TextRedactor,
): Steps<OlderText> {
  const { length } = redactor;
  const crossing = [before, after].flatMap(({ places }) => findCrossing(places, older.start, length) ?? []);
  const start = Math.min(older.start, ...crossing);
  const end = yield* findSharedEnd(before, after, older.end, length);
  const text = yield* redactor.cover(before.text.slice(start, before.text.length - end));
  return start === older.start && end === older.end && text === older.text ? older : { start, text, end };
}

/** Finds the occurrence that begins before a position and ends after it. */
function findCrossing(places: readonly number[], at: number, length: number): number | undefined {
  const place = places[countBefore(places, at) - 1];
  return place !== undefined && place + length > at ? place : undefined;
}

/** Returns the length of the end that both texts still share after the occurrences are covered. */
function* findSharedEnd(before: SearchedText, after: SearchedText, end: number, length: number): Steps<number> {
  for (let index = 1; ; index += 1) {
    if (index % placesPerYield === 0) yield;
    const one = getDistance(before, index, end, length);
    const other = getDistance(after, index, end, length);
    const nearest = Math.min(one, other);
    if (nearest === Infinity) return end;
    if (one !== other || nearest + length > end) return nearest;
  }
}

/** Returns how far the last but `index` occurrence is from the end of its text. Infinity if it is not in the shared end. */
function getDistance({ text, places }: SearchedText, index: number, end: number, length: number): number {
  const place = places.at(-index);
  return place === undefined || place + length <= text.length - end ? Infinity : text.length - place - length;
}
