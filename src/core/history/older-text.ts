import type { Steps } from "../runtime/time-slices.js";

/**
 * A text, as its difference from the newer text that replaced it: the first `start` units of the newer text, then
 * `text`, then the last `end` units of the newer text. If both numbers are 0, it is the whole text. The numbers count
 * UTF-16 units.
 */
export interface OlderText {
  start: number;
  text: string;
  end: number;
}

/** Work yields after so many units, which take about a millisecond. */
const unitsPerYield = 250_000;

export function wholeText(text: string): OlderText {
  return { start: 0, text, end: 0 };
}

export function isWhole({ start, end }: OlderText): boolean {
  return start === 0 && end === 0;
}

/** Takes linear time. Never cuts a surrogate pair, because a database stores well-formed texts only. */
export function* encodeOlderText(older: string, newer: string): Steps<OlderText> {
  const shorter = Math.min(older.length, newer.length);
  let start = 0;
  while (start < shorter && older.charCodeAt(start) === newer.charCodeAt(start)) {
    start += 1;
    if (start % unitsPerYield === 0) yield;
  }
  if (isInRange(older.charCodeAt(start - 1), 0xd800)) start -= 1;
  const longestEnd = shorter - start;
  let end = 0;
  while (end < longestEnd && older.charCodeAt(older.length - end - 1) === newer.charCodeAt(newer.length - end - 1)) {
    end += 1;
    if (end % unitsPerYield === 0) yield;
  }
  if (isInRange(older.charCodeAt(older.length - end), 0xdc00)) end -= 1;
  return { start, text: older.slice(start, older.length - end), end };
}

export function readOlderText({ start, text, end }: OlderText, newer: string): string {
  return newer.slice(0, start) + text + newer.slice(newer.length - end);
}

/** Whether a unit is one of the 1,024 halves of surrogate pairs from `first` on. */
function isInRange(unit: number, first: number): boolean {
  return unit >= first && unit < first + 0x400;
}
