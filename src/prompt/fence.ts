import type { MemoryScope } from "../core/values/address.js";
import { showPath } from "../core/display/shown-path.js";
import { shownText } from "../core/display/shown-text.js";
import type { MemoryContent } from "./connector-options.js";

const tagName = "memory";

/**
 * Tag names that no content may imitate, as letters only: the tag of the fence, and the tags that programs use to speak
 * to models, such as `<system-reminder>` and `<function_calls>`. `<tool_call>` is a special token.
 */
const guardedNames = [
  tagName,
  "system",
  "functioncall",
  "functionresult",
  "tooluse",
  "toolresult",
  "invokename",
  "antml",
];
const longestName = Math.max(...guardedNames.map(({ length }) => length));

/**
 * Characters that look like `<`: those that Unicode folds to `<` or to `<` with a stroke, or lists as confusable with
 * it, and angle brackets.
 */
const openingBracket =
  /([<\u226e\ufe64\uff1c\u02c2\u1438\u16b2\u2039\u2329\u276c\u276e\u2770\u27e8\u2991\u29fc\u3008\u{1d236}])/u;

/**
 * Letters that Unicode lists as confusable with the letters of the names (UTS 39), after folding, and small capitals.
 * Letters that `memory` does not have get only look-alikes of living scripts.
 */
const lookAlikes = {
  a: "\u0251\u03b1\u0430\u1d00\u15c5\ua4ee\uab7a",
  c: "\u03f2\u0441\u1d04\u2ca5\ua4da\uabaf",
  f: "\u03dd\u0584\u15b4\ua4dd\ua799\uab35",
  i: "\u0131\u0269\u026a\u03b9\u0456\ua647\uab75",
  l: "\u01c0\u029f\u04cf\u05df\u16c1\u2d4f\ua4f2",
  n: "\u0274\u03bd\u0578\u057c\u2c9b\ua4e0",
  s: "\u01bd\u0455\u057f\ua4e2\ua731\uaba5\uabaa",
  t: "\u03c4\u0442\u1d1b\u2ca7\ua4d4\uab72",
  u: "\u028b\u057d\u144c\u1d1c\ua4f4\ua79f\uab4e\uab52",
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

/**
 * Escapes brackets, so that no part of `text` reads as one of the guarded names, whatever text follows. A bracket is
 * escaped if the letters after it begin such a name, even if `text` ends before the name is complete.
 */
export function guardFence(text: string): string {
  if (!openingBracket.test(text)) return text;
  const parts = text.split(openingBracket);
  // Goes backwards, so that the letters after each bracket are known without another scan.
  let letters = "";
  for (let index = parts.length - 1; index > 0; index -= 2) {
    letters = (takeFirstLetters(parts[index] ?? "") + letters).slice(0, longestName);
    if (guardedNames.some((name) => name.startsWith(letters.slice(0, name.length)))) parts[index - 1] = "&lt;";
  }
  return parts.join("");
}

/**
 * Returns the letters at the start of a text. Usually the first few characters contain enough letters, and the rest is
 * not read.
 */
function takeFirstLetters(text: string): string {
  const letters = foldLetters(text.slice(0, 10 * longestName));
  return letters.length >= longestName ? letters : foldLetters(text);
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

/**
 * Formats a path as tools take it. A relative path begins with a hyphen and a space, so that no name can pass for a
 * note, a sentence of the introduction or a line of a content.
 */
export function formatPath(path: string, root: string): string {
  const shown = printablePath(showPath(path, root));
  return root === "" ? `- ${shown || "./"}` : shown;
}
