import type { Steps } from "../runtime/turns.js";

/**
 * A text, as its difference from the newer text that replaced it: the first `start` units of the newer text, then
 * `text`, then the last `end` units of the newer text. Without `start`, `end` and `kept` it is the whole text. All
 * numbers count UTF-16 units.
 */
export interface OlderText {
  start: number;
  /** The replaced pieces, one after another. */
  text: string;
  end: number;
  /**
   * The equal parts between the pieces, in order, as three numbers each: position in `text`, position in the newer
   * text, length. Reason: without them, a change in two distant lines stores all lines between.
   */
  kept?: number[] | undefined;
}

/** A part of a newer text, and the text that it replaced. */
interface ReplacedPart {
  start: number;
  end: number;
  text: string;
}

/** A shorter equal part is stored again: its three numbers would be larger than the text. */
const minKeptLength = 32;

/** Work yields after so many units or lines, which take about a millisecond. */
const unitsPerYield = 250_000;
const linesPerYield = 5000;

export function wholeText(text: string): OlderText {
  return { start: 0, text, end: 0 };
}

export function isWhole({ start, end, kept }: OlderText): boolean {
  return start === 0 && end === 0 && kept === undefined;
}

/** Whether the newer text is this one with something added at its end. */
export function isBeginning({ start, text, end, kept }: OlderText): boolean {
  return start > 0 && text === "" && end === 0 && kept === undefined;
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
  const [olderMiddle, newerMiddle] = [older.slice(start, older.length - end), newer.slice(start, newer.length - end)];
  const pieces = yield* findPieces(olderMiddle, newerMiddle, start);
  return { start, ...pieces, end };
}

export function readOlderText(older: OlderText, newer: string): string {
  let position = 0;
  let text = "";
  for (const part of replacedParts(older, newer.length)) {
    text += newer.slice(position, part.start) + part.text;
    position = part.end;
  }
  return text + newer.slice(position);
}

/** From the first to the last. */
function replacedParts({ start, text, end, kept = [] }: OlderText, newerLength: number): ReplacedPart[] {
  const parts: ReplacedPart[] = [];
  let partStart = start;
  let cut = 0;
  for (let index = 0; index < kept.length; index += 3) {
    const [nextCut = 0, keptStart = 0, length = 0] = kept.slice(index, index + 3);
    parts.push({ start: partStart, end: keptStart, text: text.slice(cut, nextCut) });
    partStart = keptStart + length;
    cut = nextCut;
  }
  parts.push({ start: partStart, end: newerLength - end, text: text.slice(cut) });
  return parts;
}

/** A part that the older text takes from the newer one. */
export interface KeptRun {
  /** Where it begins in the older text. */
  older: number;
  /** Where it begins in the newer text. */
  newer: number;
  length: number;
}

/** The parts that a difference takes from the newer text, in order. */
export function getKeptRuns({ start, end, kept = [] }: OlderText, olderLength: number, newerLength: number): KeptRun[] {
  const runs: KeptRun[] = [{ older: 0, newer: 0, length: start }];
  let keptLength = start;
  for (let index = 0; index < kept.length; index += 3) {
    const [cut = 0, newer = 0, length = 0] = kept.slice(index, index + 3);
    runs.push({ older: keptLength + cut, newer, length });
    keptLength += length;
  }
  return [...runs, { older: olderLength - end, newer: newerLength - end, length: end }].filter(
    ({ length }) => length > 0,
  );
}

/** @param runs in order, none of which overlap */
export function toOlderText(runs: readonly KeptRun[], older: string, newerLength: number): OlderText {
  const [first, last] = [runs[0], runs.at(-1)];
  const start = first?.older === 0 && first.newer === 0 ? first.length : 0;
  const isAtEnd = (run: KeptRun): boolean =>
    run.older + run.length === older.length && run.newer + run.length === newerLength;
  const end = last !== undefined && isAtEnd(last) && !(last === first && start > 0) ? last.length : 0;
  const between = runs.slice(start > 0 ? 1 : 0, end > 0 ? -1 : undefined);
  const kept: number[] = [];
  let text = "";
  let position = start;
  for (const run of between.filter(({ length }) => length >= minKeptLength)) {
    text += older.slice(position, run.older);
    kept.push(text.length, run.newer, run.length);
    position = run.older + run.length;
  }
  text += older.slice(position, older.length - end);
  return { start, text, end, ...(kept.length > 0 && { kept }) };
}

/**
 * Compares lines at the same position. If one text has more lines, all of it is one piece. Reason: a better answer
 * takes time that grows with the square of the lines.
 */
function* findPieces(older: string, newer: string, newerStart: number): Steps<Pick<OlderText, "text" | "kept">> {
  if ((yield* countLines(older)) !== (yield* countLines(newer))) return { text: older };
  const kept: number[] = [];
  let text = "";
  let piece = { start: 0, end: 0 };
  let [position, newerPosition] = [0, 0];
  for (let line = 1; position <= older.length; line += 1) {
    const [lineEnd, newerLineEnd] = [findLineEnd(older, position), findLineEnd(newer, newerPosition)];
    if (older.slice(position, lineEnd) !== newer.slice(newerPosition, newerLineEnd)) {
      const keptLength = position - piece.end;
      if (keptLength >= minKeptLength) {
        text += older.slice(piece.start, piece.end);
        kept.push(text.length, newerStart + newerPosition - keptLength, keptLength);
        piece = { start: position, end: position };
      }
      piece.end = lineEnd;
    }
    [position, newerPosition] = [lineEnd + 1, newerLineEnd + 1];
    if (line % linesPerYield === 0) yield;
  }
  return kept.length === 0 ? { text: older } : { text: text + older.slice(piece.start, piece.end), kept };
}

function* countLines(text: string): Steps<number> {
  let count = 1;
  for (let newline = text.indexOf("\n"); newline !== -1; newline = text.indexOf("\n", newline + 1)) {
    count += 1;
    if (count % linesPerYield === 0) yield;
  }
  return count;
}

function findLineEnd(text: string, start: number): number {
  const newline = text.indexOf("\n", start);
  return newline === -1 ? text.length : newline;
}

/** Whether a unit is one of the 1,024 halves of surrogate pairs from `first` on. */
function isInRange(unit: number, first: number): boolean {
  return unit >= first && unit < first + 0x400;
}
