import { fileTooLarge, invalid } from "../values/errors.js";
import { utf8Bytes } from "../values/text.js";

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
