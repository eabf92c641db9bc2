import type { Steps } from "../runtime/turns.js";
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
  const places = newer.places.filter((place) => place + length <= older.start);
  const sharedEnd = text.length - older.end;
  const from = Math.max(0, older.start - length + 1, getEnd(places, length));
  const between = yield* redactor.find(text.slice(from, sharedEnd + length - 1));
  for (const place of between) places.push(from + place);
  const newerEnd = newer.text.length - older.end;
  const newerPlaces = newer.places.filter((place) => place < newerEnd);
  const rest = Math.max(sharedEnd, getEnd(places, length));
  // The search in both texts has come equally far into the shared end, so it finds the same there.
  if (rest - sharedEnd === Math.max(newerEnd, getEnd(newerPlaces, length)) - newerEnd)
    for (const place of newer.places.slice(newerPlaces.length)) places.push(place - newerEnd + sharedEnd);
  else for (const place of yield* redactor.find(text.slice(rest))) places.push(rest + place);
  return { text, places };
}

/** Returns where the last occurrence ends. */
function getEnd(places: readonly number[], length: number): number {
  return (places.at(-1) ?? -length) + length;
}

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
  const end = findSharedEnd(before, after, older.end, length);
  const text = yield* redactor.cover(before.text.slice(start, before.text.length - end));
  return start === older.start && end === older.end && text === older.text ? older : { start, text, end };
}

/** Finds the occurrence that begins before a position and ends after it. */
function findCrossing(places: readonly number[], at: number, length: number): number | undefined {
  return places.find((place) => place < at && place + length > at);
}

/** Returns the length of the end that both texts still share after the occurrences are covered. */
function findSharedEnd(before: SearchedText, after: SearchedText, end: number, length: number): number {
  const distances = [before, after].map(({ text, places }) => {
    const shared = places.filter((place) => place + length > text.length - end);
    return shared.map((place) => text.length - place - length).toReversed();
  });
  const [inBefore = [], inAfter = []] = distances;
  for (let index = 0; ; index += 1) {
    const [one = Infinity, other = Infinity] = [inBefore[index], inAfter[index]];
    const nearest = Math.min(one, other);
    if (nearest === Infinity) return end;
    if (one !== other || nearest + length > end) return nearest;
  }
}
