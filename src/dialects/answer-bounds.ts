import { z } from "zod";
import { shownJson } from "../core/display/shown-text.js";
import { takeStart } from "../core/values/text.js";

/** Length of the longest answer of a tool. A model reads some 4 characters as one token. */
export const defaultAnswerChars = 40_000;

/** The option of every dialect. Below its minimum there is no room for the sentences of an answer. */
export const maxAnswerCharsField = z.number().int().min(2000);

/** The length of a value in an answer in JSON. */
export function getJsonLength(value: unknown): number {
  return shownJson(value).length;
}

/** Lines of a text, as many as fit. */
export interface TakenLines {
  content: string;
  /** From 1. 0 for a text without lines. */
  lastLine: number;
  lineCount: number;
  /** Whether the only line is longer than an answer. */
  isCut: boolean;
}

/**
 * Takes lines from `firstLine` on, as many as fit into `maxChars` of JSON. If the first does not fit, takes its start.
 * Returns null if the text has no such line.
 */
export function takeLines(text: string, firstLine: number, maxChars: number): TakenLines | null {
  let start = 0;
  let end = 0;
  let chars = 0;
  let lastLine = 0;
  let lineCount = 0;
  for (let at = 0; at < text.length; lineCount += 1) {
    const newline = text.indexOf("\n", at);
    const next = newline === -1 ? text.length : newline + 1;
    if (lineCount + 1 === firstLine) [start, end] = [at, at];
    if (lineCount + 1 >= firstLine && chars <= maxChars) {
      // Longer than its JSON can be.
      chars += next - at > maxChars ? maxChars + 1 : getJsonLength(text.slice(at, next)) - 2;
      if (chars <= maxChars) [end, lastLine] = [next, lineCount + 1];
    }
    at = next;
  }
  if (firstLine > Math.max(lineCount, 1)) return null;
  if (end > start || lineCount === 0) return { content: text.slice(start, end), lastLine, lineCount, isCut: false };
  return {
    content: takeJson(text.slice(start, start + maxChars), maxChars),
    lastLine: firstLine,
    lineCount,
    isCut: true,
  };
}

/**
 * Says which lines an answer shows, and how to read on. Returns null for a whole text.
 * @param argument the argument that takes the first line
 */
export function describeRest(
  { lastLine, lineCount, isCut }: TakenLines,
  firstLine: number,
  argument: string,
): { lines: string; more?: string } | null {
  if (firstLine === 1 && lastLine === lineCount && !isCut) return null;
  const cut = isCut ? [`line ${firstLine} is longer than an answer, and is cut`] : [];
  const next = lastLine < lineCount ? [`read on with ${argument} ${lastLine + 1}`] : [];
  const more = [...cut, ...next].join("; ");
  return { lines: `${firstLine} to ${lastLine} of ${lineCount}`, ...(more !== "" && { more }) };
}

/** Refuses a first line that the text does not have. */
export function describeLines(text: string, argument: string): string {
  const lineCount = takeLines(text, 1, 0)?.lineCount ?? 0;
  return lineCount === 0
    ? `${argument} must be 1: the file is empty`
    : `${argument} must be a line of the text: 1 to ${lineCount}`;
}

/** Returns the start of a text that fits into `maxChars` of JSON. */
export function takeJson(text: string, maxChars: number): string {
  let start = takeStart(text, Math.max(0, maxChars));
  // A character becomes up to six in JSON.
  for (let excess = getJsonLength(start) - 2 - maxChars; excess > 0; excess = getJsonLength(start) - 2 - maxChars)
    start = takeStart(start, start.length - Math.max(1, Math.ceil(excess / 6)));
  return start;
}

/** Returns the first items that fit together into `maxChars` of JSON. */
export function takeItems<Item>(items: readonly Item[], maxChars: number): Item[] {
  let chars = 0;
  const end = items.findIndex((item) => {
    chars += getJsonLength(item) + 1;
    return chars > maxChars;
  });
  return end === -1 ? [...items] : items.slice(0, end);
}
