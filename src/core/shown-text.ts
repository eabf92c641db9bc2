import { specialTokenStart, specialTokenStarts } from "./special-tokens.js";

/** Controls, format and tag characters, what has no width, half surrogates, and line ends that are no newline. */
const hidden = "\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2028\\u2029";

/** Scripts that are misspelt without joiners. */
const joiningScripts = [
  "Arabic", "Syriac", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam",
  "Sinhala", "Khmer", "Myanmar",
].map((script) => `\\p{Script=${script}}`).join("");

/** What ordinary text is not written without: line ends of Windows, joiners of letters and of emoji, and their style. */
const ordinary = [
  "\\r(?:\\n|$)",
  // Their digits and punctuation join nothing, and after a hidden character nobody sees what is joined.
  `(?<=(?=[\\p{L}\\p{M}])(?!\\p{Default_Ignorable_Code_Point})[${joiningScripts}])[\\u200c\\u200d]`,
  "(?<=\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=\\p{Extended_Pictographic})",
  "(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]",
  "(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
].join("|");

const suspect = `[${hidden}${specialTokenStarts}]`;
/** Most texts hold none of these, and are told by one look at each character. */
const suspicious = new RegExp(suspect, "u");
const harmful = new RegExp(`(?=${suspect})(?:(?:(?!${ordinary})[${hidden}])+|${specialTokenStart})`, "gu");
const escapable = new RegExp(`^${suspect}$`, "u");

/**
 * A text as models are shown it: what cannot be seen, and the first character of each special token of a chat template,
 * as JSON's escapes (`\u200b`, `\u003c|im_end|>`). All other text stays as it is. Linear in its length.
 */
export function shownText(text: string): string {
  return suspicious.test(text) ? text.replaceAll(harmful, escaped) : text;
}

/** JSON of `value` in which a model is shown the same escapes. They are JSON's own, so it means the same. */
export function shownJson(value: unknown): string {
  return shownText(JSON.stringify(value));
}

/** What a model means that copies `shownText`: the escapes that are made there as the characters they stand for. */
export function meantText(shown: string): string {
  return shown.replaceAll(/\\u([0-9a-f]{4})/g, (escape, hex: string) => {
    const unit = String.fromCharCode(Number.parseInt(hex, 16));
    return escapable.test(unit) ? unit : escape;
  });
}

const hexDigits = "0123456789abcdef";
const singleEscapes = new Map<string, string>();

/** A text may consist of nothing else, and of a long run bytes are six times as fast to write as strings. */
function escaped(run: string): string {
  const known = singleEscapes.get(run);
  if (known !== undefined) return known;
  const bytes = Buffer.alloc(run.length * 6, "\\u");
  for (let index = 0; index < run.length; index += 1) {
    let unit = run.charCodeAt(index);
    for (let digit = 5; digit > 1; digit -= 1, unit >>= 4) bytes[index * 6 + digit] = hexDigits.charCodeAt(unit & 15);
  }
  const escape = bytes.toString("latin1");
  if (run.length === 1) singleEscapes.set(run, escape);
  return escape;
}
