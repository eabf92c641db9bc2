import { readFrontMatter } from "./front-matter.js";
import { countNewlines, splitLines } from "./lines.js";
import { isLogMark } from "./log-lines.js";

/** A part of a text that is one hit: a line, the lines of a wrapped paragraph, or a piece of a long line. */
export interface Passage {
  /** The start and end of the passage in the text, in UTF-16 units. */
  start: number;
  end: number;
  /** From 1. */
  firstLine: number;
  lastLine: number;
  /** 1 to 6 for a heading, 7 for a line that is a date, 8 for body text. */
  level: number;
}

export const bodyLevel = 8;
const dateLevel = 7;

/** A longer line is cut into several passages, at white space if possible. */
const maxPassageChars = 600;
/** The least length of a line that the next line can continue. */
const minWrappedChars = 50;

const heading = /^ {0,3}(#{1,6})(?:\s|$)/;
const maxDateChars = 60;
const hasYear = /\b(?:1[89]|2[01])\d\d\b/;
const dateWord =
  /^(?:\d{1,4}(?:st|nd|rd|th|am|pm)?|t\d{1,2}|[ap]m|on|at|of|the|z|utc|(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs)?|fri|sat|sun|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|date|session|day)$/;

/** The most white space that is shown at the start of a passage. */
const maxIndent = 40;

/** The speaker at the start of a line, such as `User: `. The longest is that of a log. */
const speaker = /^\s*([\p{Lu}\p{Lo}][^:\n]{0,75}:\s)/u;
const maxSpeakerChars = 120;

/** Begins a piece of a line that is not its start. */
export const cutMark = "…";

/**
 * Returns what a piece of a long line is shown after: the speaker of the line, so that the piece does not pass for what
 * another speaker says. "" for a line without one, and for the start of a line.
 */
export function findSpeaker(text: string, { start }: Pick<Passage, "start">): string {
  const lineStart = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
  const [, found = ""] = speaker.exec(text.slice(lineStart, Math.min(start, lineStart + maxSpeakerChars))) ?? [];
  return found;
}

/**
 * Returns where a passage begins if its indent is shown. A piece of a long line begins with the character before it, so
 * that it does not pass for a line.
 */
export function findShownStart(text: string, { start }: Pick<Passage, "start">): number {
  const isInLine = (at: number): boolean => at > 0 && text[at - 1] !== "\n";
  let shown = start;
  while (start - shown < maxIndent && isInLine(shown) && isSpace(text.charCodeAt(shown - 1))) shown -= 1;
  if (shown < start || !isInLine(start)) return shown;
  const unit = text.charCodeAt(start - 1);
  return start - (unit >= 0xdc00 && unit <= 0xdfff ? 2 : 1);
}

/** Yields the passages of a text in their order. Blank lines, front matter and the marks of a log belong to no passage. */
export function* splitPassages(text: string): Generator<Passage> {
  for (const passage of findPassages(text)) if (passage !== null) yield passage;
}

/** A text may have a million lines that belong to no passage. */
const linesPerStep = 1000;

/** A key of YAML: quoted, or up to three words, such as `date created`. */
const yamlKey = /"[^"]*"|'[^']*'|<<|[\p{L}\p{N}_$./-][^\s:#]*(?:[ \t]+[^\s:#]+){0,2}/u.source;
/** A line between two rules that has no key and begins no further line of a value, comment or end is no front matter. */
const yamlLine = new RegExp(`^(?:(?:${yamlKey})[ \\t]*:(?=\\s|$)|[\\w$-]+[ \\t]*:|[ \\t#-]|[\\]}],?\\s*$|\\r?$)`, "u");

/** Finds the end of the front matter, in short steps. */
function* findBody(text: string): Generator<null, number> {
  const { frontMatter = "", rest = null } = readFrontMatter(text) ?? {};
  if (rest === null) return 0;
  for (const { line, text: written } of splitLines(frontMatter)) {
    if (line % linesPerStep === 0) yield null;
    if (!yamlLine.test(written)) return 0;
  }
  return text.length - rest.length;
}

/** Yields the passages of a text in short steps. A step that finds no passage yields null. */
export function* findPassages(text: string): Generator<Passage | null> {
  let open: Passage | null = null;
  const from = yield* findBody(text);
  let line = countNewlines(text, 0, from);
  for (let start = from; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    line += 1;
    if (line % linesPerStep === 0) yield null;
    const next = trimPassage(text, start, end, line);
    start = end + 1;
    if (open !== null && next !== null && continuesParagraph(text, open, next)) {
      open.end = next.end;
      open.lastLine = line;
      continue;
    }
    if (open !== null) yield* cutPassage(text, open);
    open = next;
  }
  if (open !== null) yield* cutPassage(text, open);
}

function trimPassage(text: string, lineStart: number, lineEnd: number, line: number): Passage | null {
  let start = lineStart;
  let end = lineEnd;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  if (start === end || (start === lineStart && isMark(text, start, end))) return null;
  return { start, end, firstLine: line, lastLine: line, level: getLevel(text, start, end) };
}

function isMark(text: string, start: number, end: number): boolean {
  return text.charCodeAt(start) === 0x5e && end - start === 9 && isLogMark(text.slice(start, end));
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0 || unit === 0x3000 || unit === 0xfeff;
}

function getLevel(text: string, start: number, end: number): number {
  if (text.charCodeAt(start) === 0x23) {
    const [, marks] = heading.exec(text.slice(start, Math.min(end, start + 8))) ?? [];
    if (marks !== undefined) return marks.length;
  }
  return isDate(text, start, end) ? dateLevel : bodyLevel;
}

function isDate(text: string, start: number, end: number): boolean {
  if (end - start > maxDateChars) return false;
  const line = text.slice(start, end);
  return (
    hasYear.test(line) &&
    line
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .every((part) => part === "" || dateWord.test(part))
  );
}

/** Whether a line continues a paragraph that an editor has wrapped: it begins in the middle of a sentence. */
function continuesParagraph(text: string, open: Passage, next: Passage): boolean {
  if (open.level !== bodyLevel || next.level !== bodyLevel || next.firstLine !== open.lastLine + 1) return false;
  if (next.end - open.start > maxPassageChars || !startsLowercase(text, next.start)) return false;
  const lastLine = open.end - Math.max(open.start, text.lastIndexOf("\n", open.end - 1) + 1);
  return lastLine >= minWrappedChars;
}

function startsLowercase(text: string, start: number): boolean {
  const unit = text.charCodeAt(start);
  return unit < 0x80 ? unit >= 0x61 && unit <= 0x7a : /^\p{Ll}/u.test(text.slice(start, start + 2));
}

/** Returns the pieces of a passage. Reason for the list: a generator for each short passage makes a first index slower. */
function cutPassage(text: string, passage: Passage): Iterable<Passage> {
  return passage.end - passage.start <= maxPassageChars ? [passage] : cutLong(text, passage);
}

function* cutLong(text: string, passage: Passage): Generator<Passage> {
  let { start } = passage;
  while (passage.end - start > maxPassageChars) {
    const cut = findCut(text, start, start + maxPassageChars);
    yield { ...passage, start, end: cut };
    start = cut;
    while (start < passage.end && isSpace(text.charCodeAt(start))) start += 1;
  }
  if (start < passage.end) yield { ...passage, start };
}

/** Finds white space in the second half of the piece, or else the end of a character. */
function findCut(text: string, start: number, end: number): number {
  for (let at = end; at > start + maxPassageChars / 2; at -= 1) if (isSpace(text.charCodeAt(at))) return at;
  const unit = text.charCodeAt(end);
  return unit >= 0xdc00 && unit <= 0xdfff ? end - 1 : end;
}
