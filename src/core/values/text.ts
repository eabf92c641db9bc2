import { fileTooLarge } from "./errors.js";
import { LiteralSearch } from "./literal-search.js";

/** Bytes of `text` in UTF-8. Ten times as fast as encoding it, which counts where a memory has a thousand files. */
export function utf8Bytes(text: string): number {
  return Buffer.byteLength(text);
}

/** The text after an append: one newline between the two, unless one side has it or is empty. */
export function appendText(text: string, addition: string): string {
  return text + appendSeparator(text, addition) + addition;
}

export function appendSeparator(text: string, addition: string): "" | "\n" {
  const joined = text === "" || addition === "" || text.endsWith("\n") || addition.startsWith("\n");
  return joined ? "" : "\n";
}

/** No limit of a file can be set higher. */
const largestFileBytes = 15_000_000;

/**
 * Replaces every occurrence of the literal `search`, left to right, not overlapping. `search` must not be empty. Two
 * texts of a megabyte can ask for more than a string can hold, so the size is known before the text is made.
 * @param maxFileBytes default 15,000,000, the highest limit that a file can have
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

/** `text` cut to at most `maxChars` UTF-16 units, never inside a surrogate pair, with an ellipsis where it was cut. */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = isHighSurrogate(text.charCodeAt(maxChars - 2)) ? maxChars - 2 : maxChars - 1;
  return `${text.slice(0, end)}…`;
}

/** The first UTF-16 units of a text, at most so many, and never half a character. */
export function takeStart(text: string, maxChars: number): string {
  return text.slice(0, isHighSurrogate(text.charCodeAt(maxChars - 1)) ? maxChars - 1 : maxChars);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Order of UTF-16 code units: the one order of every listing (JavaScript's own, and never a locale's). */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
