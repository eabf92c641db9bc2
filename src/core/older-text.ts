/**
 * A text, told by how it differs from the one that replaced it: the first `start` units of that, `text`, and its last `end` units.
 * Without `start` and `end` it is the whole text. All are UTF-16 units.
 */
export interface OlderText {
  start: number;
  text: string;
  end: number;
}

export function wholeText(text: string): OlderText {
  return { start: 0, text, end: 0 };
}

export function isWhole({ start, end }: OlderText): boolean {
  return start === 0 && end === 0;
}

/** In time that grows with the texts alone. Never cuts a surrogate pair, as a database stores well-formed text only. */
export function olderTextOf(older: string, newer: string): OlderText {
  const shorter = Math.min(older.length, newer.length);
  let start = 0;
  while (start < shorter && older.charCodeAt(start) === newer.charCodeAt(start)) start += 1;
  if (isHalf(older.charCodeAt(start - 1), 0xd800) && start > 0) start -= 1;
  let end = 0;
  while (end < shorter - start && older.charCodeAt(older.length - 1 - end) === newer.charCodeAt(newer.length - 1 - end)) end += 1;
  if (end > 0 && isHalf(older.charCodeAt(older.length - end), 0xdc00)) end -= 1;
  return { start, text: older.slice(start, older.length - end), end };
}

export function readOlderText({ start, text, end }: OlderText, newer: string): string {
  return newer.slice(0, start) + text + newer.slice(newer.length - end);
}

function isHalf(unit: number, first: number): boolean {
  return unit >= first && unit < first + 0x400;
}
