import { stemmer } from "stemmer";
import { baseForms } from "./irregular-forms.js";

/** Returns the words of a text or of a query, in the form in which they are compared. */
export type SearchWords = (text: string) => readonly string[];

const notAscii = /[^\0-\x7f]/;
/**
 * What people write with and without: the accents of Latin, Greek and Cyrillic, the points of Hebrew, and hamza, madda,
 * vowel signs and tatweel of Arabic. The marks of other scripts are letters.
 */
const optionalMarks = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0655\u0670]/g;

/** Scripts that put no spaces between words. Hangul is among them because its words carry their particles. */
const unspaced = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{scx=${script}}`)
  .join("");

const asciiWord = /[a-z0-9]+/g;

let patterns: { anyWord: RegExp; unspacedStart: RegExp } | undefined;

/** Created at the first use. Reason: creating them takes some milliseconds. */
function getPatterns(): NonNullable<typeof patterns> {
  patterns ??= {
    anyWord: new RegExp(
      `(?:(?=[\\p{L}\\p{M}\\p{N}])[${unspaced}])+|(?:(?![${unspaced}])[\\p{L}\\p{M}\\p{N}])+|\\p{RI}{2}|\\p{Extended_Pictographic}`,
      "gu",
    ),
    unspacedStart: new RegExp(`^[${unspaced}]`, "u"),
  };
  return patterns;
}

const stopWords = new Set(
  (
    "a about after again all also am an and any are as at be because been before being both but by can could d did " +
    "didn do does doesn doing don down during each few for from further had has hasn have haven having he her here " +
    "hers him himself his how i if in into is isn it its itself just ll m me more most my myself no nor not now of " +
    "off on once only or other our ours out over own re s same she should so some such t than that the their " +
    "theirs them themselves then there these they this those through to too under until up ve very was wasn we " +
    "were what when where which while who whom why will with would you your yours yourself"
  ).split(" "),
);

/** Splits a text into words. @throws TypeError if a function of the user does not return a list of texts */
export function splitWords(searchWords: SearchWords, text: string): readonly string[] {
  if (searchWords === englishWords) return englishWords(text);
  const words: unknown = searchWords(text);
  if (Array.isArray(words) && words.every((word) => typeof word === "string")) return words;
  throw new TypeError("searchWords must return a list of texts");
}

const maxStems = 50_000;
/** Stems by word; null for a stop word. Reason: a text repeats its words, and equal words then are one string. */
const stems = new Map<string, string | null>();

/**
 * Splits a text into words: folds case and accents, stems English words, and leaves out stop words. A script without
 * spaces gives its characters and its pairs of neighbouring characters. Each emoji is a word.
 */
export function englishWords(text: string): string[] {
  const words: string[] = [];
  if (!notAscii.test(text)) {
    for (const word of text.toLowerCase().match(asciiWord) ?? []) pushStem(words, word);
    return words;
  }
  const { anyWord, unspacedStart } = getPatterns();
  for (const word of fold(text).match(anyWord) ?? []) {
    if (notAscii.test(word) && unspacedStart.test(word)) pushPairs(words, word);
    else pushStem(words, word);
  }
  return words;
}

/** A word as a text spells it. */
export interface WrittenWord {
  text: string;
  start: number;
  /** False for a run of a script that puts no spaces between words. */
  isSpaced: boolean;
}

/** Yields the words of a text as they are written, with stop words. */
export function* splitWritten(text: string): Generator<WrittenWord> {
  const { anyWord, unspacedStart } = getPatterns();
  for (const { 0: word, index } of text.matchAll(anyWord))
    yield { text: word, start: index, isSpaced: !unspacedStart.test(word) };
}

/** Converts to upper case first, because ß becomes SS there. */
function fold(text: string): string {
  const bare = text.normalize("NFKD").toUpperCase().toLowerCase().replaceAll(optionalMarks, "");
  // Alef maksura is written for yeh.
  return bare.replaceAll("\u0649", "\u064a").normalize("NFC");
}

function pushStem(words: string[], word: string): void {
  let stem = stems.get(word);
  if (stem === undefined) {
    stem = stopWords.has(word) ? null : getStem(word);
    if (stems.size >= maxStems) stems.clear();
    stems.set(word, stem);
  }
  if (stem !== null) words.push(stem);
}

const english = /^[a-z]{3,40}$/;
/** A longer word is left out. Reason: as a term it would take as much memory as the text. */
const maxWordChars = 64;

function getStem(word: string): string {
  return english.test(word) ? stemmer(baseForms.get(word) ?? word) : word.slice(0, maxWordChars);
}

/**
 * Splits the runs of scripts without spaces, for an index that splits at spaces: into pairs of neighbouring characters,
 * and for a text also into characters. A query of one character stays as it is.
 */
export function spaceOut(text: string, kind: "text" | "query"): string {
  if (!notAscii.test(text)) return text;
  const { anyWord, unspacedStart } = getPatterns();
  return text.replaceAll(anyWord, (run) => {
    if (!unspacedStart.test(run)) return run;
    const words: string[] = [];
    pushPairs(words, run);
    const isShort = words.length === 1;
    return ` ${words.filter((word) => kind === "text" || isShort || word.length > 1).join(" ")} `;
  });
}

function pushPairs(words: string[], run: string): void {
  let previous = "";
  for (const character of run) {
    pushStem(words, character);
    if (previous !== "") pushStem(words, previous + character);
    previous = character;
  }
}
