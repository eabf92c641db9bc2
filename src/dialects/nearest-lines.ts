import { TimeSlices } from "../core/runtime/time-slices.js";
import { defaultAnswerChars } from "./answer-bounds.js";
import { findLines } from "../core/values/line-ends.js";
import { meantText, readEscapes, shownText, toEscapes } from "../core/display/shown-text.js";
import { takeStart } from "../core/values/text.js";

/** A place of a file that nearly has the text that a model wanted to replace. */
export interface NearestLines {
  /** The first line, from 1. */
  line: number;
  /** The lines. Characters that differ from the wanted ones and look alike are JSON escapes: `it\u2019s`. */
  text: string;
}

const maxPlaces = 3;
const maxShownLines = 20;
const maxShownChars = 1000;
/** A longer line is compared and shown in pieces. */
const maxLineChars = 500;
/** The share of the pairs of characters of a wanted line that a near line has. */
const minShare = 0.6;

/** Characters that look like a blank, a dash or a quote. Their NFKD is another character. */
const alike: readonly [RegExp, string][] = [
  [/[\s\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu, " "],
  [/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/gu, "-"],
  [/[\u2018-\u201b\u2032\u2035\u00b4\uff07]/gu, "'"],
  [/[\u201c-\u201f\u2033\u2036\u00ab\u00bb\uff02]/gu, '"'],
];
/** Accents that are characters of their own, and characters that nobody sees. */
const unseen = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns the form in which look-alikes are equal. */
function fold(text: string): string {
  if (!/[^ -~]/.test(text)) return text.toLowerCase();
  const folded = alike.reduce((result, [characters, plain]) => result.replaceAll(characters, plain), text);
  return folded.normalize("NFKD").replaceAll(unseen, "").toLowerCase();
}

/**
 * The number that begins a line in the answers of tools: `12: text`, or with a tab after it. The parts of a long line are
 * `12.1` in deepagents.
 */
const lineNumber = /^[ \t]*\d+(?:\.\d+)?(?:\t|: )/;

/**
 * Returns up to three places that come near to the wanted text, best first. A text whose lines begin with copied line
 * numbers also counts without them. The time is linear in the text. Yields to other work.
 * @param maxChars room in the answer
 */
export async function findNearestLines(text: string, wanted: string, maxChars: number): Promise<NearestLines[]> {
  const nearest = await findSimilarLines(text, wanted, maxChars);
  if (nearest.length > 0) return nearest;
  const plain = removeLineNumbers(wanted);
  if (plain === null) return [];
  const exact = findLines(text, plain);
  if (exact === null) return findSimilarLines(text, plain, maxChars);
  const before = text.slice(0, exact.start).split("\n");
  const lines = takeLines(text.slice(exact.start - (before.at(-1) ?? "").length), plain.split("\n").length, maxChars);
  return [{ line: before.length, text: showDifferences(lines, wanted) }];
}

/** Returns null unless each line that is not blank begins with a number. */
function removeLineNumbers(text: string): string | null {
  const lines = text.split("\n");
  if (!lines.every((line) => lineNumber.test(line) || line.trim() === "")) return null;
  const plain = lines.map((line) => line.replace(lineNumber, "")).join("\n");
  return plain.trim() === "" ? null : plain;
}

async function findSimilarLines(text: string, wanted: string, maxChars: number): Promise<NearestLines[]> {
  const wantedLines = wanted.split(/\r?\n/);
  // The longest line says most about the place.
  const longest = wantedLines.reduce((best, line, index) => {
    return line.trim().length > (wantedLines[best] ?? "").trim().length ? index : best;
  }, 0);
  const getShare = compareBy(fold(takeStart((wantedLines[longest] ?? "").trim(), maxLineChars)));
  if (getShare === null) return [];
  const slices = new TimeSlices(null);
  const starts: number[] = [];
  let best: { line: number; piece: number; share: number }[] = [];
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    starts.push(start);
    for (let piece = start; piece === start || piece < end; piece += maxLineChars) {
      const share = getShare(fold(text.slice(piece, Math.min(end, piece + maxLineChars))));
      if (share >= minShare && (best.length < maxPlaces || share > (best.at(-1)?.share ?? 0)))
        best = [...best, { line: starts.length - 1, piece, share }]
          .toSorted((a, b) => b.share - a.share)
          .slice(0, maxPlaces);
      if (slices.isOver()) await slices.next();
    }
    start = end + 1;
  }
  return best.map(({ line, piece }) => {
    const isWhole = piece === starts[line];
    const first = isWhole ? Math.max(0, line - longest) : line;
    const shown = text.slice(isWhole ? (starts[first] ?? 0) : piece);
    return { line: first + 1, text: showDifferences(takeLines(shown, wantedLines.length, maxChars), wanted) };
  });
}

/** Describes the text that is most similar to the wanted one, to follow a refusal. Returns "" if none is similar. */
export async function describeNearest(text: string, wanted: string, maxChars = defaultAnswerChars): Promise<string> {
  const nearest = await findNearestLines(text, wanted, maxChars);
  if (nearest.length === 0) return "";
  const places = nearest.map(({ line, text: lines }) => `line ${line}:\n${shownText(lines)}`);
  return ["\nNearest, with characters that look alike as escapes:", ...places].join("\n");
}

/** Returns a function for the share of a line's pairs of characters that another has. Null for a line without pairs. */
function compareBy(line: string): ((other: string) => number) | null {
  // The round in which a pair was seen last, so that each counts once.
  const pairs = new Map<number, number>();
  for (let at = 1; at < line.length; at += 1) pairs.set(getPair(line, at), 0);
  if (pairs.size < 2) return null;
  let round = 0;
  return (other) => {
    round += 1;
    let shared = 0;
    for (let at = 1; at < other.length; at += 1) {
      const pair = getPair(other, at);
      const seen = pairs.get(pair);
      if (seen === undefined || seen === round) continue;
      pairs.set(pair, round);
      shared += 1;
    }
    return shared / pairs.size;
  };
}

function getPair(text: string, at: number): number {
  return text.charCodeAt(at - 1) * 0x1_00_00 + text.charCodeAt(at);
}

/** Each character may become an escape, and there are up to three places. */
const charsForEach = 30;

function takeLines(text: string, count: number, maxChars: number): string {
  const lines = takeStart(text, Math.min(maxShownChars, Math.floor(maxChars / charsForEach)))
    .split("\n")
    .slice(0, Math.min(count, maxShownLines));
  return lines.map((line) => line.replace(/\r$/, "")).join("\n");
}

/**
 * Escapes characters that a reader cannot see: look-alikes of wanted characters, loose accents, and blanks at the end of
 * a line.
 */
function showDifferences(text: string, wanted: string): string {
  const known = new Set(wanted);
  const looks = new Set(Array.from(known, fold));
  // The text may also have the plain form of a wanted look-alike.
  const plainForms = new Set(Array.from(known, (character) => (fold(character) === character ? "" : fold(character))));
  const isHidden = (character: string): boolean => {
    const look = fold(character);
    if (look === character.toLowerCase()) return /['"-]/.test(character) && plainForms.has(character);
    return look === "" || looks.has(look);
  };
  const shown = Array.from(text, (character) =>
    character !== "\n" && !known.has(character) && isHidden(character) ? toEscapes(character) : character,
  );
  return shown.join("").replaceAll(/[ \t]+$/gm, toEscapes);
}

/**
 * Returns a text to search for and its replacement as a model means them. If a file has the text only after its escapes
 * become characters, the model has copied them from an answer. A "\r" at the end is half of a copied line end.
 */
export function readReplacement(
  text: string,
  search: string,
  replacement: string,
): [search: string, replacement: string] {
  const copied = new Set<string>(search.match(/\\u[0-9a-f]{4}/g));
  const read = (given: string): string => {
    const characters = readEscapes(given, (_unit, escape) => copied.has(escape));
    return search.endsWith("\r") ? characters.replace(/\r?$/, "\n") : characters;
  };
  const meant = read(search);
  const isCopied = meant !== search && meant.isWellFormed() && !findLines(text, search) && findLines(text, meant);
  return isCopied ? [meant, meantText(read(replacement))] : [search, replacement];
}
