import type { Steps } from "../runtime/turns.js";
import type { OlderText } from "./older-text.js";
import type { TextRedactor } from "./text-redactor.js";

/**
 * Covers a text in a stored difference. The difference can then be read by the newer text, whether that is covered
 * already or not: it takes from the newer text only what stays in both, and occurrences that both have at the same
 * place. Otherwise a text that looks like the cover, or like a part of the redacted text, would be read wrongly.
 * @param before the older text
 * @param after the newer text
 */
export function* coverOlderText(
  older: OlderText,
  { before, after }: { before: string; after: string },
  redactor: TextRedactor,
): Steps<OlderText> {
  const inBefore = yield* redactor.find(before);
  const inAfter = yield* redactor.find(after);
  const start = Math.min(
    older.start,
    ...[inBefore, inAfter].flatMap((places) => findCrossing(places, older.start, redactor.length) ?? []),
  );
  const fromEnd = (places: readonly number[], { length }: string): number[] =>
    places.map((place) => length - place - redactor.length).toReversed();
  const end = findSharedEnd(fromEnd(inBefore, before), fromEnd(inAfter, after), older.end, redactor.length);
  return { start, text: (yield* redactor.cover(before)).slice(start, before.length - end), end };
}

/** Finds the occurrence that begins before a place and ends behind it. */
function findCrossing(places: readonly number[], at: number, length: number): number | undefined {
  return places.find((place) => place < at && place + length > at);
}

/**
 * Returns how much of a shared end both texts still share when the occurrences are covered.
 * @param inBefore how far the end of each occurrence is from the end of the text, the nearest first
 */
function findSharedEnd(inBefore: readonly number[], inAfter: readonly number[], end: number, length: number): number {
  for (let index = 0; ; index += 1) {
    const [before = Infinity, after = Infinity] = [inBefore[index], inAfter[index]];
    const nearest = Math.min(before, after);
    if (nearest >= end) return end;
    if (before !== after || nearest + length > end) return nearest;
  }
}
