import type { MemoryScope } from "../core/values/address.js";
import { shownText } from "../core/display/shown-text.js";
import type { MemoryContent } from "./connector-options.js";

const tagName = "memory";

/**
 * Angle brackets, characters that Unicode folds to `<`, alone or with a stroke, and characters that Unicode lists as
 * confusable with `<`.
 */
const openingBracket =
  /([<\u226e\ufe64\uff1c\u02c2\u1438\u16b2\u2039\u2329\u276c\u276e\u2770\u27e8\u2991\u29fc\u3008\u{1d236}])/u;

/** Letters that Unicode lists as confusable with the letters of the tag (UTS 39), after folding, and small capitals. */
const lookAlikes = {
  m: "μϻмᗰᛖᴍⲙꓟꮇ𐊰𐌑𑜀",
  e: "εеҽᴇⴹꓰꬲꭼ𐊆𑣆𑣎",
  o: "οσоօ\u05e1\u0647\u06be\u06c1\u06d5ଠഠဝჿዐᴏᴑⲟⵔꓳꬽ𐊒𐊫𐐬𐓪𐔖𑣈𑣕𑣗",
  r: "ʀгᖇᴦⲅꓣꭇꭈꭱꮁꮢ𐓜𖼵",
  y: "ɣʏγυуүყᶌỿⲩꓬꭚꭹꮍ𐊲𑣄𑣜𖽃",
};
const meantLetters = new Map(
  Object.entries(lookAlikes).flatMap(([letter, others]) => Array.from(others, (other) => [other, letter] as const)),
);
const lookAlike = new RegExp(`[${Object.values(lookAlikes).join("")}]`, "gu");

export function fence(scope: MemoryScope, view: MemoryContent, lines: readonly string[]): string {
  return [`<${tagName} scope="${scope}" view="${view}">`, ...lines, `</${tagName}>`].join("\n");
}

/** Returns null if the text is longer than `maxChars`. The first check avoids joining ten thousand lines in vain. */
export function fenceWithin(
  maxChars: number,
  scope: MemoryScope,
  view: MemoryContent,
  lines: readonly string[],
): string | null {
  if (lines.reduce((chars, line) => chars + line.length + 1, 0) > maxChars) return null;
  const text = fence(scope, view, lines);
  return text.length <= maxChars ? text : null;
}

/**
 * Escapes brackets, so that no part of `text` reads as the fence's tag, whatever text follows. A bracket is escaped if
 * the letters after it begin the tag's name, also if `text` ends before the name is complete.
 */
export function guardFence(text: string): string {
  if (!openingBracket.test(text)) return text;
  const parts = text.split(openingBracket);
  // Goes backwards, so that the letters after each bracket are known without another scan.
  let letters = "";
  for (let index = parts.length - 1; index > 0; index -= 2) {
    letters = (takeFirstLetters(parts[index] ?? "") + letters).slice(0, tagName.length);
    if (tagName.startsWith(letters)) parts[index - 1] = "&lt;";
  }
  return parts.join("");
}

/**
 * Returns the letters at the start of a text. Usually the first few characters contain enough letters, and the rest is
 * not read.
 */
function takeFirstLetters(text: string): string {
  const letters = foldLetters(text.slice(0, 10 * tagName.length));
  return letters.length >= tagName.length ? letters : foldLetters(text);
}

/** NFKD finds everything that NFKC finds, and also letters under accents. */
function foldLetters(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(lookAlike, (letter) => meantLetters.get(letter) ?? "")
    .replaceAll(/[^a-z]+/g, "")
    .replaceAll("rn", "m");
}

/** Prefixes each line of a content with `| `, so that no line can pass for a tag, an entry or a message. */
export function quoteContent(content: string): string {
  return `| ${shownText(guardFence(content)).replaceAll("\n", "\n| ")}`;
}

/**
 * Formats a path, or another text without line ends, on one line. No path contains a backslash, so an escape cannot be
 * part of a name.
 */
export function printablePath(path: string): string {
  return shownText(guardFence(path));
}
