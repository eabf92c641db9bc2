import { TimeSlices } from "../core/runtime/time-slices.js";
import { countNewlines } from "../core/search/lines.js";
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
  const slices = new TimeSlices(null);
  const nearest = await findSimilarLines(text, wanted, { maxChars, slices });
  if (nearest.length > 0) return nearest;
  const plain = await removeLineNumbers(wanted, slices);
  if (plain === null) return [];
  const exact = findLines(text, plain);
  if (exact === null) return findSimilarLines(text, plain, { maxChars, slices });
  const start = exact.start === 0 ? 0 : text.lastIndexOf("\n", exact.start - 1) + 1;
  const lines = takeLines(text.slice(start), countNewlines(plain) + 1, maxChars);
  const known = await readCharacters(wanted, slices);
  return [{ line: countNewlines(text, 0, exact.start) + 1, text: showDifferences(lines, known) }];
}

/** Returns null unless each line that is not blank begins with a number. */
async function removeLineNumbers(text: string, slices: TimeSlices): Promise<string | null> {
  const lines: string[] = [];
  for (const line of eachLine(text)) {
    if (slices.isOver()) await slices.next();
    if (!lineNumber.test(line) && line.trim() !== "") return null;
    lines.push(line.replace(lineNumber, ""));
  }
  const plain = lines.join("\n");
  return plain.trim() === "" ? null : plain;
}

/** Yields the lines up to their newlines. A generator, because a text may have millions of lines. */
function* eachLine(text: string): Generator<string> {
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    yield text.slice(start, end);
    start = end + 1;
  }
}

interface Search {
  /** Room in the answer. */
  maxChars: number;
  slices: TimeSlices;
}

/** Finds the longest line, which says most about the place, and counts the lines. */
async function findLongestLine(
  text: string,
  slices: TimeSlices,
): Promise<{ longest: string; index: number; count: number }> {
  let [longest, index, count] = ["", 0, 0];
  for (const line of eachLine(text)) {
    if (slices.isOver()) await slices.next();
    const trimmed = line.trim();
    if (trimmed.length > longest.length) [longest, index] = [trimmed, count];
    count += 1;
  }
  return { longest, index, count };
}

async function findSimilarLines(text: string, wanted: string, { maxChars, slices }: Search): Promise<NearestLines[]> {
  const { longest, index, count } = await findLongestLine(wanted, slices);
  const getShare = compareBy(fold(takeStart(longest, maxLineChars)));
  if (getShare === null) return [];
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
  if (best.length === 0) return [];
  const known = await readCharacters(wanted, slices);
  return best.map(({ line, piece }) => {
    const isWhole = piece === starts[line];
    const first = isWhole ? Math.max(0, line - index) : line;
    const shown = text.slice(isWhole ? (starts[first] ?? 0) : piece);
    return { line: first + 1, text: showDifferences(takeLines(shown, count, maxChars), known) };
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

/** The characters of a wanted text. */
interface WantedCharacters {
  known: Set<string>;
  /** The forms in which look-alikes are equal. */
  looks: Set<string>;
  /** The plain forms of its look-alikes, which a text may have instead. */
  plainForms: Set<string>;
}

const charsPerStep = 1000;

async function readCharacters(wanted: string, slices: TimeSlices): Promise<WantedCharacters> {
  const [known, looks, plainForms] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let read = 0;
  for (const character of wanted) {
    read += 1;
    if (read % charsPerStep === 0 && slices.isOver()) await slices.next();
    if (known.has(character)) continue;
    const look = fold(character);
    known.add(character);
    looks.add(look);
    if (look !== character) plainForms.add(look);
  }
  return { known, looks, plainForms };
}

/**
 * Escapes characters that a reader cannot see: look-alikes of wanted characters, loose accents, and blanks at the end of
 * a line.
 */
function showDifferences(text: string, { known, looks, plainForms }: WantedCharacters): string {
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
