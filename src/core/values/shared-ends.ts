/** A text or a list. */
interface Sequence {
  readonly length: number;
  at(index: number): unknown;
}

/** Counts what two texts or two lists share at their start, and at the end of the rest. */
export function countShared(one: Sequence, other: Sequence): { start: number; end: number } {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one.at(start) === other.at(start)) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return { start, end };
}
