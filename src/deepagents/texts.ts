import type { ReadResult } from "deepagents";
import { invalid, MemoryError } from "../core/values/errors.js";
import { replaceLines } from "../core/values/line-ends.js";
import { readReplacement } from "../dialects/nearest-lines.js";
import { isBinaryPath, getMediaType } from "./media-types.js";

/**
 * Returns the lines of a text from `offset` on, at most `limit`. A final newline ends the last line and begins none.
 */
export function lineWindow(path: string, text: string, offset: number, limit: number): ReadResult {
  const mimeType = getMediaType(path);
  const [first, count] = [toWholeNumber(offset), toWholeNumber(limit)];
  const lines = text.split("\n");
  const totalLines = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  if (first > 0 && first >= totalLines) {
    return { error: `Line offset ${first} exceeds file length (${totalLines} lines)` };
  }
  const content = lines.slice(first, first + count).join("\n");
  const endLine = Math.min(first + count, totalLines);
  // For an empty file, or if no line was requested, there is no window to report.
  if (endLine === first) return { content, mimeType };
  return {
    content,
    mimeType,
    totalLines,
    startLine: first + 1,
    endLine,
    ...(endLine < totalLines && { nextOffset: endLine }),
  };
}

function toWholeNumber(value: number): number {
  return Math.max(0, Math.floor(value)) || 0;
}

/**
 * @throws MemoryError EINVAL, in deepagents' words, if the text does not occur, or occurs several times without
 * `replaceAll`
 */
export function editText(
  text: string,
  { oldString, newString, replaceAll }: { oldString: string; newString: string; replaceAll: boolean },
): { text: string; replaced: number } {
  if (oldString === "") {
    if (text === "") return { text: newString, replaced: 0 };
    throw invalid("oldString cannot be empty when file has content");
  }
  const edited = replaceLines(text, ...readReplacement(text, oldString, newString));
  if (edited.replaced === 0) throw new StringNotFound("EINVAL", `String not found in file: '${oldString}'`);
  if (edited.replaced === 1 || replaceAll) return edited;
  throw invalid(
    `String '${oldString}' has multiple occurrences (appears ${edited.replaced} times) in file. Use ` +
      "replace_all=True to replace all instances, or provide a more specific string with surrounding context.",
  );
}

/** Returns at least 1: an empty text has no number. */
export function countText(text: string, search: string): number {
  return search === "" ? 1 : Math.max(1, replaceLines(text, search, search).replaced);
}

/** The text to replace does not occur. */
export class StringNotFound extends MemoryError {}

/** Checks the type, because programs without types call, too. @throws MemoryError EINVAL */
export function assertText(value: unknown, name: string): asserts value is string {
  if (typeof value !== "string") throw invalid(`${name} must be a string`);
}

/** Keeps a byte order mark, so that a file is downloaded with exactly the bytes that were uploaded. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @throws MemoryError EACCES for bytes that are not UTF-8 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw createBinaryError(cause);
  }
}

/** @throws MemoryError EACCES if deepagents would decode the text as base64 */
export function assertTextPath(path: string): void {
  if (isBinaryPath(path)) throw createBinaryError();
}

function createBinaryError(cause?: unknown): MemoryError {
  return new MemoryError(
    "EACCES",
    "EACCES: only text can be kept here, no images, sounds, films or other binary files",
    { cause },
  );
}
