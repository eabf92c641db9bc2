import { filterInSteps } from "../../core/runtime/lists-in-steps.js";
import { mergeSort } from "../../core/runtime/sort-in-steps.js";
import type { Steps } from "../../core/runtime/time-slices.js";
import { compareCodeUnits } from "../../core/values/text.js";
import { ChosenPassages, type RecalledText } from "./chosen-passages.js";

/** A file that may be shown in parts. */
export interface RankedText extends RecalledText {
  /** Whether an agent may change the file. */
  canWrite: boolean;
  /** In milliseconds. */
  changedAt: number;
  /** Passages that fit the turn, by their numbers. A higher score is better. */
  hits: readonly { passage: number; score: number }[];
}

/** Room that is too small for most passages. */
const minRoom = 20;
/** The choice ends after this number of passages in a row that do not fit. */
const maxMisfits = 50;

/** Pinned files, in order of importance. */
export interface PinnedTexts {
  /** Files that the program pins. */
  byProgram: readonly RankedText[];
  /** Files that a model may have pinned. */
  byThemselves: readonly RankedText[];
}

/**
 * Chooses pinned files from their start, as far as they fit.
 * @param ownChars limit for the files that a model may have pinned
 */
export function* choosePinned(
  { byProgram, byThemselves }: PinnedTexts,
  { maxChars, ownChars, root }: { maxChars: number; ownChars: number; root: string },
): Steps<ChosenPassages> {
  const chosen = new ChosenPassages(maxChars, root);
  yield* chooseFrom(chosen, listPassages(byProgram));
  const withheld = chosen.withhold(ownChars);
  yield* chooseFrom(chosen, listPassages(byThemselves));
  chosen.release(withheld);
  return chosen;
}

/** Chooses the passages that fit the turn, best first, and then the newest lines. */
export function* chooseForTurn(
  texts: readonly RankedText[],
  maxChars: number,
  root: string,
  shown: ChosenPassages,
): Steps<ChosenPassages> {
  const chosen = new ChosenPassages(maxChars, root);
  const isHidden = ({ text, number }: Choice): boolean => !shown.has(text, number);
  yield* chooseFrom(chosen, (yield* listHits(texts)).filter(isHidden));
  yield* chooseFrom(chosen, yield* listNewest(texts), isHidden);
  return chosen;
}

interface Choice {
  text: RankedText;
  number: number;
}

function* chooseFrom(
  chosen: ChosenPassages,
  choices: Iterable<Choice>,
  isWanted: (choice: Choice) => boolean = () => true,
): Steps<void> {
  let misfits = 0;
  for (const choice of choices) {
    yield;
    if (chosen.room < minRoom || misfits >= maxMisfits) return;
    const { text, number } = choice;
    if (chosen.has(text, number) || !isWanted(choice)) continue;
    misfits = chosen.add(text, number) ? 0 : misfits + 1;
  }
}

function* listPassages(texts: readonly RankedText[]): Generator<Choice> {
  for (const text of texts) for (let number = 1; number < text.passages.length; number += 1) yield { text, number };
}

/** A heading is left out, because a heading that fits makes the lines below it fit, which say more. */
function* listHits(texts: readonly RankedText[]): Steps<Choice[]> {
  const withHits = yield* filterInSteps(texts, ({ hits }) => hits.length > 0);
  return withHits
    .flatMap((text) => text.hits.map(({ passage: number, score }) => ({ text, number, score })))
    .filter(({ text, number }) => (text.passages.get(number, "sectionEnd") ?? 0) <= number + 1)
    .toSorted((a, b) => b.score - a.score || compareCodeUnits(a.text.path, b.text.path) || a.number - b.number);
}

/** The last line of a file is its newest one. */
function* listNewest(texts: readonly RankedText[]): Steps<Iterable<Choice>> {
  return listFromEnd(yield* mergeSort(texts, (a, b) => b.changedAt - a.changedAt || compareCodeUnits(b.path, a.path)));
}

function* listFromEnd(texts: readonly RankedText[]): Generator<Choice> {
  for (const text of texts) for (let number = text.passages.length - 1; number > 0; number -= 1) yield { text, number };
}
