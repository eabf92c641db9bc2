import type { IdRange } from "./document-ids.js";

/*
 * The server sorts ids by code points, and a listing is sorted by UTF-16 units. These differ in one thing: the units of
 * U+E000 to U+FFFF come last, after those of the characters beyond them.
 */

const firstPrivate = "\u{E000}";
const firstAstral = "\u{10000}";
/** After all that the rest of a name can be. */
const lastInName = "\u{10FFFF}".repeat(128);

/** Where the ids of the children of a directory lie whose names come before `bound` by UTF-16 units. */
export function childrenBefore({ $gte: start }: IdRange, bound: string): IdRange[] {
  const ranges: IdRange[] = [];
  let from = start;
  let same = start;
  for (const character of bound) {
    if (character >= firstPrivate) ranges.push({ $gte: same + firstAstral, $lt: same + lastInName });
    else if (character.length > 1) {
      ranges.push({ $gte: from, $lt: same + firstPrivate });
      from = same + firstAstral;
    }
    same += character;
  }
  return [...ranges, { $gte: from, $lt: same }];
}

/** What of a range comes after an id. It may be empty. */
export function rangeAfter({ $gte, $lt }: IdRange, id: string): IdRange {
  return { $gte: isBefore(id, $gte) ? $gte : `${id}\0`, $lt };
}

/** Whether one id comes before another on the server. */
export function isBefore(id: string, other: string): boolean {
  return Buffer.compare(Buffer.from(id), Buffer.from(other)) < 0;
}
