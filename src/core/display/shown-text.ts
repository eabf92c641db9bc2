import { hidden, ordinary } from "./hidden-characters.js";
import { specialTokenStart, specialTokenStarts } from "./special-tokens.js";

const suspect = `[${hidden}${specialTokenStarts}]`;
/** Most texts contain none of these; one check of each character finds that out. */
const suspicious = new RegExp(suspect, "u");
const harmful = new RegExp(`(?=${suspect})(?:(?:(?!${ordinary})[${hidden}])+|${specialTokenStart})`, "gu");
const escapable = new RegExp(`^${suspect}$`, "u");

/**
 * Returns a text as models are shown it. Hidden characters, and the first character of each special token of a chat
 * template, become JSON escapes (`\u200b`, `\u003c|im_end|>`). All other text stays the same. Takes linear time.
 */
export function shownText(text: string): string {
  return suspicious.test(text) ? text.replaceAll(harmful, toEscapes) : text;
}

/** Returns JSON with the escapes of `shownText`. JSON has the same escapes, so the value stays the same. */
export function shownJson(value: unknown): string {
  return shownText(JSON.stringify(value));
}

/** Undoes `shownText` in a text that a model has copied: the escapes become characters again. */
export function meantText(shown: string): string {
  return readEscapes(shown, (unit) => escapable.test(unit));
}

/** Turns the escapes that `isRead` accepts into characters. */
export function readEscapes(shown: string, isRead: (unit: string, escape: string) => boolean): string {
  return shown.replaceAll(/\\u([0-9a-f]{4})/g, (escape, hex: string) => {
    const unit = String.fromCharCode(Number.parseInt(hex, 16));
    return isRead(unit, escape) ? unit : escape;
  });
}

const hexDigits = "0123456789abcdef";
const singleEscapes = new Map<string, string>();

/**
 * Returns the JSON escapes of all characters. Writes bytes. Reason: a text may consist of such characters alone, and
 * strings take six times as long.
 */
export function toEscapes(run: string): string {
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
