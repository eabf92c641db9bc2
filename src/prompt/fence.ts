import type { MemoryScope } from "../core/address.js";
import type { MemoryContent } from "./connector-options.js";

const tagName = "memory";

/** Every character that Unicode compatibility folds to `<`, alone or with a stroke through it. */
const openingBracket = /([<\u226e\ufe64\uff1c])/;

/** Whatever a model or its tokenizer may take for the end of a line. */
const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

const unprintable = /[\p{Cc}\u2028\u2029]/gu;

export function fence(scope: MemoryScope, view: MemoryContent, lines: readonly string[]): string {
  return [`<${tagName} scope="${scope}" view="${view}">`, ...lines, `</${tagName}>`].join("\n");
}

/**
 * `text` in which nothing reads as the fence's tag, whatever text follows it: a bracket is escaped where the letters
 * after it begin the tag's name, and also where `text` ends before they can tell.
 */
export function guardFence(text: string): string {
  const parts = text.split(openingBracket);
  // From the end, so that each bracket knows the letters after it without a scan of its own.
  let letters = "";
  for (let index = parts.length - 1; index > 0; index -= 2) {
    letters = (foldedLetters(parts[index] ?? "") + letters).slice(0, tagName.length);
    if (tagName.startsWith(letters)) parts[index - 1] = "&lt;";
  }
  return parts.join("");
}

/** NFKD finds all that NFKC finds, and letters under accents too. */
function foldedLetters(text: string): string {
  return text.normalize("NFKD").toLowerCase().replaceAll(/[^a-z]+/g, "");
}

/** A content of which each line begins with `| `, so that none can pass for a tag, an entry or a message. */
export function quoteContent(content: string): string {
  return `| ${guardFence(content).replaceAll(lineBreak, (found) => `${found}| `)}`;
}

/** A path on one line. No path holds a backslash, so an escape cannot be taken for part of a name. */
export function printablePath(path: string): string {
  return guardFence(
    path.replaceAll(unprintable, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}
