/**
 * Unicode White_Space, which the crate trims. `String.prototype.trim` differs: it keeps U+0085 and removes U+FEFF, so a
 * heading would have another key. No pattern is anchored at an end, because such patterns take quadratic time on long
 * runs.
 */
const whiteSpace = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function countLeadingSpaces(text: string): number {
  let count = 0;
  while (count < text.length && whiteSpace.test(text.charAt(count))) count += 1;
  return count;
}

/** Splits a text into the white space at its start and the rest. */
export function splitIndent(text: string): [indent: string, rest: string] {
  const count = countLeadingSpaces(text);
  return [text.slice(0, count), text.slice(count)];
}

export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && whiteSpace.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function trim(text: string): string {
  return trimEnd(text.slice(countLeadingSpaces(text)));
}
