import { fileTooLarge, invalid } from "./errors.js";
import { LiteralSearch } from "./literal-search.js";

/** Counts the bytes of UTF-8 without encoding: ten times as fast, which matters for a memory of a thousand files. */
export function utf8Bytes(text: string): number {
  return Buffer.byteLength(text);
}

/** Returns the text after an append: one newline between the two, unless one side has it or is empty. */
export function appendText(text: string, addition: string): string {
  return text + appendSeparator(text, addition) + addition;
}

export function appendSeparator(text: string, addition: string): "" | "\n" {
  const joined = text === "" || addition === "" || text.endsWith("\n") || addition.startsWith("\n");
  return joined ? "" : "\n";
}

/**
 * The highest `maxFileBytes` that options allow. Reason: a change of a file must fit into one document of MongoDB, which
 * has at most 16 MiB, together with the text that it replaces.
 */
export const largestFileBytes = 7_500_000;

/**
 * Replaces every occurrence of the literal `search`, left to right, not overlapping. `search` must not be empty. The
 * size is computed first, because the result of two texts of a megabyte can be larger than any string can be.
 * @param maxFileBytes default 7,500,000, the highest limit that a file can have
 * @throws MemoryError EFBIG
 */
export function replaceText(
  text: string,
  search: string,
  replacement: string,
  maxFileBytes = largestFileBytes,
): { text: string; replaced: number } {
  const parts = new LiteralSearch(search).split(text);
  const replaced = parts.length - 1;
  const sizeBytes = utf8Bytes(text) + replaced * (utf8Bytes(replacement) - utf8Bytes(search));
  if (replaced > 0 && sizeBytes > maxFileBytes) throw fileTooLarge(sizeBytes, maxFileBytes);
  return { text: parts.join(replacement), replaced };
}

/** Cuts a text to at most `maxChars` UTF-16 units, never inside a surrogate pair. A cut text ends with an ellipsis. */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = isHighSurrogate(text.charCodeAt(maxChars - 2)) ? maxChars - 2 : maxChars - 1;
  return `${text.slice(0, end)}…`;
}

/** Returns the start of a text: at most `maxChars` UTF-16 units, and never half a surrogate pair. */
export function takeStart(text: string, maxChars: number): string {
  return text.slice(0, isHighSurrogate(text.charCodeAt(maxChars - 1)) ? maxChars - 1 : maxChars);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Compares by UTF-16 code units. Every listing has this order, which is JavaScript's own, never that of a locale. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function comparePaths(a: { path: string }, b: { path: string }): number {
  return compareCodeUnits(a.path, b.path);
}

/** Returns a value as refusals quote it: short, and without the contents of objects. */
export function preview(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(shorten(value, 64));
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "a list" : "an object";
}

/** Checks the future text of a file. @throws EFBIG, EINVAL */
export function checkContent(content: unknown, name: string, maxFileBytes: number): asserts content is string {
  checkText(content, name);
  // A UTF-16 unit is at most three bytes of UTF-8, so most texts need no count.
  if (content.length * 3 <= maxFileBytes) return;
  const sizeBytes = utf8Bytes(content);
  if (sizeBytes > maxFileBytes) throw fileTooLarge(sizeBytes, maxFileBytes);
}

export function checkText(text: unknown, name: string): asserts text is string {
  if (typeof text !== "string")
    throw invalid(`${name} must be a string (given ${text === null ? "null" : typeof text})`);
  if (!text.isWellFormed()) throw invalid(`${name} is not well-formed Unicode (it holds a lone surrogate)`);
}

/** It begins where blanks begin: tried from each blank, a long row of blanks would take quadratic time. */
const lineBreak = /(?<!\s)\s*\n\s*/g;

/** Puts a text on one line: a blank replaces each line end and the blanks around it. */
export function toOneLine(text: string): string {
  return text.replaceAll(lineBreak, " ");
}
