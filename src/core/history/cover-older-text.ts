import type { Steps } from "../runtime/turns.js";
import { getKeptRuns, type KeptRun, type OlderText, toOlderText } from "./older-text.js";
import type { TextRedactor } from "./text-redactor.js";

/**
 * Covers a text in a stored difference. The difference can then be read by the newer text, whether that is covered
 * already or not: it takes nothing from the newer text but what stays in both, and occurrences that both have at the
 * same place. Otherwise a text that looks like the cover, or like a part of the redacted text, would be read wrongly.
 * @param before the older text
 * @param after the newer text
 */
export function* coverOlderText(
  older: OlderText,
  { before, after }: { before: string; after: string },
  redactor: TextRedactor,
): Steps<OlderText> {
  const covered = yield* redactor.cover(before);
  const places = { older: yield* redactor.find(before), newer: yield* redactor.find(after) };
  const runs: KeptRun[] = [];
  for (const run of getKeptRuns(older, before.length, after.length)) {
    runs.push(...splitRun(run, places, redactor.length));
    yield;
  }
  return toOlderText(runs, covered, after.length);
}

interface Places {
  older: readonly number[];
  newer: readonly number[];
}

/** Takes all occurrences out of a run that are not in both texts at the same place of it. */
function splitRun(run: KeptRun, places: Places, length: number): KeptRun[] {
  const inOlder = placesWithin(run.older, run.length, places.older, length);
  const inNewer = placesWithin(run.newer, run.length, places.newer, length);
  const [older, newer] = [new Set(inOlder), new Set(inNewer)];
  const isInBoth = (at: number): boolean => older.has(at) && newer.has(at) && at >= 0 && at + length <= run.length;
  const taken = [...new Set([...inOlder, ...inNewer])].filter((at) => !isInBoth(at)).toSorted((a, b) => a - b);
  const split: KeptRun[] = [];
  let start = 0;
  for (const at of [...taken, run.length]) {
    const end = Math.min(Math.max(at, 0), run.length);
    if (end > start) split.push({ older: run.older + start, newer: run.newer + start, length: end - start });
    start = Math.max(start, Math.min(at + length, run.length));
  }
  return split;
}

/** The places that touch a run, counted from its start. */
function placesWithin(start: number, runLength: number, places: readonly number[], length: number): number[] {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) + length <= start) low = middle + 1;
    else high = middle;
  }
  const within: number[] = [];
  for (let index = low; index < places.length; index += 1) {
    const at = (places[index] ?? 0) - start;
    if (at >= runLength) break;
    within.push(at);
  }
  return within;
}
