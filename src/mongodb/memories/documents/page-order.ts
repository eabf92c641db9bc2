import { ROOT } from "../../../core/values/paths.js";

/*
 * The order of pages. `/` sorts before every other character, so a directory is followed by everything below it. No
 * path and no id contains these two characters.
 */
export const separator = "\0";
export const afterSeparator = "\u0001";

/** Returns the position of a path in the order of pages. The root is the first. */
export function getOrderKey(path: string): string {
  return path.slice(1).replaceAll("/", separator);
}

export function getPathAt(orderKey: string): string {
  return ROOT + orderKey.replaceAll(separator, "/");
}

/** Returns the first position below a directory. */
export function getStartBelow(path: string): string {
  return path === ROOT ? "" : getOrderKey(path) + separator;
}

/** Returns the first position after everything below a directory. Null: nothing follows. */
export function getEndBelow(path: string): string | null {
  return path === ROOT ? null : getOrderKey(path) + afterSeparator;
}

/** Compares as MongoDB compares texts, by UTF-8 bytes, and so by code points. Encoding the texts would take far longer. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  let index = 0;
  while (a.charCodeAt(index) === b.charCodeAt(index)) index += 1;
  return getRank(a, index) - getRank(b, index);
}

/** Ranks a unit of a well-formed text by its code point. The end of the text comes first. */
function getRank(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  if (Number.isNaN(unit)) return -1;
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  return isSurrogate ? unit + 0x1_0000 : unit;
}
